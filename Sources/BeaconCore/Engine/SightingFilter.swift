// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The sightings that the operator wants to receive.
struct SightingFilter: Sendable {
  private var index = ConstraintIndex<Int32>()
  private let wantsAll: Bool

  init(_ constraints: [IdentityConstraint]) {
    wantsAll = constraints.isEmpty
    for (number, constraint) in constraints.enumerated() {
      index.insert(Int32(truncatingIfNeeded: number), for: constraint)
    }
  }

  /// Returns whether the operator wants a beacon's sightings.
  func wants(_ identity: BeaconIdentity) -> Bool {
    wantsAll || index.matchesAny(identity)
  }
}
