// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus

/// The live timeline: the wall clock at the start plus what has elapsed since, sleep included.
///
/// A step of the wall clock does not move it.
struct Timeline: Sendable {
  private var wallStart: Timestamp
  private var start: Uptime

  /// Starts the timeline now.
  init() {
    // A thread that is held up between the clocks would put the whole timeline beside the wall clock.
    var begun = Uptime.now
    wallStart = Self.wall
    start = .now
    for _ in 0..<Self.tries where TimeSpan(start - begun) > Self.atOnce {
      begun = .now
      wallStart = Self.wall
      start = .now
    }
  }

  /// The wall clock.
  static var wall: Timestamp {
    WallClock.system.now()
  }

  /// Where the timeline stands.
  var now: Timestamp { wallStart + TimeSpan(.now - start) }

  /// The longest that reading two clocks may take for the two to count as read at once.
  private static let atOnce = TimeSpan.milliseconds(1)

  /// How often to try to read both at once; a thread is hardly ever held up twice running.
  private static let tries = 3

  /// Returns what the wall clock shows where the timeline stands; `nil` when the thread was held up while looking.
  func look() -> (wall: Timestamp, now: Timestamp)? {
    for _ in 0..<Self.tries {
      let before = now
      let wall = Self.wall
      let after = now
      if after - before <= Self.atOnce { return (wall, after) }
    }
    return nil
  }

  /// When the timeline will have reached a time.
  func uptime(of time: Timestamp) -> Uptime {
    start + (time - wallStart).duration
  }
}
