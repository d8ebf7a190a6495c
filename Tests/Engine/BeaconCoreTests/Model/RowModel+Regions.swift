// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

// Regions, their states and what is events of them: the rows G, and A14 to A21 for what is held.

extension RowModel {
  /// Whether what `default` does beyond Core Location holds (rows G17 and G18).
  private var isOurs: Bool { profile == .standard }

  private subscript(client: Int, index: Int, isNotified: Bool) -> ModelRegion {
    get { isNotified ? clients[client].notified[index] : clients[client].regions[index] }
    set {
      if isNotified {
        clients[client].notified[index] = newValue
      } else {
        clients[client].regions[index] = newValue
      }
    }
  }

  /// Why nothing can be known of a client's region now.
  private func blindness(_ client: Int, isNotified: Bool) -> RegionStateReason? {
    let state = clients[client]
    let withheld = Self.withheld(regionAccess(state))
    let reason = isNotified ? (mayNotify(state) ? nil : .authorization) : withheld
    return reason ?? radioLoss
  }

  // MARK: Requests

  /// Rows G1, G4, G8, G18, N3.
  mutating func monitor(_ region: Region, _ assumed: RegionState?, _ client: Int) {
    let name = Timeline.number(of: region.identifier)
    if let code = monitoringFailure(clients[client]) {
      return emit(ModelLine(kind: .regionFailure, subject: name, value: code), client)
    }
    let access = regionAccess(clients[client])
    let known = stated.indices.map { index in
      statedAt[index] == now && stated[index] == .listening ? earlier[index] : stated[index]
    }
    let loss = Self.withheld(access) == nil ? radioLoss : Self.loss(known)
    if !isOurs, loss == .radioOff || loss == .radioGone {
      return emit(ModelLine(kind: .regionFailure, subject: name, value: 5), client)
    }
    if Self.withheld(regionAccess(clients[client])) == nil {
      emit(ModelLine(kind: .monitoring, subject: name), client)
    }
    if let index = clients[client].regions.firstIndex(where: { $0.name == name }) {
      let old = clients[client].regions[index]
      let isKnown = old.state != .unknown || old.known != nil
      if old.region == region, isKnown || assumed == nil {
        return registeredAgain(index, client)
      }
      clients[client].regions.remove(at: index)
      forgetHeld(name, client)
    }
    clients[client].regions.append(ModelRegion(name: name, region: region))
    clients[client].regions.sort { $0.region.identifier < $1.region.identifier }
    if let index = clients[client].regions.firstIndex(where: { $0.name == name }) {
      begin(index, assumed, client)
    }
    step(client) { _ in }
  }

  private mutating func registeredAgain(_ index: Int, _ client: Int) {
    let region = clients[client].regions[index]
    if region.state != .unknown {
      emitState(region.state, .registeredAgain, index, client)
    } else if let reason = Self.withheld(regionAccess(clients[client])) ?? region.loss ?? radioLoss,
      isOurs
    {
      emitState(.unknown, reason, index, client)
    }
  }

  private mutating func begin(_ index: Int, _ assumed: RegionState?, _ client: Int) {
    let assumed = assumed == .unknown ? nil : assumed
    guard let reason = blindness(client, isNotified: false) else {
      guard let assumed else {
        return determine(index, client, isNotified: false)
      }
      clients[client].regions[index].state = assumed
      clients[client].regions[index].origin = .assumed
      if assumed == .inside {
        clients[client].regions[index].deadline = now + Self.exitTime
        clients[client].regions[index].clockStart = now
      }
      return emitState(assumed, .assumed, index, client)
    }
    if Self.withheld(regionAccess(clients[client])) == nil {
      clients[client].regions[index].known = assumed
    }
    if isOurs { emitState(.unknown, reason, index, client) }
  }

  mutating func unmonitor(_ identifier: RegionIdentifier, _ client: Int) {
    forgetHeld(Timeline.number(of: identifier), client)
    step(client) { $0.regions.removeAll { $0.region.identifier == identifier } }
  }

