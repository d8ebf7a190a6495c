// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Everything about one client's authorization: its grants, its being in use, its prompt, its sessions, its indicator.
///
/// It owns the machines and puts what they bring about into one order: a prompt is withdrawn, held events are dropped,
/// one change is told however many things changed, a held event is delivered, requests complete, diagnostics and the
/// indicator follow, a new prompt comes last.
///
/// Inputs at a time come before deadlines at that time. The owner serves deadlines one by one, so that each is told as
/// of when it fell due:
///
///     while let due = client.nextDeadline, due <= now { actions = client.timePassed(to: due) }
///
/// An input first serves the deadlines before its time that the owner has not. The queries hold after the input, which
/// is when gates are to be evaluated, before the actions are told.
package struct ClientAuthorization: Sendable, Equatable {
  package let manifest: Manifest
  package let profile: AuthorizationProfile
  package let timing: AuthorizationTiming

  private var machine: AuthorizationMachine
  private var use: InUseMachine
  private var services = ServiceSessions()
  private var usageIndicator: UsageIndicator
  private var isRegistered = false
  private var isToldLimited = false
  private var awakeUntil: Timestamp?

  /// Creates a client's authorization.
  ///
  /// - Parameters:
  ///   - manifest: What the program declares.
  ///   - profile: Whose rules hold.
  ///   - timing: The times that Core Location does not state.
  ///   - utcOffset: What local time is ahead of UTC by, for an App Clip's morning.
  ///   - saved: How things stand, from a former process or from a scenario; deadlines that passed meanwhile are
  ///     told by the next ``timePassed(to:)``.
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

  // MARK: What it says

  /// What the client reads of its authorization.
  package var status: AuthorizationStatus { machine.status }
  /// What the client reads of its accuracy.
  package var accuracy: AccuracyAuthorization { machine.accuracy }
  /// What gates look at instead of the status.
  package var standing: AuthorizationStanding { machine.standing }
  /// What the person sees in Settings.
  package var settingsShows: SettingsView { machine.settingsShows }
  /// The prompt that is showing.
  package var prompt: Prompt? { machine.prompt }
  /// The event that is held back.
  package var held: HeldEvent? { machine.held }
  /// Why the client is in use, or `nil` when it is not.
  package var inUseReason: InUseReason? { use.reason }
  /// Whether the client is in use.
  package var isInUse: Bool { use.isInUse }
  /// Whether the client is in the foreground.
  package var isForeground: Bool { use.reason == .foreground }
  /// The indicator that is shown.
  package var indicator: UsageIndicator.Style { usageIndicator.style }
  /// What survives a relaunch.
  package var saved: SavedAuthorization { machine.saved }
  /// The grant itself, for inspection.
  package var grant: AuthorizationMachine.Grant { machine.grant }
  /// Whether the one request for Always has been used up, for inspection.
  package var isAlwaysSpent: Bool { machine.isAlwaysSpent }

  /// What may reach the client at a time.
  package func rules(at time: Timestamp) -> DeliveryRules {
    DeliveryRules(
      profile: profile,
      standing: machine.standing,
      accuracy: machine.accuracy,
      isInUse: use.isInUse,
      isAwake: awakeUntil.map { time < $0 } ?? false
    )
  }

  /// The earliest time at which ``timePassed(to:)`` can do anything, or `nil` when it cannot.
  package var nextDeadline: Timestamp? {
    Self.earlier(use.nextDeadline, Self.earlier(machine.nextDeadline, usageIndicator.nextDeadline))
  }

  /// Asked at every report, so without an array.
  private static func earlier(_ first: Timestamp?, _ second: Timestamp?) -> Timestamp? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  // MARK: What comes in

  /// The program asked for something.
  package mutating func requested(
    _ request: AuthorizationRequest,
    at time: Timestamp
  ) -> [AuthorizationAction] {
    step(at: time) { client in client.effects(of: request, at: time) }
  }

  /// The person did something.
  package mutating func user(_ input: UserAction, at time: Timestamp) -> [AuthorizationAction] {
    step(at: time) { client in client.effects(of: input, at: time) }
  }

  /// An event happened for which ``DeliveryRules/crossing`` says hold.
  package mutating func held(_ event: HeldEvent, at time: Timestamp) -> [AuthorizationAction] {
    step(at: time) { client in client.machine.eventHeld(event, at: time) }
  }

  /// The owner cannot deliver a held event any more; no ``AuthorizationAction/dropHeld(id:)`` follows.
  package mutating func heldEventForgotten(id: UInt64) {
    machine.heldEventForgotten(id: id)
  }

  /// The client got its first registration, a region or a ranging constraint, or lost its last.
  package mutating func registrationsChanged(
    any isRegistered: Bool,
    at time: Timestamp
  ) -> [AuthorizationAction] {
    step(at: time) { client in
      client.isRegistered = isRegistered
      return AuthorizationEffects()
    }
  }

  /// Something was delivered to the client; a crossing also wakes it (iOS 12).
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

  /// The client's process ended: it is out of use at once, and its sessions, prompts and registrations are gone.
  ///
  /// Regions persist; the owner says so again by ``registrationsChanged(any:at:)``.
  package mutating func terminated(at time: Timestamp) -> [AuthorizationAction] {
    step(at: time) { client in
      let effects = client.machine.programEnded()
      client.use.terminated()
      client.services.endAll()
      client.isRegistered = false
      client.awakeUntil = nil
      return effects
    }
  }

  /// The client's process started again, ended before or not.
  package mutating func relaunched(
    isForeground: Bool,
    at time: Timestamp
  ) -> [AuthorizationAction] {
    var actions = terminated(at: time)
    if isForeground { actions += user(.foreground, at: time) }
    return actions
  }

  /// Time passed; what fell due is told in the order in which it did.
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

  /// Applies one input, lets the rest follow from it, and tells what came of it once.
  private mutating func apply(
    at time: Timestamp,
    _ input: (inout ClientAuthorization) -> AuthorizationEffects
  ) -> [AuthorizationAction] {
    let before = (status, accuracy)
    let wasInUse = isInUse
    let shownIndicator = indicator

    var effects = input(&self)
    if wasInUse, !isInUse { effects.append(machine.useEnded()) }
    if !status.isAuthorized { use.updatesCeased(at: time) }
    services.rearm(after: effects)
    effects.append(services.pursue(in: &machine, use: use.reason))
    tellLimits(&effects)

    let isChanged = before != (status, accuracy)
    return effects.actions(
      change: isChanged ? .changed(status, accuracy) : nil,
      presentation: presentation(since: shownIndicator)
    )
  }

  /// Says once that a client with registrations gets nothing because of its accuracy.
  private mutating func tellLimits(_ effects: inout AuthorizationEffects) {
    let isLimited = isRegistered && status.isAuthorized && accuracy == .reduced
    if isLimited, !isToldLimited { effects.diagnostics.append(.accuracyLimited) }
    isToldLimited = isLimited
  }

  private mutating func presentation(
    since shown: UsageIndicator.Style
  ) -> [AuthorizationAction] {
    usageIndicator.update(
      isAsking: isRegistered && status.isAuthorized,
      isBlocked: !status.isAuthorized || accuracy == .reduced,
      isSession: use.reason == .session
    )
    let indicator: [AuthorizationAction] =
      shown == self.indicator ? [] : [.indicator(self.indicator)]
    return indicator + services.news(of: machine, isInUse: isInUse)
  }
}

// MARK: - Inputs taken apart

extension ClientAuthorization {
  private mutating func effects(
    of request: AuthorizationRequest,
    at time: Timestamp
  ) -> AuthorizationEffects {
    switch request {
    case .whenInUse: return machine.whenInUseRequested(isInUse: isInUse)
    case .always: return machine.alwaysRequested(isInUse: isInUse)
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
    // In the background, provisional Always delivers as when-in-use and starts as little.
    guard isForeground || status.isAuthorized,
      use.sessionStarted(fromBackground: standing == .always)
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
    case .quiet: return machine.quietMomentCame()
    case .screenOn: break
    }
    return AuthorizationEffects()
  }
}
