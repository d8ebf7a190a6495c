// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Detects how long a filter's level has evidently not changed, and how much smaller its error is then.
///
/// The filter allows for a walk at any time, so it overestimates its error without one. If the level does not
/// drift, the true variance is about half of the estimate, and less if there is less noise than expected. The filter's
/// own intervals show that the beacon rests: a level that has been within every interval since it was the result has not
/// changed.
struct Standstill: Sendable {
  /// The second (its last 16 bits) since which every interval has contained ``level``.
  private var since: UInt16 = 0
  /// An earlier result, in half decibels above the grid's lowest.
  private var level: UInt8 = 0

  /// Forty seconds of standing still before an error is less than the filter's.
  ///
  /// If visitors stay 5 to 60 s, a shorter time gives a too narrow interval each time a visitor walks on. With 20 s the
  /// interval contains the truth 83 % of the time on visits (`docs/accuracy.md`).
  static let secondsNeeded: UInt16 = 40
  /// At most 80 s count; the error is then half of the filter's estimate.
  static let secondsCounted: UInt16 = 80

  /// Steps of half a decibel.
  private static let resolution: Double = 2
  private static let reach =
    DistanceEstimate.intervalDeviations * DistanceEstimate.intervalDeviations

  /// Starts again with the first report after a silence.
  mutating func begin(at time: Int64) { since = Self.second(time) }

  /// Processes a filter's result.
  ///
  /// - Parameters:
  ///   - decibels: The level above the grid's lowest, 0 to 127.
  ///   - variance: The filter's variance in dB², including the drift.
  ///   - time: The time of the last report in microseconds, since silence does not show that the beacon stands still.
  /// - Returns: The factor by which to multiply the filter's error, 0.5 to 1.
  @inline(__always)
  mutating func share(at decibels: Double, variance: Double, lastReceived time: Int64) -> Double {
    let moved = decibels - Double(level) / Self.resolution
    let now = Self.second(time)
    guard moved * moved <= Self.reach * variance else {
      level = UInt8(clamping: Int(decibels * Self.resolution + 0.5))
      since = now
      return 1
    }
    let seconds = now &- since
    guard seconds > Self.secondsNeeded else { return 1 }
    // Older time is dropped, so that 16 bits are enough however long a beacon stands still.
    if seconds > Self.secondsCounted { since = now &- Self.secondsCounted }
    return Double(Self.secondsNeeded) / Double(min(seconds, Self.secondsCounted))
  }

  /// For how many seconds no interval has excluded the level, up to the time of the last report; at most
  /// ``secondsCounted``, and more or less a second.
  @inline(__always)
  func seconds(until time: Int64) -> UInt16 { Self.second(time) &- since }

  @inline(__always)
  private static func second(_ time: Int64) -> UInt16 {
    UInt16(truncatingIfNeeded: time / 1_000_000)
  }
}