  /// Rows G8 and D1 to D5.
  mutating func answerState(_ identifier: RegionIdentifier, _ client: Int) {
    let name = Timeline.number(of: identifier)
    guard let region = clients[client].regions.first(where: { $0.name == name }) else {
      return emit(.state(name, .unknown, .notMonitored), client)
    }
    switch regionAccess(clients[client]) {
    case .silent(let reason): emit(.state(name, .unknown, reason), client)
    case .hold, .drop: emit(.state(name, .unknown, .notInUse), client)
    case .deliver, .fail:
      emit(.state(name, region.state, .requested), client)
      learn(region.state, name, client)
      forgetHeld(name, client)
    }
  }

  mutating func range(_ constraint: IdentityConstraint, _ client: Int) {
    guard let number = Timeline.constraints.firstIndex(of: constraint),
      !clients[client].rangings.contains(where: { $0.number == number })
    else { return }
    switch effective(clients[client]) {
    case .denied:
      return emit(ModelLine(kind: .rangingFailure, subject: number, value: 1), client)
    case .off:
      return emit(ModelLine(kind: .rangingFailure, subject: number, value: 16), client)
    default: break
    }
    if !clients.contains(where: { !$0.rangings.isEmpty }) { lastTick = now / 1000 * 1000 }
    clients[client].rangings.append(ModelRanging(number: number, start: now))
    failRanging(client)
    step(client) { _ in }
  }

  /// Row G23.
  mutating func notify(_ notification: RegionNotification, _ client: Int) {
    let name = Timeline.number(of: notification.region.identifier)
    clients[client].notified.removeAll { $0.name == name }
    var region = ModelRegion(name: name, region: notification.region)
    region.repeats = notification.repeats
    clients[client].notified.append(region)
    clients[client].notified.sort { $0.region.identifier < $1.region.identifier }
    if let index = clients[client].notified.firstIndex(where: { $0.name == name }),
      blindness(client, isNotified: true) == nil
    {
      determine(index, client, isNotified: true)
    }
  }

  /// Row G13.
  mutating func screenOn(_ client: Int) {
    for index in clients[client].regions.indices {
      let region = clients[client].regions[index]
      guard region.region.notifyEntryStateOnDisplay, region.state == .inside else { continue }
      emitState(.inside, .requested, index, client)
    }
  }

  // MARK: Processes

  /// A new process starts with the state that the one before it saved: grants (row U11), regions and their states (rows G3, G17,
  /// G21 and G26). Ranging, notifications, prompts and sessions end with the process.
  mutating func restart() {
    let states = receivers
    (receivers, radioLoss, gapStart, lastInput) = ([nil, nil], nil, nil, now)
    (stated, earlier) = ([nil, nil], [nil, nil])
    // What a client is told when it connects is no event of the timelines.
    let told = events.count
    for client in clients.indices { restart(client) }
    events.removeLast(events.count - told)
    for (receiver, state) in states.enumerated() {
      if let state { radio(state, receiver) }
    }
  }

  private mutating func restart(_ client: Int) {
    if clients[client].grant == .once {
      clients[client].grant = .undecided
      clients[client].isSpent = false
    }
    clients[client].question = nil
    clients[client].isTemporarilyFull = false
    clients[client].releases = false
    clients[client].use = .foreground
    clients[client].hasSession = false
    clients[client].ownSessions = []
    clients[client].awakeUntil = 0
    clients[client].solidUntil = nil
    clients[client].shownIndicator = .none
    clients[client].rangings = []
    clients[client].notified = []
    clients[client].shown = []
    for index in clients[client].regions.indices {
      let region = clients[client].regions[index]
      clients[client].regions[index].told = nil
      clients[client].regions[index].clockStart = now
      clients[client].regions[index].keepReceivers(within: Self.exitTime, at: now)
      let listened = region.deadline == nil ? 0 : max(now - region.clockStart, 0)
      clients[client].regions[index].interrupted =
        region.state == .unknown ? region.interrupted + listened : 0
      if Self.withheld(regionAccess(clients[client])) != nil {
        clients[client].regions[index].forgetReceivers()
        clients[client].regions[index].state = .unknown
        clients[client].regions[index].known = nil
        clients[client].regions[index].deadline = nil
      } else if region.state == .unknown {
        determine(index, client, isNotified: false)
      } else {
        emitState(region.state, .restored, index, client)
      }
    }
    step(client) { _ in }
  }

