// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One event on its way to the one who may know it.
///
/// Only the engine's gate can make one: nothing reaches a client by another way.
public struct Delivery: Sendable, Equatable {
  /// Who is told.
  public let recipient: Recipient
  /// When it is told: the input that caused it, or when the deadline fell due.
  public let time: Timestamp
  /// What is told.
  public let event: Event

  fileprivate init(recipient: Recipient, time: Timestamp, event: Event) {
    self.recipient = recipient
    self.time = time
    self.event = event
  }
}

/// Decides which client may know an event.
///
/// Authorization × accuracy × in use, as ``DeliveryRules`` has them from the client's grants, is asked here for every
/// event derived from what was heard; what is derived from nothing heard passes: a client's own grants and
/// registrations, the answer `unknown`, the radio's health.
struct Gate: Sendable {
  /// What became of an event.
  enum Verdict {
    /// It was told.
    case told
    /// It is to be kept in the client's one slot.
    case hold
    /// It happened, and the client is not told.
    case withheld
  }

  /// Whether a client was told something since this was last cleared.
  private(set) var hasDelivered = false

  /// Forgets that a client was told something.
  mutating func clear() { hasDelivered = false }

  /// Tells a client an event that is derived from nothing heard.
  mutating func tell(
    open event: Event,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    out.append(Delivery(recipient: .client(client.id), time: time, event: event))
    hasDelivered = true
  }

  /// Tells a client a tick, if ticks may reach it.
  mutating func tell(
    tick entries: [ConstraintRanging],
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) -> Verdict {
    if let rules = client.rules(at: time), rules.ranging != .deliver { return .withheld }
    tell(open: .ranged(entries), to: client, at: time, into: &out)
    return .told
  }

  /// Tells a client what became of a region, if crossings may reach it; held and dropped events are told whole or not.
  mutating func tell(
    crossing events: [Event],
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) -> Verdict {
    if let rules = client.rules(at: time) {
      switch rules.crossing {
      case .deliver: break
      case .hold: return .hold
      case .drop, .fail, .silent: return .withheld
      }
    }
    for event in events { tell(open: event, to: client, at: time, into: &out) }
    return .told
  }

  /// Tells a client the state of a region that it asked for; what it may not know is unknown.
  mutating func tell(
    stateAnswer answer: RegionAction,
    of region: RegionIdentifier,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard case .determined(let state, let origin, let reason, _) = answer else { return }
    var event = Event.regionState(region, state, origin, reason)
    if case .unknown(let withholding) = client.rules(at: time)?.stateRequest,
      let reason = RegionStateReason(rawValue: withholding.rawValue)
    {
      event = .regionState(region, .unknown, .observed, reason)
    }
    tell(open: event, to: client, at: time, into: &out)
  }

  /// Shows a notification of a region, if the client's grants allow one.
  mutating func show(
    notification region: RegionIdentifier,
    of client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) -> Bool {
    if let rules = client.rules(at: time), rules.notification != .deliver { return false }
    tell(open: .notification(region), to: client, at: time, into: &out)
    return true
  }

  /// Tells the operator a sighting.
  func tell(_ sighting: Sighting, into out: inout [Delivery]) {
    out.append(
      Delivery(recipient: .theOperator, time: sighting.time, event: .sighting(sighting))
    )
  }
}
