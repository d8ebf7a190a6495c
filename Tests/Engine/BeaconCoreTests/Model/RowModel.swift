// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// Authorization, use, regions and ranging, played as plainly as `docs/behaviour.md` writes them.
///
/// It is a second opinion on the engine: written from the rows alone, slow, and with nothing of the engine but the
/// values that a program can write. Times are milliseconds from the start. Exit times are fixed.
struct RowModel {
  // The numbers of the rows U8, U14, C23, R7, G15, G21, E16, T5 and U30; the stale age is the timelines' own.
  static let grace = 5_000
  static let staleAge = 60_000
  static let solid = 3_000
  static let linger = 10_000
  static let exitTime = 30_000
  static let determination = 10_000
  static let wake = 10_000
  static let gap = 60_000
  static let day = 86_400_000

  let profile: Profile
  var clients: [ModelClient]
  /// The states of the receivers; `nil` before anything is known of one.
  var receivers: [RadioState?] = [.listening, nil]
  /// The same as far as no report shows them, with their times, and before the last ones.
  var stated: [RadioState?] = [.listening, nil]
  var statedAt = [0, 0]
  var earlier: [RadioState?] = [nil, nil]
  /// Why no receiver listens.
  var radioLoss: RegionStateReason?
  /// When the gap started in which users and programs act.
  var gapStart: Int?
  var now = 0
  var lastInput = 0
  var lastTick = 0
  /// What was events, each as ``ModelLine/code(at:for:)``.
  var events: [Int] = []

  /// Whether prompts, provisional grants and Allow Once are those of iOS 13 and later.
  var isModern: Bool { profile != .coreLocation12 }
  /// Whether accuracy is an axis (iOS 14).
  var hasAccuracy: Bool { profile == .coreLocation14 || profile == .standard }

  static func play(_ timeline: Timeline) -> [Int] {
    var model = RowModel(
      profile: timeline.profile,
      clients: timeline.clients.map { client in
        var model = ModelClient(manifest: client.manifest)
        model.isPrecise = client.accuracy == .full || !timeline.hasAccuracy
        model.use = client.isForeground ? .foreground : .background
        let isClip = client.manifest.appClip && timeline.profile != .coreLocation12
        switch client.status {
        case .notDetermined: model.grant = .undecided
        case .restricted: model.isRestricted = true
        case .denied: model.grant = .denied
        case .authorizedWhenInUse: model.grant = isClip ? .clip : .whileUsing
        case .authorizedAlways: model.grant = isClip ? .clip : .always
        }
        if isClip { model.clipEnd = Timeline.morning }
        return model
      }
    )
    for (time, action, next) in timeline.inputs {
      model.pass(before: time, isSource: action.isSource, nextInput: next)
      model.now = time
      model.perform(action)
      if action.isSource { model.lastInput = time }
    }
    model.pass(before: timeline.end + 1, isSource: false, nextInput: nil)
    return model.events.sorted()
  }

  mutating func emit(_ line: ModelLine, _ client: Int) {
    events.append(line.code(at: now, for: client))
  }

  // MARK: Inputs

  private mutating func perform(_ action: Timeline.Action) {
    switch action {
    case .mark, .gap: return
    case .report(let beacon, let receiver):
      if statedAt[receiver] == now, stated[receiver] == .listening {
        stated[receiver] = earlier[receiver]
      }
      if receivers[receiver] == nil { show(.listening, receiver) }
      rangeReport(beacon)
      receive(Timeline.beacons[beacon], receiver)
    case .radio(let state, let receiver): radio(state, receiver)
    case .user(let action, let client):
      for index in clients.indices where client == nil || client == index {
        user(action, index)
      }
    case .request(let request, let client): self.request(request, client)
    case .terminate(let client): terminate(client)
    case .relaunch(let client):
      terminate(client)
      step(client) { $0.use = .foreground }
    case .restart: restart()
    }
  }