  // MARK: States

  /// Row I1: a field that is absent matches every value.
  static func matches(_ constraint: IdentityConstraint, _ beacon: BeaconIdentity) -> Bool {
    constraint.uuid == beacon.uuid
      && (constraint.major == nil || constraint.major == beacon.major)
      && (constraint.minor == nil || constraint.minor == beacon.minor)
  }

  /// Begins a determination, or continues the one that a loss of reception interrupted (rows G21 and G27).
  private mutating func determine(_ index: Int, _ client: Int, isNotified: Bool) {
    let region = self[client, index, isNotified]
    let needsExit = region.interrupted > 0 && region.known == .inside
    let wanted = needsExit ? max(Self.determination, Self.exitTime) : Self.determination
    self[client, index, isNotified].state = .unknown
    self[client, index, isNotified].deadline = now + max(wanted - region.interrupted, 0)
    self[client, index, isNotified].clockStart = now
  }

  /// A beacon was received (rows G9, G11, G14).
  mutating func receive(_ beacon: BeaconIdentity, _ receiver: Int) {
    for client in clients.indices {
      for isNotified in [false, true] {
        let count = isNotified ? clients[client].notified.count : clients[client].regions.count
        // A notification that is shown once goes; the regions after it move up.
        var index = 0
        while index < min(count, regionCount(client, isNotified)) {
          let name = self[client, index, isNotified].name
          receive(beacon, receiver, index, client, isNotified)
          if index < regionCount(client, isNotified), self[client, index, isNotified].name == name {
            index += 1
          }
        }
      }
    }
  }

  private func regionCount(_ client: Int, _ isNotified: Bool) -> Int {
    isNotified ? clients[client].notified.count : clients[client].regions.count
  }

  private mutating func receive(
    _ beacon: BeaconIdentity,
    _ receiver: Int,
    _ index: Int,
    _ client: Int,
    _ isNotified: Bool
  ) {
    let region = self[client, index, isNotified]
    guard Self.matches(region.region.constraint, beacon),
      blindness(client, isNotified: isNotified) == nil
    else { return }
    self[client, index, isNotified].loss = nil
    self[client, index, isNotified].received[receiver] = now
    self[client, index, isNotified].state = .inside
    self[client, index, isNotified].known = nil
    self[client, index, isNotified].origin = .observed
    self[client, index, isNotified].deadline = now + Self.exitTime
    self[client, index, isNotified].clockStart = now
    guard region.state != .inside else { return }
    let isMissed = isOurs && region.state == .unknown && region.known == .outside
    let reason = isMissed ? RegionStateReason.whileUnknown : .received
    let crosses = region.state == .outside || isMissed
    changed(.inside, crosses ? reason : nil, .received, index, client, isNotified)
  }

  /// Silence ends states (rows G15, G17, G21), by identifier (rule T3).
  mutating func passRegions() {
    var due: [(identifier: RegionIdentifier, client: Int, isNotified: Bool)] = []
    for client in clients.indices {
      for region in clients[client].regions where region.deadline == now {
        due.append((region.region.identifier, client, false))
      }
      for region in clients[client].notified where region.deadline == now {
        due.append((region.region.identifier, client, true))
      }
    }
    due.sort { ($0.identifier, $0.client) < ($1.identifier, $1.client) }
    for entry in due {
      let regions =
        entry.isNotified ? clients[entry.client].notified : clients[entry.client].regions
      if let index = regions.firstIndex(where: { $0.region.identifier == entry.identifier }) {
        fallSilent(index, entry.client, entry.isNotified)
      }
    }
  }

