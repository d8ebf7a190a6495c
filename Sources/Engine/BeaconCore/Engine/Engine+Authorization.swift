// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Performs a user action at a time; unlike an input from a source it ends no gap.
  ///
  /// Every due deadline before it has been delivered: the ``EngineDriver`` calls ``passTime(beforeActionAt:nextInput:into:)``
  /// until nothing is delivered, so that clients can answer in between.
  ///
  /// - Parameters:
  ///   - action: The user's action.
  ///   - client: The client concerned; `nil` concerns every client, as do location services and restrictions.
  ///   - time: When.
  ///   - out: Where deliveries are appended.
  mutating func perform(
    _ action: UserAction,
    by client: ClientID?,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let time = admission.act(at: time)
    for index in clients.indices where client == nil || clients[index].id == client {
      // One that was not shown cannot be tapped.
      if case .tapNotification(let region) = action,
        !clients[index].tap(RegionIdentifier(region))
      {
        if client != nil {
          carryOut(.diagnostic(.notificationNotShown), for: index, at: time, into: &out)
        }
        continue
      }
      step(index, at: time, into: &out) { $0.user(action, at: time) }
      if action == .screenOn { screenTurnedOn(index, at: time, into: &out) }
    }
  }

  /// Ends a client's process: its ranging stops, and its regions are still watched.
  mutating func terminate(_ client: ClientID, into out: inout [Delivery]) {
    guard clients.element(client) != nil else { return }
    let index = Int(client.number)
    for ranging in clients[index].rangings { self.ranging.unsubscribe(from: ranging.constraint) }
    clients[index].rangings.removeAll()
    let time = now
    let isRegistered = clients[index].isRegistered
    step(index, at: time, into: &out) { $0.terminated(at: time, isRegistered: isRegistered) }
  }

  /// Starts a client's process again: regions persist, ranging does not (row G3).
  mutating func relaunch(
    _ client: ClientID,
    isForeground: Bool = true,
    into out: inout [Delivery]
  ) {
    guard clients.element(client) != nil else { return }
    let index = Int(client.number)
    terminate(client, into: &out)
    let time = now
    let isRegistered = clients[index].isRegistered
    step(index, at: time, into: &out) {
      $0.relaunched(isForeground: isForeground, at: time, isRegistered: isRegistered)
    }
    registrationsChanged(index, into: &out)
  }

  /// Applies a change to a client's authorization, updates what may reach the client, then delivers the results.
  mutating func step(
    _ client: Int,
    at time: Timestamp,
    into out: inout [Delivery],
    _ input: (inout ClientAuthorization) -> [AuthorizationAction]
  ) {
    let earlier = clients[client].authorization
    guard let before = clients[client].rules(at: time),
      let actions = earlier.map({ authorization in
        var authorization = authorization
        let saved = authorization.saved
        let actions = input(&authorization)
        if authorization.saved != saved { grantsVersion &+= 1 }
        clients[client].authorization = authorization
        return actions
      })
    else { return }
    let isResumed = earlier?.isInUse == false && clients[client].authorization?.isInUse == true
    var consequences: [Delivery] = []
    if let after = clients[client].rules(at: time), after != before {
      rulesChanged(client, from: before, to: after, at: time, into: &consequences)
    }
    for action in actions { carryOut(action, for: client, at: time, into: &out) }
    out += consequences
    if isResumed { useResumed(client, at: time, into: &out) }
    scheduleQuiet(of: client, since: earlier, at: time)
    refreshAuthorizationDeadline(of: client)
  }

  /// Brings second prompts from now on, also those that are due.
  mutating func asksWhenQuiet() {
    quietDelay = configuration.authorization.timing.quiet
    for client in clients.indices { scheduleQuiet(of: client, since: nil, at: now) }
  }

  /// Returns the quiet moments to schedule, once.
  mutating func drainQuietMoments() -> [TimedUserAction] {
    guard !quietMoments.isEmpty else { return [] }
    defer { quietMoments = [] }
    return quietMoments
  }

  /// Schedules the moment of the second prompt of a provisional grant: once it is due, or when its client opens again.
  mutating func scheduleQuiet(
    of client: Int,
    since earlier: ClientAuthorization?,
    at time: Timestamp
  ) {
    guard let quietDelay, let authorization = clients[client].authorization,
      authorization.awaitsQuiet
    else { return }
    let isOpened = authorization.isForeground && earlier?.isForeground != true
    guard isOpened || earlier?.awaitsQuiet != true else { return }
    quietMoments.append(
      TimedUserAction(
        time: isOpened ? .earliest : time + quietDelay,
        client: clients[client].id,
        action: .quiet
      )
    )
    // The driver schedules it before anything later happens.
    gate.stop()
  }

  private mutating func carryOut(
    _ action: AuthorizationAction,
    for client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let event: Event
    switch action {
    case .promptWithdrawn: event = .promptWithdrawn
    case .dropHeld:
      clients[client].held = nil
      return
    case .changed(let status, let accuracy): event = .authorization(status, accuracy)
    case .deliverHeld(let id):
      deliverHeld(id, of: client, at: time, into: &out)
      return
    case .completion(.temporaryFull(let purpose), let error):
      event = .completion(.temporaryFull(purpose: purpose), error: error)
    case .completion: return
    case .diagnostic(let diagnostic): event = .diagnostic(.authorization(diagnostic))
    case .indicator(let style): event = .indicator(style)
    case .serviceDiagnostics(let id, let diagnostics):
      event = .serviceDiagnostics(id: id, diagnostics)
    case .prompt(let prompt): event = .prompt(prompt)
    }
    gate.deliver(open: event, to: clients[client], at: time, into: &out)
  }

  /// Applies changed delivery rules: the state of regions that the client may no longer know becomes unknown, and the
  /// state of regions that it may know again is determined.
  private mutating func rulesChanged(
    _ client: Int,
    from before: DeliveryRules,
    to after: DeliveryRules,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    if before.ranging != .deliver, after.ranging == .deliver {
      let earlier = ranging.receivedThisSecond(of: tracks)
      let byInput = counts.reports > 0 && time == admission.lastInput
      clients[client].restartRanging(at: time, byInput: byInput, earlier)
    }
    let withheld = Self.withheldReason(after.crossingWithheld)
    if withheld != Self.withheldReason(before.crossingWithheld) {
      for slot in clients[client].regions.slots {
        changeMachine(client, slot, .monitored, at: time, into: &out) { machine, actions in
          if let withheld {
            machine.withheld(withheld, at: time, into: &actions)
          } else {
            machine.permitted(at: time)
          }
        }
      }
    }
    if before.notification != after.notification {
      for slot in clients[client].notifications.slots {
        changeMachine(client, slot, .notified, at: time, into: &out) { machine, actions in
          if after.notification == .deliver {
            machine.permitted(at: time)
          } else {
            machine.withheld(.authorization, at: time, into: &actions)
          }
        }
      }
    }
    emitRangingFailure(client, at: time, into: &out)
  }

  /// Delivers to a client that is in use again the states of its regions that differ from those delivered last (row D8).
  private mutating func useResumed(_ client: Int, at time: Timestamp, into out: inout [Delivery]) {
    guard clients[client].rules(at: time)?.crossing == .deliver else { return }
    for slot in clients[client].regions.slots {
      changeMachine(client, slot, .monitored, at: time, into: &out) { machine, actions in
        machine.resumed(at: time, into: &actions)
      }
    }
  }

  /// Returns why a region's state is unknown to a client.
  ///
  /// Not being in use is no such reason: the state is still tracked.
  static func withheldReason(
    _ withholding: DeliveryRules.Withholding?
  ) -> RegionStateReason? {
    switch withholding {
    case .authorization: .authorization
    case .accuracy: .accuracy
    case .serviceSession: .serviceSession
    case .notInUse, nil: nil
    }
  }

  /// Delivers once to a client that its ranging yields nothing, and why; by default of each constraint.
  mutating func emitRangingFailure(
    _ client: Int,
    at time: Timestamp,
    of one: Int? = nil,
    into out: inout [Delivery]
  ) {
    let rules = clients[client].rules(at: time)
    var failure: LocationErrorCode?
    switch rules?.ranging {
    case .fail(let code): failure = code
    // Row R16: ranging is unavailable without a radio; a client that may not range does not learn of this.
    case .deliver, nil: failure = receivers.receives ? nil : .rangingUnavailable
    case .drop, .hold, .silent: return
    }
    for index in one.map({ $0..<($0 + 1) }) ?? clients[client].rangings.indices {
      let ranging = clients[client].rangings[index]
      guard ranging.failure != failure else { continue }
      clients[client].rangings[index].failure = failure
      guard let failure else { continue }
      gate.deliver(
        open: .failure(failure, .constraint(ranging.constraint)),
        to: clients[client],
        at: time,
        into: &out
      )
    }
  }

  /// Notes that something derived from received reports was delivered, for the usage indicator.
  mutating func noteDelivery(
    isCrossing: Bool,
    to client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard clients[client].authorization != nil else { return }
    step(client, at: time, into: &out) { $0.delivered(isCrossing: isCrossing, at: time) }
  }

  /// Updates the authorization with whether the client asks for anything.
  mutating func registrationsChanged(_ client: Int, into out: inout [Delivery]) {
    let isRegistered = clients[client].isRegistered
    let time = now
    step(client, at: time, into: &out) { $0.registrationsChanged(any: isRegistered, at: time) }
  }

  /// Notes a client's deadline if it may have changed.
  mutating func refreshAuthorizationDeadline(of client: Int) {
    authorizationDeadlines.note(clients[client].authorization?.nextDeadline, of: client)
    settleAuthorizationDeadline()
  }

  /// Finds the earliest deadline that no client has postponed.
  private mutating func settleAuthorizationDeadline() {
    while let first = authorizationDeadlines.first {
      let due = clients[first.client].authorization?.nextDeadline
      if due == first.time { break }
      authorizationDeadlines.removeFirst()
      authorizationDeadlines.note(due, of: first.client)
    }
    authorizationDeadline = authorizationDeadlines.first?.time
  }

  /// Handles the authorization deadlines of one instant, in the order of the clients.
  mutating func passAuthorizationDeadline(at deadline: Timestamp, into out: inout [Delivery]) {
    var found: Set<Int> = []
    while let first = authorizationDeadlines.first, first.time <= deadline {
      found.insert(first.client)
      authorizationDeadlines.removeFirst()
    }
    for client in found.sorted() {
      if let due = clients[client].authorization?.nextDeadline, due <= deadline {
        step(client, at: deadline, into: &out) { $0.timePassed(to: deadline) }
      }
      authorizationDeadlines.note(clients[client].authorization?.nextDeadline, of: client)
    }
    settleAuthorizationDeadline()
  }
}
