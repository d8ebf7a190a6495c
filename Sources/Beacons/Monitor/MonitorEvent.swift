// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whether a monitor's condition holds.
public enum ConditionState: String, Sendable, CaseIterable {
  /// Nothing can be said yet, or any more: the radio was lost, or the session ends.
  case unknown
  /// A beacon of the condition is heard.
  case satisfied
  /// None is.
  case unsatisfied
  /// The client may not know: its authorization or its accuracy forbids it.
  case unmonitored
}

/// Something that became of a monitor's condition.
public struct MonitorEvent: Sendable, Equatable {
  /// The condition.
  public var identifier: RegionIdentifier
  /// When.
  public var time: Timestamp
  /// Whether it holds.
  public var state: ConditionState
  /// What the state rests on.
  public var origin: RegionStateOrigin
  /// Why it is told.
  public var reason: RegionStateReason
  /// The beacon that decided, in full, whatever the condition leaves open; `nil` where none did.
  public var refinement: BeaconIdentity?
  /// What it was decided by, where a boundary was crossed; enough to recompute it from the capture.
  public var why: Explanation?

  /// Creates an event, as a state file kept it.
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

/// A monitor's condition with the last of its events that was handled.
public struct MonitorRecord: Sendable, Equatable {
  /// The condition.
  public let region: Region
  /// The last event that was handled: while another is being handled, the one before it.
  public let lastEvent: MonitorEvent?
}

extension ConditionState {
  init(_ state: RegionState, _ reason: RegionStateReason) {
    switch (state, reason) {
    case (.inside, _): self = .satisfied
    case (.outside, _): self = .unsatisfied
    case (.unknown, .authorization), (.unknown, .accuracy): self = .unmonitored
    case (.unknown, _): self = .unknown
    }
  }
}
