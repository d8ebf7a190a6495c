// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An event on its way to a recipient that may know it.
///
/// Only the engine's gate creates deliveries, so nothing reaches a client without passing the gate.
public struct Delivery: Sendable, Equatable {
  /// Who receives the event.
  public let recipient: Recipient
  /// The time of the input that caused the event, or the time at which the deadline was due.
  public let time: Timestamp
  /// The event.
  public let event: Event

  fileprivate init(recipient: Recipient, time: Timestamp, event: Event) {
    self.recipient = recipient
    self.time = time
    self.event = event
  }

  /// Creates a delivery of the service, whose gate has let the event through.
  ///
  /// Only what that gate has let through may be passed on with it, never another event of an engine.
  package init(ofService event: Event, to recipient: Recipient, at time: Timestamp) {
    self.init(recipient: recipient, time: time, event: event)
  }
}

/// Decides which client may know an event.
///
/// For every event derived from received reports, the gate asks the ``DeliveryRules``, which follow from the client's
/// authorization, its accuracy and whether it is in use. Events that reveal nothing about received reports always pass:
/// a client's own grants and registrations, the answer `unknown`, the radio's health.
struct Gate: Sendable {
  /// The gate's decision about an event.
  enum Verdict {
    /// It was delivered.
    case delivered
    /// It is to be kept in the client's single slot for a held event.
    case hold
    /// It happened, but is not delivered to the client.
    case withheld
  }

  /// Whether something was delivered to a client since the last call of ``clear()``.
  private(set) var hasDelivered = false
  /// The last time with which each client got something, by its number; `nil` if all times are exact.
  private var told: [Timestamp]?

  /// From now on, events that reveal nothing about received reports reach a client that may not know of them with a whole second.
  ///
  /// A request acts at the time of the last input, so the exact time of its answer would be that of a report (law L3).
  mutating func roundTimes() { told = told ?? [] }

  /// Lets the engine stop as after a delivery.
  mutating func stop() { hasDelivered = true }

  /// Resets ``hasDelivered``.
  mutating func clear() { hasDelivered = false }

  /// Delivers an event that reveals nothing about received reports to a client.
  mutating func deliver(
    open event: Event,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let isRounded = told != nil && Self.rounds(event, to: client, at: time)
    deliver(event, to: client, at: isRounded ? time.wholeSecond : time, into: &out)
  }

  /// Whether an event reaches a client with a whole second: it may not know of reports, or not before this event.
  private static func rounds(_ event: Event, to client: borrowing Client, at time: Timestamp)
    -> Bool
  {
    guard let rules = client.rules(at: time) else { return false }
    if case .authorization = event { return true }
    return rules.ranging != .deliver || rules.crossing != .deliver
  }

  /// Delivers an event with a time that the client may know; no client gets an earlier one than it had.
  private mutating func deliver(
    _ event: Event,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    var time = time
    if told != nil {
      let number = Int(client.id.number)
      while told?.count ?? 0 <= number { told?.append(.earliest) }
      time = max(time, told?[number] ?? time)
      told?[number] = time
    }
    out.append(Delivery(recipient: .client(client.id), time: time, event: event))
    hasDelivered = true
  }

  /// Delivers a condition of the source to the operator.
  ///
  /// When it begins and ends follows from the reports, so no other client gets it, whatever it may know.
  mutating func deliver(
    ofSource diagnostic: Diagnostic,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard client.authorization == nil else { return }
    deliver(open: .diagnostic(diagnostic), to: client, at: time, into: &out)
  }

  /// Delivers to a client that no receiver listens: to one that crossings may not reach only the `stated` change, which follows
  /// from no report.
  mutating func deliver(
    _ change: ReceiverStates.Change?,
    stated: ReceiverStates.Change?,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let mayKnow = client.rules(at: time).map { $0.crossing == .deliver } ?? true
    guard case .lost(let reason)? = mayKnow ? change : stated else { return }
    deliver(open: .diagnostic(.radio(reason)), to: client, at: time, into: &out)
  }

  /// Delivers a tick to a client, if ticks may reach it.
  mutating func deliver(
    tick entries: [ConstraintRanging],
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) -> Verdict {
    if let rules = client.rules(at: time), rules.ranging != .deliver { return .withheld }
    deliver(.ranged(entries), to: client, at: time, into: &out)
    return .delivered
  }

  /// Delivers the events of a crossing to a client, if crossings may reach it; they are held or dropped together.
  mutating func deliver(
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
    for event in events { deliver(event, to: client, at: time, into: &out) }
    return .delivered
  }

  /// Delivers the state of a region to the client that requested it; a state that it may not know is given as unknown.
  mutating func deliver(
    stateAnswer answer: RegionAction,
    of region: RegionIdentifier,
    to client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard case .determined(let state, let origin, let reason, _) = answer else { return }
    if case .unknown(let withholding) = client.rules(at: time)?.stateRequest,
      let reason = RegionStateReason(rawValue: withholding.rawValue)
    {
      let hidden = Event.regionState(region, .unknown, .observed, reason)
      return deliver(open: hidden, to: client, at: time, into: &out)
    }
    deliver(.regionState(region, state, origin, reason), to: client, at: time, into: &out)
  }

  /// Shows a notification of a region, if the client's grants allow one.
  mutating func show(
    notification region: RegionIdentifier,
    of client: borrowing Client,
    at time: Timestamp,
    into out: inout [Delivery]
  ) -> Bool {
    if let rules = client.rules(at: time), rules.notification != .deliver { return false }
    deliver(.notification(region), to: client, at: time, into: &out)
    return true
  }

  /// Delivers the engine's notice of a beacon nearby to the operator.
  func deliver(_ diagnostic: Diagnostic, at time: Timestamp, into out: inout [Delivery]) {
    out.append(Delivery(recipient: .theOperator, time: time, event: .diagnostic(diagnostic)))
  }

  /// Delivers every beacon around to the operator.
  func deliver(nearby beacons: [RangedBeacon], at time: Timestamp, into out: inout [Delivery]) {
    out.append(Delivery(recipient: .theOperator, time: time, event: .nearby(beacons)))
  }

  /// Delivers a sighting to the operator.
  func deliver(_ sighting: Sighting, into out: inout [Delivery]) {
    out.append(
      Delivery(recipient: .theOperator, time: sighting.time, event: .sighting(sighting))
    )
  }
}
