// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit
package import BeaconCore

/// The live timeline: the wall clock's time at the start plus the time elapsed since, including sleep.
///
/// A step of the wall clock does not move it.
package struct SourceTimeline: Sendable {
  /// The times of both clocks, read at the same time.
  package typealias Reading = (wall: Timestamp, now: Timestamp)

  /// The longest time between reading the two clocks that still counts as the same time.
  private static let longestReading = TimeSpan.milliseconds(1)
  /// How often to try to read both at the same time; a thread is hardly ever interrupted twice in a row.
  private static let tries = 3

  private let wallClock: WallClock
  private let uptime: @Sendable () -> Uptime
  private var wallStart: Timestamp
  private var start: Uptime

  /// Starts the timeline now.
  ///
  /// - Parameters:
  ///   - wallClock: The wall clock.
  ///   - uptime: The clock that the elapsed time is read from.
  package init(
    wallClock: WallClock = .system,
    uptime: @escaping @Sendable () -> Uptime = { .now }
  ) {
    self.wallClock = wallClock
    self.uptime = uptime
    // If the thread is interrupted between reading the clocks, the whole timeline would be offset from the wall clock.
    var begun = uptime()
    wallStart = wallClock.now()
    start = uptime()
    for _ in 0..<Self.tries where TimeSpan(start - begun) > Self.longestReading {
      begun = uptime()
      wallStart = wallClock.now()
      start = uptime()
    }
  }

  /// The current time on the timeline.
  package var now: Timestamp { wallStart + TimeSpan(uptime() - start) }

  /// Returns the times of the wall clock and of the timeline; `nil` if the thread was interrupted between reading the
  /// two.
  package func readBoth() -> Reading? {
    for _ in 0..<Self.tries {
      let before = now
      let wall = wallClock.now()
      let after = now
      if after - before <= Self.longestReading { return (wall, after) }
    }
    return nil
  }

  /// Returns the uptime at which the timeline reaches a time.
  package func uptime(of time: Timestamp) -> Uptime {
    start + (time - wallStart).duration
  }
}
