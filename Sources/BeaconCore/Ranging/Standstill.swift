// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How long a filter's level has evidently not changed, and how much smaller its error is then.
///
/// A filter that expects a walk at any moment overestimates its error while there is none: where the level never
/// drifts, the variance is about half of the estimate, and less where there is less noise than it expects. Its own
/// interval shows that nobody walks: a level that has been within every interval since it was the result has not
/// changed.
struct Standstill: Sendable {
  /// The second, its last 16 bits, since which every interval held ``level``.
  private var since: UInt16 = 0
  /// An earlier result, in half decibels above the grid's lowest.
  private var level: UInt8 = 0

  /// Forty seconds of standing still before an error is less than the filter says.
  ///
  /// Where visitors stay 5 to 60 s a shorter time tells too narrow an interval each time one sets off: with 20 s it
  /// holds the truth 83 % of the time on visits (`docs/accuracy.md`).
  static let secondsNeeded: UInt16 = 40
  /// No more than 80 s count: the error is then half of what the filter says.
  static let secondsCounted: UInt16 = 80

  /// How many half decibels a decibel has.
  private static let resolution: Double = 2
  private static let reach =
    DistanceEstimate.intervalDeviations * DistanceEstimate.intervalDeviations

  /// Starts again with the first report after a silence.
  mutating func begin(at time: Int64) { since = Self.second(time) }

  /// Processes a filter's result.
  ///
  /// - Parameters:
  ///   - decibels: The level above the grid's lowest, 0 to 127.
  ///   - variance: The filter's variance in dB², the drift included.
  ///   - time: When the last report was received, in microseconds: silence does not show that the beacon stands still.
  /// - Returns: By which factor the error is less than the filter says, 0.5 to 1.
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

  @inline(__always)
  private static func second(_ time: Int64) -> UInt16 {
    UInt16(truncatingIfNeeded: time / 1_000_000)
  }
}
