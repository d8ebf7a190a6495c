// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
// Its headers bring `timespec` along, and then it counts as theirs.
internal import CBluetooth
internal import Glibc

/// The clock on the wall, which people and time servers set.
package struct WallClock: Sendable {
  /// What it shows.
  package let now: @Sendable () -> Timestamp

  /// Creates a clock, for tests.
  package init(now: @escaping @Sendable () -> Timestamp) {
    self.now = now
  }

  /// The machine's.
  package static let system = WallClock {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000)
  }
}
