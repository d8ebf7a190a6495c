// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconBlueZ
import BeaconCore
import DBus
import Synchronization

/// Clocks that a test sets.
final class ManualClock: Sendable {
  private let state = Mutex(
    (
      uptime: Uptime(nanoseconds: 5_000_000_000),
      wall: Timestamp(microseconds: 1_800_000_000_000_000)
    )
  )

  var uptime: Uptime { state.withLock(\.uptime) }
  var wallClock: WallClock { WallClock { [self] in state.withLock(\.wall) } }

  var timeline: SourceTimeline {
    SourceTimeline(wallClock: wallClock, uptime: { [self] in state.withLock(\.uptime) })
  }

  /// Makes a source use these clocks.
  func drive(_ options: inout BlueZScanOptions) {
    options.uptime = { [self] in uptime }
    options.wallClock = wallClock
  }

  /// Lets time pass for both clocks, and sets the wall clock forward.
  func pass(_ time: TimeSpan, setting step: TimeSpan = .zero) {
    state.withLock {
      $0.uptime = $0.uptime + time.duration
      $0.wall = $0.wall + time + step
    }
  }
}
