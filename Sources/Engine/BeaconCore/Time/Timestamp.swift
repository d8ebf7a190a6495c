// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A point on a source's timeline: microseconds since 1970-01-01T00:00:00Z.
///
/// The engine uses no other time. Live, it is the wall clock at the start plus elapsed monotonic time; in a capture it
/// is the record's time rounded to a microsecond. The value always lies in the years 1970 to 9999, so that adding
/// any duration the engine uses cannot overflow, whatever time a capture states.
public struct Timestamp: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00:00Z, in 0...253402300799999999.
  public let microseconds: Int64

  /// The earliest possible time: 1970-01-01T00:00:00Z.
  @inlinable
  public static var earliest: Timestamp { Timestamp(microseconds: 0) }
  /// The latest possible time: 9999-12-31T23:59:59.999999Z, the last that RFC 3339 can write.
  @inlinable
  public static var latest: Timestamp { Timestamp(microseconds: .max) }

  /// Creates a timestamp, clamped into the years 1970 to 9999.
  @inlinable
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, 0), 253_402_300_799_999_999)
  }

  /// The last whole second of the timeline that is not after this time.
  package var wholeSecond: Timestamp {
    Timestamp(microseconds: microseconds / 1_000_000 * 1_000_000)
  }

  /// The first whole second of the timeline strictly after this time.
  public var nextWholeSecond: Timestamp {
    Timestamp(microseconds: (microseconds / 1_000_000 + 1) * 1_000_000)
  }
}

extension Timestamp: Comparable {
  /// Orders timestamps by time.
  @inlinable
  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.microseconds < rhs.microseconds
  }
}

extension Timestamp {
  /// Returns the time a span later (earlier when negative), clamped into the years 1970 to 9999.
  @inlinable
  public static func + (lhs: Timestamp, rhs: TimeSpan) -> Timestamp {
    let (sum, overflow) = lhs.microseconds.addingReportingOverflow(rhs.microseconds)
    return Timestamp(microseconds: overflow ? (rhs.microseconds < 0 ? 0 : .max) : sum)
  }

  /// Returns the time a span earlier (later when negative), clamped into the years 1970 to 9999.
  @inlinable
  public static func - (lhs: Timestamp, rhs: TimeSpan) -> Timestamp {
    let (difference, overflow) = lhs.microseconds.subtractingReportingOverflow(rhs.microseconds)
    return Timestamp(microseconds: overflow ? (rhs.microseconds < 0 ? .max : 0) : difference)
  }

  /// Returns the span from the second time to the first.
  @inlinable
  public static func - (lhs: Timestamp, rhs: Timestamp) -> TimeSpan {
    // The range of times is far smaller than that of the integers.
    TimeSpan(microseconds: lhs.microseconds &- rhs.microseconds)
  }
}