  private mutating func user(_ action: UserAction, _ client: Int) {
    switch action {
    case .answer(let choice, let precise): answer(choice, precise, client)
    case .settings(let value, let precise): settings(value, precise, client)
    case .services(let on): step(client) { $0.servicesOn = on }
    case .restriction(let on): step(client) { $0.isRestricted = on }
    case .foreground: step(client) { $0.use = .foreground }
    case .tapNotification(let region):
      // Row C26: only a notification that is shown can be tapped.
      let name = Timeline.number(of: RegionIdentifier(region))
      guard clients[client].shown.remove(name) != nil else { return }
      step(client) { $0.use = .foreground }
    case .background:
      let time = now
      step(client) { client in
        guard client.use == .foreground else { return }
        client.use = client.hasSession ? .session : .grace(until: time + Self.grace)
      }
    case .quiet:
      // Row A18.
      let isDue =
        clients[client].question == nil && clients[client].isConfirmationDue
        && effective(clients[client]) == .provisional
      if isDue { show(.confirmation, client) }
    case .screenOn: screenOn(client)
    // The rows that a local midnight decides are App Clips', which the timelines do not have.
    case .zone, .start, .press: break
    }
  }

  private mutating func request(_ request: ClientRequest, _ client: Int) {
    switch request {
    case .authorize(.whenInUse): askWhenInUse(client)
    case .authorize(.always): askAlways(client)
    case .authorize(.temporaryFull(let purpose)): askTemporaryFull(purpose, client)
    case .authorize(.startSession): startSession(client)
    case .authorize(.stopSession):
      // Row S6.
      let time = now
      step(client) { client in
        client.hasSession = false
        if client.use == .session { client.use = .grace(until: time + Self.grace) }
      }
    // The timelines have sessions without a goal: they ask for nothing.
    case .authorize(.beginService(let session)):
      step(client) { client in
        client.ownSessions.remove(session.id)
        if !session.isImplicit { client.ownSessions.insert(session.id) }
      }
    case .authorize(.endService(let id)): step(client) { $0.ownSessions.remove(id) }
    case .monitor(let region, let assumed): monitor(region, assumed, client)
    case .stopMonitoring(let identifier): unmonitor(identifier, client)
    case .requestState(let identifier): answerState(identifier, client)
    case .range(let constraint, _): range(constraint, client)
    case .stopRanging(let constraint):
      step(client) { $0.rangings.removeAll { Timeline.constraints[$0.number] == constraint } }
    case .notify(let notification): notify(notification, client)
    case .stopNotifying(let region):
      clients[client].notified.removeAll { $0.region.identifier == region }
    }
  }

  /// Rows U9, S8, E18.
  private mutating func startSession(_ client: Int) {
    guard clients[client].manifest.backgroundLocation else { return }
    let isAuthorized = isAuthorized(clients[client])
    let hasAlways = effective(clients[client]) == .always
    step(client) { client in
      switch client.use {
      case .foreground: client.hasSession = true
      case .grace where isAuthorized, .background where hasAlways:
        client.use = .session
        client.hasSession = true
      case .grace, .background, .session: return
      }
    }
  }

  /// The end of a program's process: out of use at once, no ranging, no prompts of its own.
  private mutating func terminate(_ client: Int) {
    // Nobody is left to answer a prompt to, so a request has no completion.
    if let question = clients[client].question, question != .confirmation {
      clients[client].question = nil
      emit(ModelLine(kind: .withdrawn), client)
    }
    step(client) { client in
      client.rangings = []
      client.use = .background
      client.hasSession = false
      client.ownSessions = []
      client.awakeUntil = 0
    }
  }

  // MARK: Time

  /// Lets everything happen that is due before a time (rules T3 and T5).
  private mutating func pass(before limit: Int, isSource: Bool, nextInput: Int?) {
    let isInGap = max(nextInput ?? limit, limit) - lastInput > Self.gap && limit > lastInput
    if gapStart == nil, isInGap {
      passDeadlines(before: lastInput + 1)
      gapStart = lastInput
    }
    passDeadlines(before: limit)
    if isSource, let start = gapStart { endGap(from: start, to: limit) }
  }

