// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

// What a client may do and what reaches it: the rows U, Q, E, A, Aa to Al, S and D.

extension RowModel {
  /// The authorization that counts: services off and restrictions hide the grant (rows U6, A25, E13, E15).
  enum Effective {
    case off, restricted, undecided, denied, whileUsing, provisional, always
  }

  enum Access: Equatable {
    case deliver, hold, drop, silent(RegionStateReason), fail(Int)
  }

  func effective(_ client: ModelClient) -> Effective {
    if !client.servicesOn { return .off }
    if client.isRestricted { return .restricted }
    switch client.grant {
    case .undecided: return .undecided
    case .once, .whileUsing, .clip: return .whileUsing
    case .provisional: return .provisional
    case .always: return .always
    case .denied: return .denied
    }
  }

  func status(_ client: ModelClient) -> AuthorizationStatus {
    switch effective(client) {
    case .off, .denied: .denied
    case .restricted: .restricted
    case .undecided: .notDetermined
    case .whileUsing: .authorizedWhenInUse
    case .provisional, .always: .authorizedAlways
    }
  }

  func isAuthorized(_ client: ModelClient) -> Bool {
    [.whileUsing, .provisional, .always].contains(effective(client))
  }

  func isReduced(_ client: ModelClient) -> Bool { !client.isPrecise && !client.isTemporarilyFull }

  /// Row N15.
  func lacksSession(_ client: ModelClient) -> Bool {
    client.manifest.explicitServiceSession && client.ownSessions.isEmpty
  }

  /// Rows G23, D5.
  func mayNotify(_ client: ModelClient) -> Bool {
    isAuthorized(client) && !isReduced(client) && !lacksSession(client)
  }

  func isClip(_ client: ModelClient) -> Bool { client.manifest.appClip && isModern }

  // MARK: Delivery

  /// Crossings and states (rows U7, D1 to D5, E17).
  func regionAccess(_ client: ModelClient) -> Access {
    switch effective(client) {
    case .off, .restricted, .undecided, .denied: .silent(.authorization)
    case .whileUsing where !isModern: .silent(.authorization)
    case .whileUsing, .provisional, .always:
      if isReduced(client) {
        .silent(.accuracy)
      } else if lacksSession(client) {
        .silent(.serviceSession)
      } else if client.isInUse || effective(client) == .always {
        .deliver
      } else {
        effective(client) == .provisional ? .hold : .drop
      }
    }
  }

  /// Ticks (rows D1 to D5, E16).
  func rangingAccess(_ client: ModelClient) -> Access {
    switch effective(client) {
    case .undecided, .restricted: return .silent(.authorization)
    case .denied: return client.isInUse ? .fail(1) : .silent(.authorization)
    case .off: return client.isInUse ? .fail(16) : .silent(.authorization)
    case .whileUsing, .provisional, .always: break
    }
    if isReduced(client) { return .silent(.accuracy) }
    if lacksSession(client) { return .silent(.serviceSession) }
    if client.isInUse { return .deliver }
    guard effective(client) == .always else { return .drop }
    return isModern || now < client.awakeUntil ? .deliver : .drop
  }

  func monitoringFailure(_ client: ModelClient) -> Int? {
    switch effective(client) {
    case .denied, .off: 4
    case .whileUsing where !isModern: 4
    default: nil
    }
  }

  // MARK: Requests

  /// The guards Q1 to Q3 of a request for authorization.
  private func isGuarded(
    _ client: ModelClient,
    needsAlwaysText: Bool,
    isPrompt: Bool = true
  ) -> Bool {
    func isMissing(_ text: String?) -> Bool { (text ?? "").isEmpty }
    if isMissing(client.manifest.whenInUse) { return true }
    if needsAlwaysText, isMissing(client.manifest.alwaysAndWhenInUse) { return true }
    let isInUseEnough = isPrompt ? client.use == .foreground : client.isInUse
    return !isInUseEnough || client.question != nil
  }

  mutating func show(_ question: ModelClient.Question, _ client: Int) {
    clients[client].question = question
    let kind: Prompt.Kind =
      switch question {
      case .first: .whenInUse
      case .three, .confirmation: .always
      case .upgrade: isModern ? .always : .transition
      case .temporaryFull: .temporaryFull
      }
    emit(ModelLine(kind: .prompt, value: Prompt.Kind.allCases.firstIndex(of: kind) ?? 0), client)
  }

  /// Rows U2, A1, E1.
  mutating func askWhenInUse(_ client: Int) {
    let state = clients[client]
    guard effective(state) == .undecided, !isGuarded(state, needsAlwaysText: false) else { return }
    show(.first(wantsAlways: false), client)
  }

