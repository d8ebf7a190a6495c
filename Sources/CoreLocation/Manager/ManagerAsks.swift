// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// What a manager has been asked for.
struct ManagerAsks {
  var constraints: [IdentityConstraint: CLBeaconIdentityConstraint] = [:]
  var rangedRegions: [String: CLBeaconRegion] = [:]
  /// How many answers are to come to questions for a region's state.
  var stateRequests: [RegionIdentifier: Int] = [:]
  /// Who waits for an answer about full accuracy, by purpose.
  var completions: [String: [@Sendable ((any Error)?) -> Void]] = [:]
  var allowsBackgroundUpdates = false
  var isUpdating = false
  // What Apple's programs set and nothing here looks at.
  var pausesUpdates = true
  var showsIndicator = false

  /// What is ranged, in either spelling.
  var ranged: Set<IdentityConstraint> {
    Set(constraints.keys).union(rangedRegions.values.map(\.beaconIdentityConstraint.constraint))
  }

  var keepsBackgroundSession: Bool { allowsBackgroundUpdates && isUpdating }
}
