// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
// Imported for `timespec`, which its headers include.
internal import CBluetooth
internal import Glibc

/// The machine's wall clock, which users and time servers set.
package struct WallClock: Sendable {
  /// Returns the current time.
  package let now: @Sendable () -> Timestamp

  /// Creates a clock, for example for a test.
  package init(now: @escaping @Sendable () -> Timestamp) {
    self.now = now
  }

  /// The machine's clock.
  package static let system = WallClock {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000)
  }

  /// Returns how far local time is ahead of UTC at a time; zero if it cannot be determined.
  package static func utcOffset(at time: Timestamp) -> TimeSpan {
    var seconds = time_t(time.microseconds / 1_000_000)
    var local = unsafe tm()
    // The machine's time zone may have changed since the last call.
    tzset()
    guard unsafe localtime_r(&seconds, &local) != nil else { return .zero }
    return .seconds(Int64(unsafe local.tm_gmtoff))
  }
}
