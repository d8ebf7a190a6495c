// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which beacons are to be ranged or mark a region.
open class CLBeaconIdentityConstraint: CLBeaconIdentityCondition, @unchecked Sendable {
  // Nothing is added to what the superclass stores.
}
