// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import SystemKit

/// The clocks of a live source: the timeline, the wall clock to compare it with, and the watch for stalls of the
/// thread.
///
/// Every source that stamps messages with the time at which it reads them takes that time here: after it has read, and with
/// ``checkStall(at:)`` before it uses the bytes.
package struct SourceClocks {
  private let timeline: SourceTimeline
  private let wallClock: WallClock
  private let asleep: () -> TimeSpan
  private var clockWatch = WallClockWatch()
  private var stallWatch = StallWatch()

  /// Creates the clocks.
  ///
  /// - Parameters:
  ///   - timeline: The source's timeline.
  ///   - wallClock: The wall clock whose steps are reported.
  ///   - asleep: How long the machine has slept since it started.
  package init(
    timeline: SourceTimeline,
    wallClock: WallClock,
    asleep: @escaping () -> TimeSpan = { TimeSpan(Uptime.asleep) }
  ) {
    self.timeline = timeline
    self.wallClock = wallClock
    self.asleep = asleep
  }

  /// The current time on the timeline.
  package var now: Timestamp { timeline.now }

  /// When ``checkStall(at:)`` must be called next to show that the thread runs; `nil` before the first call.
  package var nextStallCheck: Timestamp? { stallWatch.nextCheck }

  /// Returns the times of the wall clock and of the timeline; `nil` if the thread was interrupted between reading the
  /// two.
  package func readBoth() -> SourceTimeline.Reading? { timeline.readBoth() }

  /// Returns the uptime at which the timeline reaches a time.
  package func uptime(of time: Timestamp) -> Uptime { timeline.uptime(of: time) }

  /// Notes that the thread runs.
  ///
  /// - Parameter now: The current time on the timeline; nothing may have been stamped with this time yet.
  /// - Returns: The stall that ends here, if the thread or the machine was stalled.
  package mutating func checkStall(at now: Timestamp) -> StallWatch.Finding? {
    stallWatch.check(at: now, asleep: asleep)
  }

  /// Compares the wall clock with the timeline, at most once a second.
  ///
  /// - Returns: How far the wall clock was set since the last comparison; `nil` if it was not set.
  package mutating func checkWallClock() -> TimeSpan? {
    let before = timeline.now
    guard clockWatch.isDue(at: before) else { return nil }
    let wall = wallClock.now()
    return clockWatch.compare(wall: wall, before: before, after: timeline.now)
  }
}
