// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The authorization of one client: its grants, whether it is in use, its prompt, its sessions, its indicator.
///
/// It owns the state machines and puts their effects in one order: a prompt is withdrawn, held events are dropped, a
/// single change is delivered however many values changed, a held event is delivered, requests complete, diagnostics
/// and the indicator follow, a new prompt comes last.
///
/// Inputs at a time come before deadlines at that time. The caller processes deadlines one by one, so that the effects
/// of each have the time at which it was due:
///
///     while let due = client.nextDeadline, due <= now { actions = client.timePassed(to: due) }
///
/// An input first processes earlier deadlines that the caller has not processed. The properties describe the state
/// after the input, which is the state to evaluate the gate with, before the actions are delivered.
package struct ClientAuthorization: Sendable, Equatable {
  package let manifest: Manifest
  package let profile: AuthorizationProfile
  package let timing: AuthorizationTiming

  private var machine: AuthorizationMachine
  private var use: InUseMachine
  private var services = ServiceSessions()
  private var usageIndicator: UsageIndicator
  private var isRegistered = false
  private var hasWarnedOfLimit = false
  private var hasWarnedOfSession = false
  private var awakeUntil: Timestamp?

  /// Creates a client's authorization.
  ///
  /// - Parameters:
  ///   - manifest: What the program declares.
  ///   - profile: The rules of authorization.
  ///   - timing: The times that Core Location does not state.
  ///   - utcOffset: How far local time is ahead of UTC, for an App Clip's morning.
  ///   - saved: The state of an earlier process or of a scenario; the next ``timePassed(to:)`` processes deadlines that
  ///     passed in between.
  ///   - isForeground: Whether the client starts in the foreground.
  ///   - time: Now.
  package init(
    manifest: Manifest,
    profile: AuthorizationProfile,
    timing: AuthorizationTiming = AuthorizationTiming(),
    utcOffset: TimeSpan = .zero,
    restoring saved: SavedAuthorization = SavedAuthorization(),
    isForeground: Bool,
    at time: Timestamp
  ) {
    self.manifest = manifest
    self.profile = profile
    self.timing = timing
    self.machine = AuthorizationMachine(
      restoring: saved,
      profile: profile,
      manifest: manifest,
      timing: timing,
      utcOffset: utcOffset,
      at: time
    )
    self.use = InUseMachine(isForeground: isForeground, grace: timing.grace)
    self.usageIndicator = UsageIndicator(solid: timing.solid)
  }

  // MARK: State

  /// The authorization status that the client reads.
  package var status: AuthorizationStatus { machine.status }
  /// The accuracy that the client reads.
  package var accuracy: AccuracyAuthorization { machine.accuracy }
  /// The authorization that delivery depends on, instead of the status.
  package var effective: EffectiveAuthorization { machine.effective }
  /// What Settings show to the user.
  package var settingsShows: SettingsView { machine.settingsShows }
  /// The prompt that is showing.
  package var prompt: Prompt? { machine.prompt }
  /// The event that is held back.
  package var held: HeldEvent? { machine.held }
  /// Whether the second prompt of a provisional grant waits for a quiet moment.
  package var awaitsQuiet: Bool { machine.awaitsQuiet }
  /// Why the client is in use, or `nil` when it is not.
  package var inUseReason: InUseReason? { use.reason }
  /// Whether the client is in use.
  package var isInUse: Bool { use.isInUse }
  /// Whether the client is in the foreground.
  package var isForeground: Bool { use.reason == .foreground }
  /// The indicator that is shown.
  package var indicator: UsageIndicator.Style { usageIndicator.style }
  /// The state that a relaunch keeps.
  package var saved: SavedAuthorization { machine.saved }
  /// The grant itself, for inspection.
  package var grant: AuthorizationMachine.Grant { machine.grant }
  /// Whether the one request for Always has been used up, for inspection.
  package var isAlwaysSpent: Bool { machine.isAlwaysSpent }

  /// Whether the manifest demands an explicit service session that the client does not have.
  package var lacksSession: Bool { services.isMissing(manifest) }

  /// The rules of delivery to the client at a time.
  package func rules(at time: Timestamp) -> DeliveryRules {
    DeliveryRules(
      profile: profile,
      authorization: machine.effective,
      accuracy: machine.accuracy,
      isInUse: use.isInUse,
      lacksSession: lacksSession,
      isAwake: awakeUntil.map { time < $0 } ?? false
    )
  }

  /// The earliest time at which ``timePassed(to:)`` has an effect, if any.
  package var nextDeadline: Timestamp? {
    Self.earlier(use.nextDeadline, Self.earlier(machine.nextDeadline, usageIndicator.nextDeadline))
  }

  /// Called for every report, so without an array.
  private static func earlier(_ first: Timestamp?, _ second: Timestamp?) -> Timestamp? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  // MARK: Inputs

  /// Processes a program's request.
  package mutating func requested(
    _ request: AuthorizationRequest,
    at time: Timestamp
  ) -> [AuthorizationAction] {
    step(at: time) { client in client.effects(of: request, at: time) }
  }

  /// Processes a user action.
  package mutating func user(_ input: UserAction, at time: Timestamp) -> [AuthorizationAction] {
    step(at: time) { client in client.effects(of: input, at: time) }
  }

  /// Processes an event whose ``DeliveryRules/crossing`` is `hold`.
  package mutating func held(_ event: HeldEvent, at time: Timestamp) -> [AuthorizationAction] {
    step(at: time) { client in client.machine.eventHeld(event, at: time) }
  }

  /// Drops a held event that the caller can no longer deliver; no ``AuthorizationAction/dropHeld(id:)`` follows.
  package mutating func heldEventForgotten(id: UInt64) {
    machine.heldEventForgotten(id: id)
  }

  /// Processes the client's first registration (a region or a ranging constraint), or the end of its last.
  package mutating func registrationsChanged(
    any isRegistered: Bool,
    at time: Timestamp
  ) -> [AuthorizationAction] {
    step(at: time) { client in
      client.isRegistered = isRegistered
      return AuthorizationEffects()
    }
  }

  /// Processes a delivery to the client; a crossing also wakes it (iOS 12).
  package mutating func delivered(
    isCrossing: Bool,
    at time: Timestamp
  ) -> [AuthorizationAction] {
    step(at: time) { client in
      client.usageIndicator.delivered(at: time)
      if isCrossing { client.awakeUntil = time + client.timing.wake }
      return AuthorizationEffects()
    }
  }

  /// Processes the end of the client's process: it is no longer in use, and its sessions, prompts and registrations
  /// end.
  ///
  /// - Parameters:
  ///   - time: When it ended.
  ///   - isRegistered: Whether regions are left, which outlive the process (row G3).
  /// - Returns: The resulting actions.
  package mutating func terminated(
    at time: Timestamp,
    isRegistered: Bool = false
  ) -> [AuthorizationAction] {
    step(at: time) { client in
      let effects = client.machine.programEnded()
      client.use.terminated()
      client.services.endAll()
      client.isRegistered = isRegistered
      client.awakeUntil = nil
      return effects
    }
  }

  /// Processes a new start of the client's process, whether its end was processed or not.
  package mutating func relaunched(
    isForeground: Bool,
    at time: Timestamp,
    isRegistered: Bool = false
  ) -> [AuthorizationAction] {
    var actions = terminated(at: time, isRegistered: isRegistered)
    // A new process has not been warned yet.
    (hasWarnedOfLimit, hasWarnedOfSession) = (false, false)
    if isForeground { actions += user(.foreground, at: time) }
    return actions
  }

  /// Processes the deadlines up to a time, in order.
  package mutating func timePassed(to now: Timestamp) -> [AuthorizationAction] {
    var actions: [AuthorizationAction] = []
    while let due = nextDeadline, due <= now {
      actions += apply(at: due) { client in
        client.use.timePassed(to: due)
        client.usageIndicator.timePassed(to: due)
        return client.machine.timePassed(to: due)
      }
    }
    return actions
  }

  // MARK: One step

  private mutating func step(
    at time: Timestamp,
    _ input: (inout ClientAuthorization) -> AuthorizationEffects
  ) -> [AuthorizationAction] {
    var actions: [AuthorizationAction] = []
    while let due = nextDeadline, due < time { actions += timePassed(to: due) }
    return actions + apply(at: time, input)
  }

  /// Applies one input with all its consequences, and returns each resulting action once.
  private mutating func apply(
    at time: Timestamp,
    _ input: (inout ClientAuthorization) -> AuthorizationEffects
  ) -> [AuthorizationAction] {
    let before = (status, accuracy)
    let wasInUse = isInUse
    let shownIndicator = indicator

    var effects = input(&self)
    if wasInUse, !isInUse { effects.append(machine.useEnded()) }
    if !status.isAuthorized { use.updatesEnded(at: time) }
    services.rearm(after: effects)
    effects.append(services.pursue(in: &machine, use: use.reason))
    if lacksSession { machine.dropHeld(&effects) }
    warnOfLimits(&effects)

    let isChanged = before != (status, accuracy)
    return effects.actions(
      change: isChanged ? .changed(status, accuracy) : nil,
      presentation: presentation(since: shownIndicator)
    )
  }

  /// Warns once that a client with registrations receives nothing because of its accuracy, or without a session.
  private mutating func warnOfLimits(_ effects: inout AuthorizationEffects) {
    let isLimited = isRegistered && status.isAuthorized && accuracy == .reduced
    if isLimited, !hasWarnedOfLimit { effects.diagnostics.append(.accuracyLimited) }
    hasWarnedOfLimit = isLimited
    let isMissing = isRegistered && status.isAuthorized && lacksSession
    if isMissing, !hasWarnedOfSession { effects.diagnostics.append(.serviceSessionRequired) }
    hasWarnedOfSession = isMissing
  }

  private mutating func presentation(
    since shown: UsageIndicator.Style
  ) -> [AuthorizationAction] {
    usageIndicator.update(
      isAsking: isRegistered && status.isAuthorized,
      isBlocked: !status.isAuthorized || accuracy == .reduced || lacksSession,
      isSession: use.reason == .session
    )
    let indicator: [AuthorizationAction] =
      shown == self.indicator ? [] : [.indicator(self.indicator)]
    return indicator + services.changedDiagnostics(in: machine, use: use.reason)
  }
}

