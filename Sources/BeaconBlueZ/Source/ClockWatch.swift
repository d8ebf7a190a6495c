// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Notices that the wall clock was set; the timeline does not move, so its times differ from the wall clock's from then
/// on.
package struct ClockWatch {
  /// The smallest step that is reported.
  ///
  /// A time server slews differences below 128 ms and steps larger ones; half a second matters to a user who compares
  /// times with another machine's.
  static let leastStep = TimeSpan.milliseconds(500)
  /// How often the clocks are compared.
  static let interval = TimeSpan.seconds(1)
  /// The longest that reading both clocks may take: a thread that was held up meanwhile would see a step.
  private static let atOnce = TimeSpan.milliseconds(10)

  /// How far the wall clock was ahead of the timeline, when they were last compared.
  private var ahead = TimeSpan.zero
  private var dueAt: Timestamp?

  /// Creates a watch that has compared nothing yet.
  package init() {}

  /// Whether it is time to compare the clocks.
  package func isDue(at time: Timestamp) -> Bool { dueAt.map { $0 <= time } ?? true }

  /// Compares the clocks.
  ///
  /// - Parameters:
  ///   - wall: The wall clock, read between the two.
  ///   - before: Where the timeline stood in front of that.
  ///   - after: Where the timeline stood behind that.
  /// - Returns: How far the wall clock was set forward since the last comparison, below zero for back; `nil` where it
  ///   went on.
  package mutating func compare(wall: Timestamp, before: Timestamp, after: Timestamp) -> TimeSpan? {
    dueAt = after + Self.interval
    guard after - before <= Self.atOnce else { return nil }
    let step = wall - after - ahead
    // Slewing is followed, so that many small differences never make a step.
    ahead = ahead + step
    return step >= Self.leastStep || step <= .zero - Self.leastStep ? step : nil
  }
}
