// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// A held event must be true when it is delivered (law L3): its region is still monitored and the same, its state still
// holds, and the client has learned nothing newer about the region.

extension Engine {
  /// Holds the events of a crossing until the user decides.
  mutating func hold(
    _ events: [Event],
    for client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let id = clients[client].nextHeldID
    clients[client].nextHeldID += 1
    // The authorization drops the event that this one replaces by its ID, so it must receive the new one first.
    step(client, at: time, into: &out) { $0.held(HeldEvent(id: id, time: time), at: time) }
    if clients[client].authorization?.held?.id == id {
      clients[client].held = Client.Held(id: id, time: time, events: events)
    }
  }

  /// Delivers a held event that the user has just released, unless the region's state has changed.
  mutating func deliverHeld(
    _ id: UInt64,
    of client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard let held = clients[client].held, held.id == id else { return }
    clients[client].held = nil
    guard clients[client].state(of: held.region) == held.state else { return }
    if case .delivered = gate.deliver(
      crossing: held.events,
      to: clients[client],
      at: time,
      into: &out
    ) {
      clients[client].learned(held.state, of: held.region, at: held.time, isCrossing: true)
      noteDelivery(isCrossing: true, to: client, at: time, into: &out)
    }
  }

  /// Restores the held event of an earlier run; one of a region that is not monitored any more is forgotten.
  mutating func restoreHeld(_ events: [Event]?, regions: [SavedRegion], of client: Int) {
    guard let event = clients[client].authorization?.held else { return }
    let id = event.id
    clients[client].nextHeldID = id &+ 1
    if let held = Client.Held(id: id, time: event.time, events: events ?? []),
      regions.contains(where: { $0.region.identifier == held.region })
    {
      clients[client].held = held
    } else {
      clients[client].authorization?.heldEventForgotten(id: id)
    }
  }

  /// Forgets a client's held event if it is one of a region: the region is gone, or the client has learned something
  /// newer about it.
  mutating func forgetHeld(of region: RegionIdentifier, for client: Int) {
    guard let held = clients[client].held, held.region == region else { return }
    clients[client].held = nil
    clients[client].authorization?.heldEventForgotten(id: held.id)
    grantsVersion &+= 1
    refreshAuthorizationDeadline(of: client)
  }
}

extension Client {
  /// Events held back until a provisional grant is decided (rows A15 to A21): a crossing and the state that follows.
  struct Held: Sendable {
    let id: UInt64
    let time: Timestamp
    let events: [Event]
    let region: RegionIdentifier
    /// The region's state after the events.
    let state: RegionState

    /// Creates held events; `nil` unless they all concern one region and end with its state.
    init?(id: UInt64, time: Timestamp, events: [Event]) {
      guard case .regionState(let region, let state, _, _)? = events.last, state != .unknown,
        events.allSatisfy({ $0.region == region })
      else { return nil }
      self.id = id
      self.time = time
      self.events = events
      self.region = region
      self.state = state
    }
  }
}

extension Event {
  /// The region that the event concerns.
  fileprivate var region: RegionIdentifier? {
    switch self {
    case .regionEntered(let region, _, _), .regionExited(let region, _, _),
      .regionState(let region, _, _, _):
      region
    default: nil
    }
  }
}
