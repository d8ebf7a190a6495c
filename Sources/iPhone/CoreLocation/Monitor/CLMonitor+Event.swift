// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension CLMonitor {
  /// An event of a condition.
  public struct Event: Sendable {
    /// The states of a condition.
    public enum State: UInt, Sendable {
      /// Not known yet, or no longer.
      case unknown = 0
      /// A beacon of the condition is received.
      case satisfied = 1
      /// No beacon of the condition is received.
      case unsatisfied = 2
      /// The program may not know.
      case unmonitored = 3
    }

    /// The condition's name.
    public let identifier: String
    /// The time of the event.
    public let date: Date
    /// The state of the condition.
    public let state: State
    /// The full identity of the beacon that decided the state; `nil` if none did.
    public let refinement: (any CLCondition)?
    /// Whether accuracy is reduced.
    public let accuracyLimited: Bool
    /// Whether the user has refused, or location services are off.
    public let authorizationDenied: Bool
    /// Whether location services are off for every program.
    public let authorizationDeniedGlobally: Bool
    /// Whether a restriction forbids it.
    public let authorizationRestricted: Bool
    /// Whether a prompt is shown.
    public let authorizationRequestInProgress: Bool
    /// Whether the program is not in use, so that it may not know.
    public let insufficientlyInUse: Bool
    /// Whether the condition is not watched because it concerns a place of the map.
    public let conditionUnsupported: Bool
    /// Whether the condition is not watched because the program has too many.
    public let conditionLimitExceeded: Bool
    /// Whether the manifest demands an explicit session that the program does not have.
    public let serviceSessionRequired: Bool

    /// Always false: what cannot be saved is reported on standard error.
    public var persistenceUnavailable: Bool { false }

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
      conditionUnsupported = reason == .unsupported
      conditionLimitExceeded = reason == .limitExceeded
      serviceSessionRequired = reason == .serviceSession
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

  /// A condition with its last handled event.
  public struct Record: Sendable {
    /// The condition.
    public let condition: any CLCondition
    /// The last handled event; otherwise one with an unknown state.
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

  /// The state as a region state.
  var region: RegionState {
    switch self {
    case .unknown, .unmonitored: .unknown
    case .satisfied: .inside
    case .unsatisfied: .outside
    }
  }
}
