// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import SystemKit

/// The machine's wall clock, which users and time servers set.
package struct WallClock: Sendable {
  /// Returns the current time.
  package let now: @Sendable () -> Timestamp

  /// Creates a clock, for example for a test.
  package init(now: @escaping @Sendable () -> Timestamp) {
    self.now = now
  }

  /// The machine's clock.
  package static let system = WallClock { Timestamp(microseconds: WallTime.microseconds) }

  /// Returns how far local time is ahead of UTC at a time; zero if it is not known.
  package static func utcOffset(at time: Timestamp) -> TimeSpan {
    .seconds(WallTime.utcOffset(at: time.microseconds / 1_000_000))
  }
}
