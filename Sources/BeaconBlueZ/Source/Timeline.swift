// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus
internal import Glibc

/// The live timeline: the wall clock at the start plus what has elapsed since, sleep included.
///
/// A step of the wall clock does not move it.
struct Timeline: Sendable {
  private let wallStart: Timestamp
  private let start: Uptime

  /// Starts the timeline now.
  init() {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    wallStart = Timestamp(
      microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
    )
    start = .now
  }

  /// Where the timeline stands.
  var now: Timestamp { wallStart + TimeSpan(.now - start) }

  /// When the timeline will have reached a time.
  func uptime(of time: Timestamp) -> Uptime {
    start + (time - wallStart).duration
  }
}