  private mutating func fallSilent(_ index: Int, _ client: Int, _ isNotified: Bool) {
    let region = self[client, index, isNotified]
    self[client, index, isNotified].state = .outside
    self[client, index, isNotified].origin = .observed
    self[client, index, isNotified].deadline = nil
    self[client, index, isNotified].known = nil
    self[client, index, isNotified].forgetReceivers()
    if region.state == .inside {
      changed(.outside, .allSilent, .allSilent, index, client, isNotified)
    } else {
      let isMissed = isOurs && region.known == .inside
      changed(
        .outside,
        isMissed ? .whileUnknown : nil,
        .nothingReceived,
        index,
        client,
        isNotified
      )
    }
  }

  /// Why none of some receivers can receive.
  private static func loss(_ states: [RadioState?]) -> RegionStateReason? {
    let order: [(RadioState, RegionStateReason)] = [
      (.off, .radioOff), (.deaf, .radioDeaf), (.gone, .radioGone),
    ]
    return states.contains(.listening) ? nil : order.first { states.contains($0.0) }?.1
  }

  /// A receiver's state (rows G17, G26, R16). While one receiver listens, reception is possible.
  mutating func radio(_ state: RadioState, _ receiver: Int) {
    if state != .deaf {
      let isRepeated = statedAt[receiver] == now && stated[receiver] == .listening
      if !isRepeated { earlier[receiver] = stated[receiver] }
      (stated[receiver], statedAt[receiver]) = (state, now)
    }
    show(state, receiver)
  }

  mutating func show(_ state: RadioState, _ receiver: Int) {
    // A state that is stated again changes nothing.
    guard receivers[receiver] != state else { return }
    receivers[receiver] = state
    let before = radioLoss
    radioLoss = Self.loss(receivers)
    for client in clients.indices {
      for isNotified in [false, true] {
        for index in 0..<regionCount(client, isNotified) {
          let region = self[client, index, isNotified]
          let loss = radioLoss ?? lossOfReceivers(region)
          self[client, index, isNotified].loss = radioLoss == nil ? loss : nil
          if let loss {
            if before ?? region.loss == nil { lose(loss, index, client, isNotified) }
          } else if before ?? region.loss != nil, blindness(client, isNotified: isNotified) == nil {
            determine(index, client, isNotified: isNotified)
          }
        }
      }
      if radioLoss != before { failRanging(client) }
    }
  }

  /// Row G26: a beacon is not gone because receivers are silent that did not receive it.
  private func lossOfReceivers(_ region: ModelRegion) -> RegionStateReason? {
    guard region.state == .inside || region.known == .inside,
      let last = region.received.compactMap(\.self).max()
    else { return nil }
    let lately = receivers.indices.filter { (region.received[$0] ?? .min) >= last - Self.exitTime }
    // After a restart one of them may be missing.
    let absent: RadioState? = receivers.contains { $0 != nil } ? .gone : nil
    return Self.loss(lately.map { receivers[$0] ?? absent })
  }

  private mutating func lose(
    _ reason: RegionStateReason,
    _ index: Int,
    _ client: Int,
    _ isNotified: Bool
  ) {
    let region = self[client, index, isNotified]
    self[client, index, isNotified].deadline = nil
    guard region.state != .unknown else {
      let listened = region.deadline == nil ? 0 : now - region.clockStart
      return self[client, index, isNotified].interrupted += listened
    }
    self[client, index, isNotified].interrupted = 0
    self[client, index, isNotified].known = region.state
    self[client, index, isNotified].state = .unknown
    self[client, index, isNotified].origin = .observed
    if isOurs, !isNotified { emitState(.unknown, reason, index, client) }
  }

  /// The client may not know the state any more, or may know it again (row U22); it learns the first if it knew one.
  mutating func withhold(
    _ reason: RegionStateReason?,
    _ index: Int,
    _ client: Int,
    isNotified: Bool
  ) {
    let told = self[client, index, isNotified].told
    self[client, index, isNotified].state = .unknown
    self[client, index, isNotified].origin = .observed
    self[client, index, isNotified].known = nil
    self[client, index, isNotified].told = nil
    self[client, index, isNotified].deadline = nil
    self[client, index, isNotified].interrupted = 0
    self[client, index, isNotified].forgetReceivers()
    if let reason {
      let knew = told != nil && told != .unknown
      if knew, isOurs, !isNotified { emitState(.unknown, reason, index, client) }
    } else if radioLoss == nil {
      determine(index, client, isNotified: isNotified)
    }
  }

