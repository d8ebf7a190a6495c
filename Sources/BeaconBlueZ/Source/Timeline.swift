// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import DBus

/// The live timeline: the wall clock at the start plus the time elapsed since, sleep included.
///
/// A step of the wall clock does not move it.
package struct Timeline: Sendable {
  /// What both clocks show at one time.
  package typealias Reading = (wall: Timestamp, now: Timestamp)

  /// The longest that reading two clocks may take for both to count as read at one time.
  private static let longestReading = TimeSpan.milliseconds(1)
  /// How often to try to read both at one time; a thread is hardly ever held up twice running.
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
    // A thread that is held up between the clocks would put the whole timeline beside the wall clock.
    var begun = uptime()
    wallStart = wallClock.now()
    start = uptime()
    for _ in 0..<Self.tries where TimeSpan(start - begun) > Self.longestReading {
      begun = uptime()
      wallStart = wallClock.now()
      start = uptime()
    }
  }

  /// Where the timeline stands.
  package var now: Timestamp { wallStart + TimeSpan(uptime() - start) }

  /// Returns what the wall clock shows where the timeline stands; `nil` when the thread was held up between the two.
  package func readBoth() -> Reading? {
    for _ in 0..<Self.tries {
      let before = now
      let wall = wallClock.now()
      let after = now
      if after - before <= Self.longestReading { return (wall, after) }
    }
    return nil
  }

  /// When the timeline will have reached a time.
  package func uptime(of time: Timestamp) -> Uptime {
    start + (time - wallStart).duration
  }
}
