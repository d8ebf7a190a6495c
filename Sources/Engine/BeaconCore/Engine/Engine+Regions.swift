// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  // MARK: Requests

  /// Monitors a saved region of an earlier run for a client, as a request to monitor does.
  mutating func resume(
    _ saved: SavedRegion,
    by client: ClientID,
    into out: inout [Delivery]
  ) {
    guard clients.element(client) != nil else { return }
    monitor(saved.region, from: .restored(saved), for: Int(client.number), into: &out)
  }

  /// Starts monitoring a region for a client.
  mutating func monitor(
    _ region: Region,
    from beginning: RegionBeginning,
    for client: Int,
    into out: inout [Delivery]
  ) {
    let time = now
    let rules = clients[client].rules(at: time)
    if let code = rules?.monitoringStartFailure {
      return fail(code, region.identifier, client, into: &out)
    }
    if configuration.regions.needsRadioToStart, deafness(for: rules)?.isLackOfRadio ?? false {
      return fail(.regionMonitoringFailure, region.identifier, client, into: &out)
    }
    let count = clients[client].regions.count
    guard
      count < configuration.regions.limit
        || clients[client].regions.slot(of: region.identifier) != nil
    else {
      fail(.regionMonitoringFailure, region.identifier, client, into: &out)
      return gate.deliver(
        open: .diagnostic(.regionLimitExceeded(region.identifier)),
        to: clients[client],
        at: time,
        into: &out
      )
    }
    if rules?.crossing != .silent {
      gate.deliver(
        open: .completion(.monitor(region.identifier), error: nil),
        to: clients[client],
        at: time,
        into: &out
      )
    }
    if let slot = slot(ofEqual: region, from: beginning, for: client) {
      return changeMachine(client, slot, .monitored, at: time, into: &out) { machine, actions in
        machine.registeredAgain(at: time, into: &actions)
      }
    }
    begin(region, from: beginning, for: client, into: &out)
    registrationsChanged(client, into: &out)
  }

  /// Returns the slot of an equal region that the client monitors already, and that keeps its state (row G1).
  ///
  /// A state that the caller states or restores counts only if nothing is known.
  private func slot(
    ofEqual region: Region,
    from beginning: RegionBeginning,
    for client: Int
  ) -> Int? {
    guard let slot = clients[client].regions.slot(of: region.identifier),
      let machine = clients[client].regions.machine(in: slot), machine.region == region,
      machine.isKnown || beginning == .fresh
    else { return nil }
    return slot
  }

  private mutating func fail(
    _ code: LocationErrorCode,
    _ region: RegionIdentifier,
    _ client: Int,
    into out: inout [Delivery]
  ) {
    gate.deliver(
      open: .failure(code, .region(region)),
      to: clients[client],
      at: now,
      into: &out
    )
  }

  /// Adds a region to its client's table and starts its state machine.
  mutating func begin(
    _ region: Region,
    from beginning: RegionBeginning,
    in table: RegionReference.Table = .monitored,
    for client: Int,
    into out: inout [Delivery]
  ) {
    guard let addition = try? clients[client][table].add(region) else { return }
    if case .restored(let saved) = beginning { restoreIntervals(of: saved) }
    let reference = RegionReference(
      client: Int32(truncatingIfNeeded: client),
      slot: Int32(truncatingIfNeeded: addition.slot),
      table: table
    )
    if case .replaced(_, let old) = addition {
      remove(reference, of: old)
      if table == .monitored { forgetHeld(of: region.identifier, for: client) }
    }
    insert(reference, of: region)
    regionVersion &+= 1
    let rules = clients[client].rules(at: now)
    let withheld =
      table == .monitored
      ? Self.withheldReason(rules?.crossingWithheld)
      : rules.map { $0.notification == .deliver ? nil : .authorization } ?? nil
    let (time, receivers) = (now, receivers)
    changeMachine(client, addition.slot, table, at: time, into: &out) { machine, actions in
      machine.began(
        at: time,
        from: beginning,
        deafness: receivers.deafness,
        among: receivers,
        withheld: withheld,
        into: &actions
      )
    }
  }

  /// Stops monitoring a region for a client.
  mutating func stopMonitoring(
    _ identifier: RegionIdentifier,
    for client: Int,
    into out: inout [Delivery]
  ) {
    let wasInside = clients[client].state(of: identifier) == .inside
    end(identifier, in: .monitored, for: client)
    forgetHeld(of: identifier, for: client)
    if wasInside { emitSuspension(of: identifier, to: client, at: now, into: &out) }
    registrationsChanged(client, into: &out)
  }

  mutating func end(
    _ identifier: RegionIdentifier,
    in table: RegionReference.Table,
    for client: Int
  ) {
    guard let slot = clients[client][table].slot(of: identifier),
      let region = clients[client][table].machine(in: slot)?.region
    else { return }
    _ = clients[client][table].remove(identifier)
    remove(
      RegionReference(
        client: Int32(truncatingIfNeeded: client),
        slot: Int32(truncatingIfNeeded: slot),
        table: table
      ),
      of: region
    )
    regionVersion &+= 1
  }

  /// Answers a client's request for a region's state.
  mutating func answerState(
    of identifier: RegionIdentifier,
    to client: Int,
    into out: inout [Delivery]
  ) {
    guard let slot = clients[client].regions.slot(of: identifier),
      let machine = clients[client].regions.machine(in: slot)
    else {
      return gate.deliver(
        open: .regionState(identifier, .unknown, .observed, .notMonitored),
        to: clients[client],
        at: now,
        into: &out
      )
    }
    if clients[client].rules(at: now).map({ $0.stateRequest == .cached }) ?? true {
      forgetHeld(of: identifier, for: client)
      let event = Event.regionState(identifier, machine.state, .observed, .requested)
      clients[client].learned([event], machine.state, of: identifier, at: now)
    }
    gate.deliver(
      stateAnswer: machine.stateRequested(at: now),
      of: identifier,
      to: clients[client],
      at: now,
      into: &out
    )
  }

  /// Has the machine show a notification of a region for a client.
  mutating func notify(
    _ notification: RegionNotification,
    for client: Int,
    into out: inout [Delivery]
  ) {
    let identifier = notification.region.identifier
    if notification.repeats {
      clients[client].oneTime.remove(identifier)
    } else {
      clients[client].oneTime.insert(identifier)
    }
    begin(notification.region, from: .fresh, in: .notified, for: client, into: &out)
  }

  /// Delivers the state of regions that ask for it to a client when the screen turns on (row G13).
  mutating func screenTurnedOn(_ client: Int, at time: Timestamp, into out: inout [Delivery]) {
    for slot in clients[client].regions.slots {
      changeMachine(client, slot, .monitored, at: time, into: &out) { machine, actions in
        machine.screenTurnedOn(at: time, into: &actions)
      }
    }
  }

  // MARK: Received reports

  /// Processes a beacon's report in the regions that the beacon marks.
  mutating func processSighting(
    _ slot: Int,
    _ report: borrowing AdvertisingReport,
    measuredPower: Int8?,
    after gap: TimeSpan?,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    if tracks[marksOf: slot].version != regionVersion { lookUpRegions(slot) }
    let regions = tracks[marksOf: slot].regions
    if regions.isEmpty { return }
    if let gap { tracks[marksOf: slot].gaps.received(after: gap, configuration.regions.learning) }
    let identity = tracks.key(of: slot).identity
    var sighting = RegionSighting(
      identity,
      rssi: report.rssi,
      power: measuredPower,
      receiver: report.receiver,
      at: time
    )
    if tracks[marksOf: slot].marksZone {
      sighting.distance = tracks.tracks[slot].distance(
        of: identity,
        at: time,
        by: configuration.ranging
      )
    }
    for reference in regions { updateRegion(reference, sighting, of: slot, into: &out) }
  }

  @inline(__always)
  private mutating func updateRegion(
    _ reference: RegionReference,
    _ sighting: RegionSighting,
    of slot: Int,
    into out: inout [Delivery]
  ) {
    var actions: [RegionAction] = []
    let client = Int(reference.client)
    let comesForward = clients[client][reference.table].withMachine(in: Int(reference.slot)) {
      $0.sighted(sighting, intervals: tracks[marksOf: slot].gaps, into: &actions)
    }
    if comesForward == true { queueDeadline(reference) }
    if !actions.isEmpty { deliver(actions, of: reference, at: sighting.time, into: &out) }
    if tracks[marksOf: slot].gaps.needsLongerCap { warnOfCap(reference, slot, into: &out) }
  }

  /// Delivers once for a region that its beacon is received too seldom for the longest exit time.
  @inline(never)
  private mutating func warnOfCap(
    _ reference: RegionReference,
    _ slot: Int,
    into out: inout [Delivery]
  ) {
    let client = Int(reference.client)
    let learning = configuration.regions.learning
    let gaps = tracks[marksOf: slot].gaps
    // It follows from a received beacon, so it is delivered only to a client that may know crossings.
    if let rules = clients[client].rules(at: now), rules.crossing != .deliver { return }
    guard reference.table == .monitored,
      let (region, silences) = machine(reference).map({ ($0.region, $0.silences) }),
      let tooShort = clients[client][reference.table].withMachine(
        in: Int(reference.slot),
        { $0.exitTooShort(for: gaps) }
      ) ?? nil
    else { return }
    var (reception, longest) = (gaps.reception(learning, in: silences), learning.cap)
    if case .fixed(let time) = tooShort { (reception.isFixed, longest) = (true, time) }
    reception.isOwn = region.exitTiming != nil
    gate.deliver(
      open: .diagnostic(.exitTimeTooShort(region.identifier, reception, longest: longest)),
      to: clients[client],
      at: now,
      into: &out
    )
  }

  private mutating func lookUpRegions(_ slot: Int) {
    let identity = tracks.key(of: slot).identity
    // A beacon received for the first time starts with the intervals that an earlier run learned.
    if tracks[marksOf: slot].version == 0,
      let gaps = restoredIntervals.remove(of: identity, at: now)
    {
      tracks[marksOf: slot].gaps = gaps
    }
    var found: [RegionReference] = []
    regionIndex.forEachMatch(identity) { found.append($0) }
    // Rule T3: the effects of one report are delivered in the order of clients and region identifiers.
    found.sort(by: isBefore)
    let marksZone = found.contains { machine($0)?.region.zone != nil }
    tracks[marksOf: slot].set(found, marksZone: marksZone, version: regionVersion)
  }

  func isBefore(_ first: RegionReference, _ second: RegionReference) -> Bool {
    guard first.client == second.client, let one = machine(first), let other = machine(second)
    else { return first.client < second.client }
    return one.region.identifier < other.region.identifier
  }

  /// Processes a change of a receiver's state.
  mutating func process(
    _ state: RadioState,
    of receiver: UInt8,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let stated = note(stated.changed(receiver, to: state, at: time))
    show(state, of: receiver, stated: stated, at: time, into: &out)
  }

  /// Why no receiver listens, as a client may know it.
  private mutating func deafness(for rules: DeliveryRules?) -> RegionStateReason? {
    guard Self.withheldReason(rules?.crossingWithheld) != nil else { return receivers.deafness }
    _ = note(stated.decide(before: now))
    return statedReceivers.deafness
  }

  /// Notes states of receivers that no report showed, and returns the last change.
  mutating func note(_ items: [StatedStates.Item]) -> ReceiverStates.Change? {
    var last: ReceiverStates.Change?
    for item in items {
      last = statedReceivers.changed(receiver: item.receiver, to: item.state) ?? last
    }
    return last
  }

  /// Processes a change of a receiver's state; of that only `stated` is known to clients that may not know of reports.
  mutating func show(
    _ state: RadioState,
    of receiver: UInt8,
    stated: ReceiverStates.Change? = nil,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard receivers.state(of: receiver) != state else { return }
    let change = receivers.changed(receiver: receiver, to: state)
    var turns: Diagnostic?
    switch change {
    case .lost: listened.lost(at: time)
    case .regained: turns = listened.regained(at: time)
    case nil: break
    }
    let receivers = receivers
    for client in clients.indices {
      if let turns { gate.deliver(ofSource: turns, to: clients[client], at: time, into: &out) }
      gate.deliver(change, stated: stated, to: clients[client], at: time, into: &out)
      for table in [RegionReference.Table.monitored, .notified] {
        for slot in clients[client][table].slots {
          changeMachine(client, slot, table, at: time, into: &out) { machine, actions in
            machine.receptionChanged(receivers, at: time, into: &actions)
          }
        }
      }
      if change != nil { emitRangingFailure(client, at: time, into: &out) }
    }
  }

  // MARK: Time

  /// Handles the earliest region deadline.
  ///
  /// - Returns: Whether it had been reached; a deadline postponed in the meantime is only scheduled again.
  mutating func passRegionDeadline(into out: inout [Delivery]) -> Bool {
    guard let entry = regionDeadlines.first else { return false }
    regionDeadlines.removeFirst()
    guard let machine = machine(entry.region), machine.region.identifier == entry.identifier
    else { return false }
    if machine.queued == entry.time { setQueued(nil, of: entry.region) }
    guard let due = machine.nextDeadline else { return false }
    guard due <= entry.time else {
      queueDeadline(entry.region)
      return false
    }
    changeMachine(
      Int(entry.region.client),
      Int(entry.region.slot),
      entry.region.table,
      at: entry.time,
      into: &out
    ) { $0.timePassed(to: entry.time, into: &$1) }
    return true
  }

  /// Stops the regions' clocks for a time about which nothing is known.
  mutating func standStill(from start: Timestamp, to end: Timestamp) {
    listened.stoodStill(from: start, to: end)
    for client in clients.indices {
      for table in [RegionReference.Table.monitored, .notified] {
        for slot in clients[client][table].slots {
          _ = clients[client][table].withMachine(in: slot) {
            $0.clockStoodStill(from: start, to: end)
          }
        }
      }
    }
  }

  /// Ends the engine while its source could continue: every known region becomes unknown, and no exit is delivered.
  ///
  /// State that a later run restores must be saved before this call.
  mutating func shutDown(into out: inout [Delivery]) {
    let time = now
    for client in clients.indices {
      for slot in clients[client].regions.slots {
        changeMachine(client, slot, .monitored, at: time, into: &out) { machine, actions in
          machine.shutDown(at: time, into: &actions)
        }
      }
    }
  }

  // MARK: Machines

  func machine(_ reference: RegionReference) -> RegionMachine? {
    clients[Int(reference.client)][reference.table].machine(in: Int(reference.slot))
  }

  /// Changes a region's state machine, schedules its deadline again and delivers the results.
  mutating func changeMachine(
    _ client: Int,
    _ slot: Int,
    _ table: RegionReference.Table,
    at time: Timestamp,
    into out: inout [Delivery],
    _ change: (inout RegionMachine, inout [RegionAction]) -> Void
  ) {
    var actions: [RegionAction] = []
    _ = clients[client][table].withMachine(in: slot) { change(&$0, &actions) }
    let reference = RegionReference(
      client: Int32(truncatingIfNeeded: client),
      slot: Int32(truncatingIfNeeded: slot),
      table: table
    )
    queueDeadline(reference)
    deliver(actions, of: reference, at: time, into: &out)
  }

  private mutating func setQueued(_ time: Timestamp?, of reference: RegionReference) {
    _ = clients[Int(reference.client)][reference.table].withMachine(in: Int(reference.slot)) {
      $0.queued = time
    }
  }

  private mutating func queueDeadline(_ reference: RegionReference) {
    guard let machine = machine(reference), let time = machine.nextDeadline else { return }
    // An entry that comes up no later gives the actual time then.
    if let queued = machine.queued, queued <= time { return }
    setQueued(time, of: reference)
    regionDeadlines.insert(
      RegionDeadline(
        time: time,
        identifier: machine.region.identifier,
        region: reference
      )
    )
  }
}
