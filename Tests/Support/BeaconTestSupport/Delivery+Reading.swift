// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Delivery {
  /// Seconds from the start of the test's timeline.
  public var seconds: Double { (time - TestScan.start).seconds }

  /// The entries of a tick; `nil` for any other event.
  public var ranged: [ConstraintRanging]? {
    guard case .ranged(let entries) = event else { return nil }
    return entries
  }
}
