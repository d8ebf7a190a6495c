// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One tick of ranging: the beacons of one constraint at a whole second.
public struct RangingTick: Sendable, Equatable {
  /// The whole second of the tick.
  public let time: Timestamp
  /// The beacons that were received, or that are silent but still reported: nearest first, unknown distance last.
  public let beacons: [RangedBeacon]
}

/// An event of a region: a crossing or a state.
public struct RegionEvent: Sendable, Equatable {
  /// What happened to the region.
  public enum Change: Sendable, Equatable {
    /// The region was entered: its state was outside and is now inside.
    indirect case entered(RegionStateReason, Explanation)
    /// The region was left: its state was inside and is now outside.
    indirect case exited(RegionStateReason, Explanation)
    /// The region's state: determined for the first time, changed, or requested.
    case state(RegionState, RegionStateOrigin, RegionStateReason)
  }

  /// The time of the event.
  public let time: Timestamp
  /// The region.
  public let region: RegionIdentifier
  /// What happened to the region.
  public let change: Change

  init?(_ delivery: Delivery) {
    time = delivery.time
    switch delivery.event {
    case .regionEntered(let region, let reason, let why):
      self.region = region
      change = .entered(reason, why)
    case .regionExited(let region, let reason, let why):
      self.region = region
      change = .exited(reason, why)
    case .regionState(let region, let state, let origin, let reason):
      self.region = region
      change = .state(state, origin, reason)
    default: return nil
    }
  }

  /// The region's state after the event: whether the program is inside now.
  public var stateAfter: RegionState {
    switch change {
    case .entered: .inside
    case .exited: .outside
    case .state(let state, _, _): state
    }
  }

  /// Whether the region was entered or left, and not only its state reported.
  public var isCrossing: Bool {
    switch change {
    case .entered, .exited: true
    case .state: false
    }
  }
}

/// A change of a client's authorization.
public struct AuthorizationChange: Sendable, Hashable {
  /// The time of the event.
  public let time: Timestamp
  /// The status that the client now reads.
  public let status: AuthorizationStatus
  /// The accuracy that the client now reads.
  public let accuracy: AccuracyAuthorization
}

/// A change of a client's prompt.
public enum PromptChange: Sendable, Hashable {
  /// The prompt is shown.
  case shown(Prompt, at: Timestamp)
  /// The prompt was withdrawn without an answer.
  case withdrawn(at: Timestamp)
}
