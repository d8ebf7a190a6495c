// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// One tick of ranging: the beacons of one constraint at a whole second.
public struct RangingTick: Sendable, Equatable {
  /// The whole second of the tick.
  public let time: Timestamp
  /// The beacons that are ranged.
  public let constraint: IdentityConstraint
  /// The beacons that were received, or that are silent but still reported: nearest first, unknown distance last.
  public let beacons: [RangedBeacon]
}

/// An event of a region: a crossing or a state.
public struct RegionEvent: Sendable, Hashable {
  /// What happened to the region.
  public enum Change: Sendable, Hashable {
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

extension RegionEvent: CustomStringConvertible {
  /// The time, and the event in words.
  public var description: String {
    "\(time) \(EventSentence.text(of: EventLine(self, client: nil).event))"
  }
}

extension RangingTick: CustomStringConvertible {
  /// The time, and each beacon with its proximity and distance.
  public var description: String {
    let beacons = beacons.map(\.description).joined(separator: ", ")
    return "\(time) \(beacons.isEmpty ? "no beacon" : beacons)"
  }
}

extension AuthorizationChange: CustomStringConvertible {
  /// The time, and the change in words.
  public var description: String {
    "\(time) \(EventSentence.text(of: .authorization(status, accuracy)))"
  }
}

extension PromptChange: CustomStringConvertible {
  /// The time, and the prompt in words.
  public var description: String {
    switch self {
    case .shown(let prompt, let time): "\(time) \(EventSentence.text(of: .prompt(prompt)))"
    case .withdrawn(let time): "\(time) \(EventSentence.text(of: .promptWithdrawn))"
    }
  }
}

extension RegionVisit: CustomStringConvertible {
  /// The region, the arrival and the duration.
  public var description: String {
    let stay = duration.map { "for \($0)" } ?? "and is still there"
    return "\(region) \(beganBefore ? "since before" : "since") \(arrival) \(stay)"
  }
}

extension RangedBeacon: CustomStringConvertible {
  /// The identity, the proximity, and the distance if it is known.
  public var description: String {
    let distance = distance.map { " \(DecimalText.hundredths($0.meters)) m" } ?? ""
    return "\(identity) \(proximity.name)\(distance)"
  }
}

extension EventLine {
  /// Creates the line of a tick, for a client of the given name.
  public init(_ tick: RangingTick, client: String?) {
    let entry = ConstraintRanging(constraint: tick.constraint, beacons: tick.beacons)
    self.init(.ranged([entry]), at: tick.time, client: client)
  }

  /// Creates the line of an event of a region, for a client of the given name.
  public init(_ event: RegionEvent, client: String?) {
    let line: Event =
      switch event.change {
      case .entered(let reason, let why): .regionEntered(event.region, reason, why)
      case .exited(let reason, let why): .regionExited(event.region, reason, why)
      case .state(let state, let origin, let reason):
        .regionState(event.region, state, origin, reason)
      }
    self.init(line, at: event.time, client: client)
  }
}

/// A notification of a region that is shown, or that the user taps.
public enum NotificationChange: Sendable, Hashable {
  /// It is shown.
  case shown(RegionIdentifier, at: Timestamp)
  /// The user tapped it: the program is in use.
  case tapped(RegionIdentifier, at: Timestamp)
}
