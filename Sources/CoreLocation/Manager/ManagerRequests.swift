// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// The open requests of a manager.
struct ManagerRequests {
  var constraints: [IdentityConstraint: CLBeaconIdentityConstraint] = [:]
  var rangedRegions: [String: CLBeaconRegion] = [:]
  /// The regions whose state was requested and that have no answer yet.
  var stateRequests: [RegionIdentifier: [CLRegion]] = [:]
  /// The completions that wait for an answer about full accuracy, by purpose key.
  var completions: [String: [@Sendable ((any Error)?) -> Void]] = [:]
  var allowsBackgroundUpdates = false
  var isUpdating = false
  // Properties that programs for Apple's systems set and that have no effect here.
  var pausesUpdates = true
  var showsIndicator = false

  /// The ranged constraints, requested as constraints or as regions.
  var ranged: Set<IdentityConstraint> {
    Set(constraints.keys).union(rangedRegions.values.map(\.beaconIdentityConstraint.constraint))
  }

  var keepsBackgroundSession: Bool { allowsBackgroundUpdates && isUpdating }
}
