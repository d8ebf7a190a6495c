// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A span between two points of a timeline, in whole microseconds.
///
/// The core counts in 64-bit microseconds rather than in `Duration`, whose 128-bit attoseconds take several times as
/// long on the path of each report; ``duration`` and ``init(_:)`` convert at the public interface.
public struct TimeSpan: Sendable, Hashable {
  /// The span in microseconds; negative when it points to the past.
  public let microseconds: Int64

  /// A span of zero.
  public static let zero = TimeSpan(microseconds: 0)

  /// Creates a span of whole microseconds.
  @inlinable
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Creates a span from seconds, rounded to the nearest microsecond; values beyond the length of a timeline (the years
  /// 1970 to 9999) are clamped, so that outside input cannot overflow.
  public init(seconds: Double) {
    let longest = 253_402_300_800.0
    let bounded = seconds.isNaN ? 0 : min(max(seconds, -longest), longest)
    self.microseconds = Int64((bounded * 1_000_000).rounded())
  }

  /// Creates a span from a `Duration`, truncated to whole microseconds.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.microseconds = seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
  }

  /// The span in seconds.
  @inlinable
  public var seconds: Double { Double(microseconds) / 1_000_000 }

  /// The span as the standard library's `Duration`.
  public var duration: Duration { .microseconds(microseconds) }

  /// Returns a span of whole seconds.
  @inlinable
  public static func seconds(_ seconds: Int64) -> TimeSpan {
    TimeSpan(microseconds: seconds * 1_000_000)
  }

  /// Returns a span of whole milliseconds.
  @inlinable
  public static func milliseconds(_ milliseconds: Int64) -> TimeSpan {
    TimeSpan(microseconds: milliseconds * 1000)
  }
}

extension TimeSpan: CustomStringConvertible {
  /// The span in seconds, such as `29.5 s`.
  public var description: String {
    "\(microseconds % 1_000_000 == 0 ? "\(microseconds / 1_000_000)" : "\(seconds)") s"
  }
}

extension TimeSpan: Comparable {
  /// Orders spans by length; negative ones come first.
  @inlinable
  public static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool {
    lhs.microseconds < rhs.microseconds
  }
}

extension TimeSpan {
  /// Returns the sum of two spans; it wraps beyond 292,000 years.
  @inlinable
  public static func + (lhs: TimeSpan, rhs: TimeSpan) -> TimeSpan {
    TimeSpan(microseconds: lhs.microseconds &+ rhs.microseconds)
  }

  /// Returns the difference of two spans.
  @inlinable
  public static func - (lhs: TimeSpan, rhs: TimeSpan) -> TimeSpan {
    TimeSpan(microseconds: lhs.microseconds &- rhs.microseconds)
  }
}