  /// Rows U3, U12, U16, U17, A2, A7, A9, A10, A13, A22, A26, E4, E8, E11.
  mutating func askAlways(_ client: Int) {
    let state = clients[client]
    // iOS 13.0 raises a grant without a prompt (row A9).
    let isPrompt = profile != .coreLocation13_0 || state.grant != .whileUsing
    guard !isClip(state), !isGuarded(state, needsAlwaysText: true, isPrompt: isPrompt)
    else { return }
    switch effective(state) {
    case .undecided:
      clients[client].isSpent = true
      show(isModern ? .first(wantsAlways: true) : .three, client)
    case .whileUsing where state.grant == .whileUsing && !state.isSpent:
      if profile == .coreLocation13_0 {
        step(client) {
          $0.isSpent = true
          $0.grant = .provisional
        }
      } else {
        clients[client].isSpent = true
        show(.upgrade, client)
      }
    default: return
    }
  }

  /// Rows U23 to U25, Ad, Ag, Ah, Ai, Al, Q4.
  mutating func askTemporaryFull(_ purpose: String, _ client: Int) {
    let state = clients[client]
    let hasKey = state.manifest.purposes.contains { $0.key == purpose && !$0.text.isEmpty }
    guard hasKey, isAuthorized(state), isReduced(state), state.use == .foreground,
      state.question == nil
    else { return emit(ModelLine(kind: .temporaryFull, value: 18), client) }
    show(.temporaryFull, client)
  }

  // MARK: Answers and settings

  /// Row U30: the morning of the next day.
  private var nextMorning: Int {
    now < Timeline.midnight ? Timeline.morning : Timeline.morning + Self.day
  }

  private func choices(_ question: ModelClient.Question, _ client: ModelClient) -> [PromptChoice] {
    switch question {
    case .first where isClip(client): [.untilTomorrow, .once, .dontAllow]
    case .first: isModern ? [.whileUsing, .once, .dontAllow] : [.allow, .dontAllow]
    case .three: [.whileUsing, .alwaysAllow, .dontAllow]
    case .upgrade: isModern ? [.keepWhileUsing, .changeToAlways] : [.keepWhileUsing, .alwaysAllow]
    case .confirmation: [.keepWhileUsing, .changeToAlways]
    case .temporaryFull: [.allow, .dontAllow]
    }
  }

  /// Rows U4, U15, A3 to A6, A11, A12, A19, A20, A26, Aa, Ae, Af, E2 to E10.
  mutating func answer(_ choice: PromptChoice, _ precise: Bool, _ client: Int) {
    guard let question = clients[client].question,
      choices(question, clients[client]).contains(choice)
    else { return }
    clients[client].question = nil
    let (hasAccuracy, morning) = (hasAccuracy, nextMorning)
    step(client) { client in
      if case .first = question, choice != .dontAllow, hasAccuracy {
        client.isPrecise = precise && !client.manifest.defaultAccuracyReduced
        client.isTemporarilyFull = false
      }
      switch (question, choice) {
      case (.temporaryFull, _): client.isTemporarilyFull = choice == .allow && client.isInUse
      case (_, .dontAllow): client.grant = .denied
      case (.first(wantsAlways: true), .whileUsing): client.grant = .provisional
      case (_, .whileUsing), (_, .allow): client.grant = .whileUsing
      case (_, .keepWhileUsing):
        client.grant = .whileUsing
        client.held = nil
      case (_, .once):
        // A temporary grant that is answered out of use has lapsed already.
        client.grant = client.isInUse ? .once : .undecided
        if !client.isInUse { client.isSpent = false }
      case (_, .untilTomorrow):
        client.grant = .clip
        client.clipEnd = morning
      case (_, .changeToAlways), (_, .alwaysAllow):
        client.grant = .always
        client.releases = client.held != nil
      }
    }
    if question == .temporaryFull { emit(ModelLine(kind: .temporaryFull), client) }
  }

  /// Rows U5, A23, A24, Ab, Ac, E12; precision is applied first.
  mutating func settings(_ value: SettingsValue?, _ precise: Bool?, _ client: Int) {
    guard !clients[client].isRestricted else { return }
    let (isClip, isModern) = (isClip(clients[client]), isModern)
    let (hasAccuracy, morning) = (hasAccuracy, nextMorning)
    step(client) { client in
      if let precise, hasAccuracy {
        client.isPrecise = precise
        if precise { client.isTemporarilyFull = false }
      }
      let mayRelease =
        client.grant == .provisional && (client.isPrecise || client.isTemporarilyFull)
      switch value {
      case .never: client.grant = .denied
      case .askNextTime: if isModern { client.grant = .undecided }
      case .whileUsing:
        client.grant = isClip ? .clip : .whileUsing
        if isClip { client.clipEnd = morning }
      case .always where !isClip:
        client.grant = .always
        client.releases = mayRelease && client.held != nil
      case .always, nil: return
      }
    }
  }

  // MARK: One step

