// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
package import BeaconCore
internal import Glibc

/// The time that a paced replay waits by.
package protocol PlaybackClock {
  /// Time since some start, never going back.
  var elapsed: TimeSpan { get }
  /// Waits.
  func sleep(for span: TimeSpan)
}

/// The machine's monotonic clock, for paced replays.
package struct SystemPlaybackClock: PlaybackClock {
  private let start = ContinuousClock.now

  package init() {}

  package var elapsed: TimeSpan { TimeSpan(ContinuousClock.now - start) }

  package func sleep(for span: TimeSpan) {
    // In slices, so that a signal that asks to stop takes effect within one.
    var left = span.microseconds
    while left > 0, Interruption.exitCode == nil {
      let slice = min(left, 100_000)
      usleep(UInt32(slice))
      left -= slice
    }
  }
}