  // MARK: Telling

  /// Row D8: on return to use the client learns the states that are not those it knows, never as crossings.
  mutating func resume(_ client: Int) {
    guard regionAccess(clients[client]) == .deliver else { return }
    for index in clients[client].regions.indices {
      let region = clients[client].regions[index]
      guard region.state != region.told else { continue }
      if region.state != .unknown {
        emitState(region.state, .resumed, index, client)
      } else if isOurs, region.told != nil {
        emitState(.unknown, region.loss ?? radioLoss ?? .resumed, index, client)
      }
    }
  }

  private mutating func learn(_ state: RegionState, _ name: Int, _ client: Int) {
    for index in clients[client].regions.indices where clients[client].regions[index].name == name {
      clients[client].regions[index].told = state
    }
  }

  /// A state that is no crossing.
  private mutating func emitState(
    _ state: RegionState,
    _ reason: RegionStateReason,
    _ index: Int,
    _ client: Int
  ) {
    let name = clients[client].regions[index].name
    let line = ModelLine.state(name, state, reason)
    if [.authorization, .accuracy, .serviceSession].contains(reason) { return emit(line, client) }
    guard regionAccess(clients[client]) == .deliver else { return }
    emit(line, client)
    learn(state, name, client)
    // A held event stays if its own state is delivered on return.
    if reason != .resumed || clients[client].held?.state != state { forgetHeld(name, client) }
    if state != .unknown { delivered(client, isCrossing: false) }
  }

  /// A determined state, with its crossing if there is one (rows G8 to G12, D2 to D4, A14 to A16).
  private mutating func changed(
    _ state: RegionState,
    _ crossing: RegionStateReason?,
    _ reason: RegionStateReason,
    _ index: Int,
    _ client: Int,
    _ isNotified: Bool
  ) {
    let region = self[client, index, isNotified]
    let isWanted = state == .inside ? region.region.notifyOnEntry : region.region.notifyOnExit
    if isNotified {
      guard crossing != nil, isWanted, mayNotify(clients[client]) else { return }
      emit(ModelLine(kind: .notification, subject: region.name), client)
      clients[client].shown.insert(region.name)
      if !region.repeats { clients[client].notified.remove(at: index) }
      return
    }
    var lines: [ModelLine] = []
    if let crossing, isWanted {
      lines.append(.crossing(state == .inside ? .enter : .exit, region.name, crossing))
    }
    lines.append(.state(region.name, state, reason))
    switch regionAccess(clients[client]) {
    case .deliver:
      for line in lines { emit(line, client) }
      learn(state, region.name, client)
      forgetHeld(region.name, client)
      delivered(client, isCrossing: lines.count == 2)
    case .hold where lines.count == 2:
      clients[client].held = ModelClient.Held(
        region: region.name,
        state: state,
        time: now,
        lines: lines
      )
      clients[client].isConfirmationDue = true
    case .hold, .drop, .silent, .fail: return
    }
  }

  /// Rows A19 and A23: a held event is events if it is still true.
  mutating func release(_ client: Int) {
    clients[client].releases = false
    guard let held = clients[client].held else { return }
    clients[client].held = nil
    guard let region = clients[client].regions.first(where: { $0.name == held.region }),
      region.state == held.state, regionAccess(clients[client]) == .deliver
    else { return }
    for line in held.lines { emit(line, client) }
    learn(held.state, held.region, client)
    delivered(client, isCrossing: true)
  }

  private mutating func forgetHeld(_ name: Int, _ client: Int) {
    if clients[client].held?.region == name { clients[client].held = nil }
  }
}

extension ModelRegion {
  /// Rule T5: a clock stands still in a gap.
  mutating func standStill(_ start: Int, _ end: Int) {
    guard let deadline else { return }
    let from = max(start, clockStart)
    guard from < end else { return }
    self.deadline = deadline + end - from
    clockStart += end - from
  }
}