  /// Changes a client and lets everything follow from it, in the order of row Q5.
  mutating func step(_ client: Int, _ change: (inout ModelClient) -> Void) {
    let before = clients[client]
    change(&clients[client])
    if before.isInUse, !clients[client].isInUse { endUse(client) }
    let state = clients[client]
    if state.use == .session, !isAuthorized(state) {
      // A session that is not authorized ends in the background.
      clients[client].use = .grace(until: now + Self.grace)
      clients[client].hasSession = false
    }
    settle(client, since: before)
    let accessBefore = (
      regionAccess(before), rangingAccess(before), mayNotify(before)
    )
    followAccess(client, since: accessBefore)
    if clients[client].releases { release(client) }
    showIndicator(client)
    if !before.isInUse, clients[client].isInUse { resume(client) }
  }

  /// Rows A8, Aj, Ak.
  private mutating func endUse(_ client: Int) {
    clients[client].isTemporarilyFull = false
    if clients[client].grant == .once {
      clients[client].grant = .undecided
      clients[client].isSpent = false
    }
  }

  private mutating func settle(_ client: Int, since before: ModelClient) {
    let state = clients[client]
    let keepsHeld =
      effective(state) == .provisional && !isReduced(state) && !lacksSession(state)
    if !keepsHeld, !state.releases { clients[client].held = nil }
    if state.grant != .provisional { clients[client].isConfirmationDue = false }
    if let question = state.question, !applies(question, state) {
      clients[client].question = nil
      emit(ModelLine(kind: .withdrawn), client)
      if question == .temporaryFull { emit(ModelLine(kind: .temporaryFull, value: 18), client) }
    }
    if status(before) != status(state) || isReduced(before) != isReduced(state) {
      let line = ModelLine(
        kind: .authorization,
        value: status(state).rawValue,
        reason: isReduced(state) ? 1 : 0
      )
      emit(line, client)
    }
  }

  private func applies(_ question: ModelClient.Question, _ client: ModelClient) -> Bool {
    switch question {
    case .first, .three: effective(client) == .undecided
    case .upgrade: effective(client) == .whileUsing && client.grant == .whileUsing
    case .confirmation: effective(client) == .provisional
    case .temporaryFull: isAuthorized(client) && isReduced(client)
    }
  }

  private mutating func followAccess(
    _ client: Int,
    since before: (regions: Access, ranging: Access, notifications: Bool)
  ) {
    let state = clients[client]
    if before.ranging != .deliver, rangingAccess(state) == .deliver {
      for index in state.rangings.indices { clients[client].rangings[index].restart(at: now) }
    }
    let withheld = Self.withheld(regionAccess(state))
    if withheld != Self.withheld(before.regions) {
      for index in state.regions.indices { withhold(withheld, index, client, isNotified: false) }
    }
    let mayNotify = mayNotify(state)
    if mayNotify != before.notifications {
      for index in state.notified.indices {
        withhold(mayNotify ? nil : .authorization, index, client, isNotified: true)
      }
    }
    failRanging(client)
  }

  static func withheld(_ access: Access) -> RegionStateReason? {
    guard case .silent(let reason) = access else { return nil }
    return reason
  }

  /// Rows D1 and R16: once for each time in which ranging yields nothing.
  mutating func failRanging(_ client: Int) {
    let failure: Int?
    switch rangingAccess(clients[client]) {
    case .fail(let code): failure = code
    case .deliver: failure = radioLoss == nil ? nil : 16
    case .drop, .hold, .silent: return
    }
    for index in clients[client].rangings.indices
    where clients[client].rangings[index].failure != failure {
      clients[client].rangings[index].failure = failure
      guard let failure else { continue }
      let number = clients[client].rangings[index].number
      emit(ModelLine(kind: .rangingFailure, subject: number, value: failure), client)
    }
  }

  // MARK: Indicator

  /// Something that tells of beacons was delivered (row C23); a crossing wakes a program of iOS 12 (row E16).
  mutating func delivered(_ client: Int, isCrossing: Bool) {
    let time = now
    step(client) { client in
      client.solidUntil = time + Self.solid
      if isCrossing { client.awakeUntil = time + Self.wake }
    }
  }

  private mutating func showIndicator(_ client: Int) {
    let isRegistered = !clients[client].regions.isEmpty || !clients[client].rangings.isEmpty
    let isAuthorized = isAuthorized(clients[client])
    if !isAuthorized || isReduced(clients[client]) || lacksSession(clients[client]) {
      clients[client].solidUntil = nil
    }
    let style: UsageIndicator.Style =
      if clients[client].use == .session {
        .session
      } else if clients[client].solidUntil != nil {
        .solid
      } else {
        isRegistered && isAuthorized ? .hollow : .none
      }
    guard style != clients[client].shownIndicator else { return }
    clients[client].shownIndicator = style
    let number = UsageIndicator.Style.allCases.firstIndex(of: style) ?? 0
    emit(ModelLine(kind: .indicator, value: number), client)
  }
}
