// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// Whether a monitor's condition holds.
public enum ConditionState: String, Sendable, CaseIterable {
  /// Not known yet, or no longer: the radio was lost, or the session ends.
  case unknown
  /// A beacon of the condition is received.
  case satisfied
  /// No beacon of the condition is received.
  case unsatisfied
  /// The client may not know: its authorization or accuracy does not allow it.
  case unmonitored
}

/// An event of a monitor's condition.
public struct MonitorEvent: Sendable, Equatable {
  /// The condition.
  public var identifier: RegionIdentifier
  /// The time of the event.
  public var time: Timestamp
  /// The state of the condition.
  public var state: ConditionState
  /// The origin of the state.
  public var origin: RegionStateOrigin
  /// The reason for the event.
  public var reason: RegionStateReason
  /// The full identity of the beacon that decided the state, even if the condition names only a part; `nil` if none
  /// did.
  public var refinement: BeaconIdentity?
  /// The explanation of a crossing: enough to recompute the decision from the capture.
  public var why: Explanation?

  /// Creates an event from the values in a state file.
  public init(
    identifier: RegionIdentifier,
    time: Timestamp,
    state: ConditionState,
    origin: RegionStateOrigin,
    reason: RegionStateReason,
    refinement: BeaconIdentity? = nil,
    why: Explanation? = nil
  ) {
    self.identifier = identifier
    self.time = time
    self.state = state
    self.origin = origin
    self.reason = reason
    self.refinement = refinement
    self.why = why
  }
}

extension MonitorEvent: CustomStringConvertible {
  /// The time, the condition, its state and the reason.
  public var description: String {
    "\(time) \(identifier) is \(state.rawValue): \(EventSentence.text(of: reason))"
  }
}

/// A monitor's condition with its last handled event.
public struct MonitorRecord: Sendable, Equatable {
  /// The condition.
  public let region: Region
  /// The last handled event.
  ///
  /// While a later event is being handled, this is still the one before it.
  public let lastEvent: MonitorEvent?
}

extension ConditionState {
  init(_ state: RegionState, _ reason: RegionStateReason) {
    switch (state, reason) {
    case (.inside, _): self = .satisfied
    case (.outside, _): self = .unsatisfied
    case (.unknown, .notMonitored), (.unknown, .limitExceeded), (.unknown, .unsupported):
      self = .unmonitored
    case (.unknown, let reason) where reason.isWithholding: self = .unmonitored
    case (.unknown, _): self = .unknown
    }
  }
}
