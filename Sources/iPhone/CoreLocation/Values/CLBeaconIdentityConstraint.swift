// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The identities of the beacons to range, or of the beacons that mark a region.
open class CLBeaconIdentityConstraint: CLBeaconIdentityCondition, @unchecked Sendable {
  // It adds nothing to the superclass's stored properties.
}
