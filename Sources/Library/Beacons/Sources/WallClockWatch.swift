// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Detects that the wall clock was set.
///
/// The timeline does not move, so from then on its times differ from the wall clock's.
package struct WallClockWatch {
  /// The smallest step that is reported.
  ///
  /// A time server slews differences below 128 ms and steps larger ones; half a second matters to a user who compares
  /// times with another machine's.
  static let leastStep = TimeSpan.milliseconds(500)
  /// How often the clocks are compared.
  static let interval = TimeSpan.seconds(1)
  /// The longest time that reading both clocks may take: if the thread was interrupted in between, the difference would
  /// look like a step.
  private static let atOnce = TimeSpan.milliseconds(10)

  /// How far the wall clock was ahead of the timeline at the last comparison.
  private var ahead = TimeSpan.zero
  private var dueAt: Timestamp?

  /// Creates a watch without a comparison.
  package init() {}

  /// Whether it is time to compare the clocks.
  package func isDue(at time: Timestamp) -> Bool { dueAt.map { $0 <= time } ?? true }

  /// Compares the clocks.
  ///
  /// - Parameters:
  ///   - wall: The wall clock, read between the two.
  ///   - before: The time on the timeline before that.
  ///   - after: The time on the timeline after that.
  /// - Returns: How far the wall clock was set forward since the last comparison, below zero if it was set back; `nil`
  ///   if it was not set.
  package mutating func compare(wall: Timestamp, before: Timestamp, after: Timestamp) -> TimeSpan? {
    dueAt = after + Self.interval
    guard after - before <= Self.atOnce else { return nil }
    let step = wall - after - ahead
    // The offset follows slewing, so that many small differences never add up to a step.
    ahead = ahead + step
    return step >= Self.leastStep || step <= .zero - Self.leastStep ? step : nil
  }
}
