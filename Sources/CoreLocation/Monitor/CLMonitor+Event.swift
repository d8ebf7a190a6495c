// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension CLMonitor {
  /// Something that became of a condition.
  public struct Event: Sendable {
    /// Whether a condition is met.
    public enum State: Int, Sendable {
      /// Nothing can be said yet, or any more.
      case unknown = 0
      /// A beacon of the condition is heard.
      case satisfied = 1
      /// None is.
      case unsatisfied = 2
      /// The program may not know.
      case unmonitored = 3
    }

    /// The condition's name.
    public let identifier: String
    /// When.
    public let date: Date
    /// Whether the condition is met.
    public let state: State
    /// The beacon that decided, in full; `nil` where none did.
    public let refinement: (any CLCondition)?
    /// Whether accuracy is reduced.
    public let accuracyLimited: Bool
    /// Whether the person has refused, or location services are off.
    public let authorizationDenied: Bool
    /// Whether location services are off for everybody.
    public let authorizationDeniedGlobally: Bool
    /// Whether policy forbids it.
    public let authorizationRestricted: Bool
    /// Whether a prompt is showing.
    public let authorizationRequestInProgress: Bool
    /// Whether the program is not enough in use to be told.
    public let insufficientlyInUse: Bool

    init(
      identifier: String,
      date: Date,
      state: State,
      refinement: (any CLCondition)? = nil,
      reason: RegionStateReason? = nil,
      snapshot: ClientSnapshot? = nil,
      servicesOn: Bool = true
    ) {
      self.identifier = identifier
      self.date = date
      self.state = state
      self.refinement = refinement
      accuracyLimited = reason == .accuracy
      let withheld = reason == .authorization ? snapshot?.status : nil
      authorizationDenied = withheld == .denied
      authorizationDeniedGlobally = withheld == .denied && !servicesOn
      authorizationRestricted = withheld == .restricted
      authorizationRequestInProgress = withheld != nil && snapshot?.prompt != nil
      insufficientlyInUse = reason == .notInUse
    }

    init(
      _ event: MonitorEvent,
      _ identifier: String,
      snapshot: ClientSnapshot? = nil,
      servicesOn: Bool = true
    ) {
      self.init(
        identifier: identifier,
        date: Date(event.time),
        state: State(event.state),
        refinement: event.refinement.map { BeaconIdentityCondition(.minor($0)) },
        reason: event.reason,
        snapshot: snapshot,
        servicesOn: servicesOn
      )
    }
  }

  /// A condition with the last of its events that was handled.
  public struct Record: Sendable {
    /// The condition.
    public let condition: any CLCondition
    /// The last event that was handled; one of an unknown state where there was none.
    public let lastEvent: Event
  }
}

extension CLMonitor.Event.State {
  init(_ state: ConditionState) {
    switch state {
    case .unknown: self = .unknown
    case .satisfied: self = .satisfied
    case .unsatisfied: self = .unsatisfied
    case .unmonitored: self = .unmonitored
    }
  }

  /// The state as a region has it.
  var region: RegionState {
    switch self {
    case .unknown, .unmonitored: .unknown
    case .satisfied: .inside
    case .unsatisfied: .outside
    }
  }
}
