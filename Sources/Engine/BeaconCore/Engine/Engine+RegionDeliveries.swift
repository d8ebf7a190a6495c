// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// A client's deliveries of its regions.
extension Engine {
  mutating func deliver(
    _ actions: [RegionAction],
    of reference: RegionReference,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard !actions.isEmpty, let region = machine(reference)?.region else { return }
    let client = Int(reference.client)
    guard reference.table == .monitored else {
      return show(actions, of: region, for: client, at: time, into: &out)
    }
    var crossing: [Event] = []
    var isCrossing = false
    var determined: (state: RegionState, reason: RegionStateReason)?
    for action in actions {
      switch action {
      case .entered(let reason, let why, _):
        isCrossing = true
        if region.notifyOnEntry {
          crossing.append(.regionEntered(region.identifier, reason, why))
        }
      case .exited(let reason, let why, _):
        isCrossing = true
        if region.notifyOnExit { crossing.append(.regionExited(region.identifier, reason, why)) }
      case .determined(let state, let origin, let reason, _):
        let event = Event.regionState(region.identifier, state, origin, reason)
        determined = (state, reason)
        if state == .unknown, reason.isWithholding {
          gate.deliver(open: event, to: clients[client], at: time, into: &out)
        } else {
          crossing.append(event)
        }
      }
    }
    if !crossing.isEmpty {
      switch gate.deliver(crossing: crossing, to: clients[client], at: time, into: &out) {
      case .delivered:
        if let state = determined?.state {
          clients[client].learned(crossing, state, of: region.identifier, at: time)
        }
        // A held event stays if its own state is delivered on return.
        if determined?.reason != .resumed || clients[client].held?.state != determined?.state {
          forgetHeld(of: region.identifier, for: client)
        }
        // That the state is unknown reveals nothing about beacons (row C23).
        if let determined, determined.state != .unknown {
          noteDelivery(isCrossing: isCrossing, to: client, at: time, into: &out)
        }
      case .hold where isCrossing: hold(crossing, for: client, at: time, into: &out)
      case .hold, .withheld: break
      }
    }
    emitSuspension(of: region.identifier, to: client, at: time, into: &out)
  }

  /// Delivers a diagnostic when ranging bound to a region is suspended; delivers nothing when it continues.
  mutating func emitSuspension(
    of identifier: RegionIdentifier,
    to client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let state = clients[client].state(of: identifier)
    guard state != .inside else { return }
    if let rules = clients[client].rules(at: time), rules.crossing != .deliver { return }
    for ranging in clients[client].rangings where ranging.whileInside == identifier {
      gate.deliver(
        open: .diagnostic(.rangingSuspended(ranging.constraint, while: identifier, state)),
        to: clients[client],
        at: time,
        into: &out
      )
    }
  }

  mutating func show(
    _ actions: [RegionAction],
    of region: Region,
    for client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    for action in actions {
      let isWanted: Bool
      switch action {
      case .entered: isWanted = region.notifyOnEntry
      case .exited: isWanted = region.notifyOnExit
      case .determined: isWanted = false
      }
      guard isWanted,
        gate.show(notification: region.identifier, of: clients[client], at: time, into: &out)
      else { continue }
      clients[client].show(region.identifier)
      guard clients[client].oneTime.remove(region.identifier) != nil else { continue }
      end(region.identifier, in: .notified, for: client)
    }
  }
}