// MARK: - Effects of single inputs

extension ClientAuthorization {
  private mutating func effects(
    of request: AuthorizationRequest,
    at time: Timestamp
  ) -> AuthorizationEffects {
    switch request {
    case .whenInUse: return machine.whenInUseRequested(use: use.reason)
    case .always: return machine.alwaysRequested(use: use.reason)
    case .temporaryFull(let purpose):
      return machine.temporaryFullRequested(purpose: purpose, isForeground: isForeground)
    case .startSession: return sessionStarted()
    case .stopSession: use.sessionStopped(at: time)
    case .beginService(let session): return serviceBegan(session)
    case .endService(let id): services.ended(id: id)
    }
    return AuthorizationEffects()
  }

  private mutating func sessionStarted() -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard manifest.backgroundLocation else {
      effects.diagnostics.append(.backgroundModeMissing)
      return effects
    }
    // In the background, provisional Always delivers as when-in-use, and starts no session either.
    guard isForeground || status.isAuthorized,
      use.sessionStarted(fromBackground: effective == .always)
    else {
      effects.diagnostics.append(.insufficientlyInUse)
      return effects
    }
    return effects
  }

  private mutating func serviceBegan(_ session: ServiceSession) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    services.began(session)
    if session.goal != .none, let key = manifest.missingText(forAlways: session.goal == .always) {
      effects.diagnostics.append(.usageTextMissing(key: key))
    }
    if let purpose = session.fullAccuracyPurposeKey,
      (manifest.purposeText(purpose) ?? "").isEmpty
    {
      effects.diagnostics.append(.purposeKeyMissing(key: purpose))
    }
    return effects
  }

  private mutating func effects(
    of input: UserAction,
    at time: Timestamp
  ) -> AuthorizationEffects {
    switch input {
    case .answer(let choice, let precise):
      return machine.answered(choice, precise: precise, isInUse: isInUse, at: time)
    case .settings(let authorization, let precise):
      return machine.settingsChanged(authorization: authorization, precise: precise, at: time)
    case .services(let on): return machine.servicesSwitched(on: on)
    case .restriction(let on): return machine.restrictionSwitched(on: on)
    case .foreground, .tapNotification: use.foregroundEntered()
    case .background: use.foregroundLeft(at: time)
    case .quiet: return machine.quietPeriodEnded()
    case .zone(let offset): machine.utcOffset = offset
    case .start(let grants, let isForeground):
      use.terminated()
      if isForeground { use.foregroundEntered() }
      services.endAll()
      awakeUntil = nil
      (hasWarnedOfLimit, hasWarnedOfSession) = (false, false)
      return machine.startedAgain(with: grants, at: time)
    case .screenOn, .press: break
    }
    return AuthorizationEffects()
  }
}