  private mutating func endGap(from start: Int, to end: Int) {
    gapStart = nil
    for client in clients.indices {
      for index in clients[client].regions.indices {
        clients[client].regions[index].standStill(start, end)
      }
      for index in clients[client].notified.indices {
        clients[client].notified[index].standStill(start, end)
      }
    }
    lastTick = max(lastTick, (end + 999) / 1000 * 1000 - 1000)
    now = end
  }

  private mutating func passDeadlines(before limit: Int) {
    while let next = nextDeadline, next < limit {
      now = next
      for client in clients.indices { passAuthorization(client) }
      guard gapStart == nil else { continue }
      passRegions()
      passTick()
    }
  }

  private var nextDeadline: Int? {
    var times: [Int] = []
    for client in clients {
      if case .grace(let until) = client.use { times.append(until) }
      if let time = client.solidUntil { times.append(time) }
      if let held = client.held { times.append(held.time + Self.staleAge) }
      if client.grant == .clip { times.append(client.clipEnd) }
      guard gapStart == nil else { continue }
      for region in client.regions + client.notified {
        if let deadline = region.deadline { times.append(deadline) }
      }
    }
    if gapStart == nil, clients.contains(where: { !$0.rangings.isEmpty }) {
      times.append(nextTick)
    }
    return times.min()
  }

  /// Row T4: the next whole second, at which nothing was ticked yet.
  private var nextTick: Int { max((now + 999) / 1000 * 1000, lastTick + 1000) }

  private mutating func passAuthorization(_ client: Int) {
    let (time, state) = (now, clients[client])
    let isGraceOver = state.use == .grace(until: time)
    let isStale = state.held.map { $0.time + Self.staleAge == time } ?? false
    let isMorning = state.grant == .clip && state.clipEnd == time
    let isSolidOver = state.solidUntil == time
    guard isGraceOver || isStale || isMorning || isSolidOver else { return }
    step(client) { client in
      if isGraceOver { client.use = .background }
      if isStale { client.held = nil }
      if isMorning { client.grant = .undecided }
      if isSolidOver { client.solidUntil = nil }
    }
  }

  /// Row T4: what comes with the restart of ticks counts as before it.
  private mutating func rangeReport(_ beacon: Int) {
    for client in clients.indices {
      for index in clients[client].rangings.indices {
        let constraint = Timeline.constraints[clients[client].rangings[index].number]
        guard Self.matches(constraint, Timeline.beacons[beacon]),
          clients[client].rangings[index].start < now
        else { continue }
        clients[client].rangings[index].last[beacon] = now
        clients[client].rangings[index].fresh |= 1 << beacon
      }
    }
  }

  private mutating func passTick() {
    guard now % 1000 == 0, now > lastTick else { return }
    lastTick = now
    for client in clients.indices {
      let isTold = radioLoss == nil && rangingAccess(clients[client]) == .deliver
      let ticked = clients[client].rangings.filter { $0.start < now }
      for index in clients[client].rangings.indices
      where clients[client].rangings[index].start < now {
        if isTold { emit(tick(clients[client].rangings[index]), client) }
        clients[client].rangings[index].fresh = 0
      }
      if isTold, !ticked.isEmpty { delivered(client, isCrossing: false) }
    }
  }

  /// Rows R4 to R7: what was received in the last ten seconds or since the last tick, and of that what is new.
  private func tick(_ ranging: ModelRanging) -> ModelLine {
    var listed = ranging.fresh
    for beacon in ranging.last.indices {
      if let last = ranging.last[beacon], now - last <= Self.linger { listed |= 1 << beacon }
    }
    return ModelLine(kind: .tick, subject: ranging.number, value: listed, reason: ranging.fresh)
  }
}
