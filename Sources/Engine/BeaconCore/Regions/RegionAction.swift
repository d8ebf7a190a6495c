// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A result of a region's state machine, which the caller passes to the gate.
package enum RegionAction: Sendable, Equatable {
  /// The boundary was crossed inwards: deliver `region.enter`. The state change follows.
  case entered(RegionStateReason, Explanation, at: Timestamp)
  /// The boundary was crossed outwards: deliver `region.exit`. The state change follows.
  case exited(RegionStateReason, Explanation, at: Timestamp)
  /// The state is this: deliver `region.state`.
  case determined(RegionState, RegionStateOrigin, RegionStateReason, at: Timestamp)

  /// The time of the action.
  package var time: Timestamp {
    switch self {
    case .entered(_, _, let time), .exited(_, _, let time), .determined(_, _, _, let time): time
    }
  }
}

/// The knowledge of a region's state when monitoring starts.
package enum RegionBeginning: Sendable, Equatable {
  /// Nothing: the state is determined first, which crosses no boundary.
  case fresh
  /// The caller states it, so that the first determination can be a crossing.
  case assumed(RegionState)
  /// An earlier run saved it.
  case restored(SavedRegion)
}
