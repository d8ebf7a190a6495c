// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// How long a gateway waits before it connects again: at random up to a limit that doubles.
///
/// Of many gateways that lose one broker each comes back at another time. A connection that was made and lost at once
/// counts as a failure too, or a broker that throws everybody out would be asked without a pause.
package struct BackOff: Sendable, Equatable {
  /// The first limit.
  package static let shortest = TimeSpan.seconds(1)
  /// The highest limit.
  package static let longest = TimeSpan.seconds(120)
  /// A connection that lasts so long ends the doubling.
  package static let stable = TimeSpan.seconds(60)

  /// How often connecting failed in a row.
  package private(set) var failures = 0

  package init() {}

  /// The longest wait behind the next failure.
  package var limit: TimeSpan {
    let doubled = Self.shortest.microseconds << Int64(min(failures, 20))
    return min(TimeSpan(microseconds: doubled), Self.longest)
  }

  /// Counts a failure.
  ///
  /// - Parameters:
  ///   - lasted: How long the connection lasted; `nil` where there was none.
  ///   - random: A random number.
  /// - Returns: How long to wait.
  package mutating func failed(after lasted: TimeSpan?, random: UInt64) -> TimeSpan {
    if let lasted, lasted >= Self.stable { failures = 0 }
    let limit = limit.microseconds
    failures += 1
    return TimeSpan(microseconds: Int64(random % UInt64(limit + 1)))
  }
}
