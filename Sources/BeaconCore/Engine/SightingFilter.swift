// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which sightings the operator wants to be told.
struct SightingFilter: Sendable {
  private var index = ConstraintIndex<Int32>()
  private let wantsAll: Bool

  init(_ constraints: [IdentityConstraint]) {
    wantsAll = constraints.isEmpty
    for (number, constraint) in constraints.enumerated() {
      index.insert(Int32(truncatingIfNeeded: number), for: constraint)
    }
  }

  /// Whether a beacon's sightings are wanted.
  func wants(_ identity: BeaconIdentity) -> Bool {
    wantsAll || index.matchesAny(identity)
  }
}
