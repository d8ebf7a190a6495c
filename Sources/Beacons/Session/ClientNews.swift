// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A second of ranging one constraint.
public struct RangingTick: Sendable, Equatable {
  /// The whole second it tells of.
  public let time: Timestamp
  /// The beacons heard, or silent for no longer than they linger: nearest first, unknown last.
  public let beacons: [RangedBeacon]
}

/// Something that became of a region.
public struct RegionEvent: Sendable, Equatable {
  /// What became of it.
  public enum Change: Sendable, Equatable {
    /// It was entered: it was known to be outside and is inside.
    indirect case entered(RegionStateReason, Explanation)
    /// It was left: it was known to be inside and is outside.
    indirect case exited(RegionStateReason, Explanation)
    /// Its state is this: determined first, changed, or asked for.
    case state(RegionState, RegionStateOrigin, RegionStateReason)
  }

  /// When.
  public let time: Timestamp
  /// The region.
  public let region: RegionIdentifier
  /// What became of it.
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

  /// Whether the region was entered or left, as against told of.
  public var isCrossing: Bool {
    switch change {
    case .entered, .exited: true
    case .state: false
    }
  }
}

/// What a client may do since a moment.
public struct AuthorizationChange: Sendable, Hashable {
  /// When.
  public let time: Timestamp
  /// The status that the client reads.
  public let status: AuthorizationStatus
  /// The accuracy that the client reads.
  public let accuracy: AccuracyAuthorization
}

/// What became of a client's prompt.
public enum PromptChange: Sendable, Hashable {
  /// It shows.
  case shown(Prompt, at: Timestamp)
  /// It shows no more, and nobody answers it.
  case withdrawn(at: Timestamp)
}

/// A condition worth telling a client: the engine's, or the session's own.
public enum ClientDiagnostic: Sendable, Equatable {
  /// What the engine found.
  case engine(Diagnostic, at: Timestamp)
  /// What was asked for cannot be had.
  case failure(LocationErrorCode, FailedSubject, at: Timestamp)
  /// A prompt shows and there is nobody to answer it; it stays open.
  indirect case promptUnanswered(Prompt)
  /// A live source went on before messages were taken; how many were dropped so far, oldest first.
  case deliveriesDropped(total: Int)
  /// A damaged state file was set aside under a new name, and the monitor began afresh.
  case stateSetAside(path: String, reason: String)
  /// A newer version of the program wrote the file; this one neither reads nor replaces it.
  case stateOfNewerVersion(path: String, version: Int)
  /// A switch of location services is there and cannot be read; it counts as off.
  case switchUnreadable(path: String, reason: String)
  /// Files of an older version disagreed on what a user granted; the less that one of them allows holds.
  case grantsNarrowed(client: String)
  /// State cannot be read or written; the monitor goes on without.
  case persistenceUnavailable(reason: String)

  /// Whether this makes an earlier one needless: of counts only the last matters.
  func supersedes(_ earlier: ClientDiagnostic) -> Bool {
    if case .deliveriesDropped = self, case .deliveriesDropped = earlier { return true }
    return false
  }
}
