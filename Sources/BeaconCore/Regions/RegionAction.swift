// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a region's machine says has happened; the caller passes it to the gate.
public enum RegionAction: Sendable, Equatable {
  /// The boundary was crossed inwards: deliver `region.enter`. The state change follows.
  case entered(RegionStateReason, Explanation, at: Timestamp)
  /// The boundary was crossed outwards: deliver `region.exit`. The state change follows.
  case exited(RegionStateReason, Explanation, at: Timestamp)
  /// The state is this: deliver `region.state`.
  case determined(RegionState, RegionStateOrigin, RegionStateReason, at: Timestamp)

  /// The time the action is told as of.
  public var time: Timestamp {
    switch self {
    case .entered(_, _, let time), .exited(_, _, let time), .determined(_, _, _, let time): time
    }
  }
}

/// What is known of a region's state when monitoring begins.
public enum RegionBeginning: Sendable, Equatable {
  /// Nothing: the state is determined first, which crosses no boundary.
  case fresh
  /// The caller's word, from which the first determination can be a crossing.
  case assumed(RegionState)
  /// What an earlier run saved.
  case restored(SavedRegion)
}
