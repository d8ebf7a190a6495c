// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// Why a request does nothing.
  package enum Refusal: Sendable, Hashable {
    /// There is nothing left to request (rows A7, A13, A22, Ah).
    case settled
    /// There is an obstacle that a diagnostic can name.
    case because(AuthorizationDiagnostic)

    var diagnostic: AuthorizationDiagnostic? {
      switch self {
      case .settled: nil
      case .because(let diagnostic): diagnostic
      }
    }
  }

  /// Returns why a request for authorization has no effect; `nil` when it has one.
  ///
  /// A permanent reason takes precedence over a temporary one. A prompt needs the client in the foreground: the grace
  /// period and a background session are not in use enough (row Q1).
  package func refusal(ofAlways always: Bool, use: InUseReason?) -> Refusal? {
    if let obstacle { return .because(obstacle) }
    let isOpen =
      switch grant {
      case .notDetermined: !(always && isAppClip)
      case .whenInUse: always && !isAlwaysSpent
      case .once, .untilMorning, .provisional, .always, .denied: false
      }
    guard isOpen else { return .settled }
    if let key = manifest.missingText(forAlways: always) {
      return .because(.usageTextMissing(key: key))
    }
    // iOS 13.0 raises a grant without a prompt (row A9).
    let isPrompt = !(profile == .iOS13 && grant == .whenInUse)
    guard use == .foreground || (use != nil && !isPrompt) else {
      return .because(.insufficientlyInUse)
    }
    return question == nil ? nil : .because(.authorizationRequestInProgress)
  }

  /// Returns why a request for temporary full accuracy shows no prompt; `nil` when it does (rows Ag, Ah, Ai, Al).
  package func refusal(ofTemporaryFull purpose: String, isForeground: Bool) -> Refusal? {
    guard let text = manifest.purposeText(purpose), !text.isEmpty else {
      return .because(.purposeKeyMissing(key: purpose))
    }
    if let obstacle { return .because(obstacle) }
    guard effective.isAuthorized, accuracy == .reduced else { return .settled }
    guard isForeground else { return .because(.insufficientlyInUse) }
    return question == nil ? nil : .because(.authorizationRequestInProgress)
  }

  /// The reason that prevents every request.
  private var obstacle: AuthorizationDiagnostic? {
    switch effective {
    case .servicesOff: .servicesOff
    case .restricted: .authorizationRestricted
    case .denied: .authorizationDenied
    case .notDetermined, .whenInUse, .provisionalAlways, .always: nil
    }
  }

  /// Processes a program's request for authorization while in use.
  package mutating func whenInUseRequested(use: InUseReason?) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    if let refusal = refusal(ofAlways: false, use: use) {
      if let diagnostic = refusal.diagnostic { effects.diagnostics.append(diagnostic) }
    } else {
      show(.whenInUse(alwaysWanted: false), &effects)
    }
    return effects
  }

  /// Processes a program's request for authorization at any time.
  package mutating func alwaysRequested(use: InUseReason?) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    if let refusal = refusal(ofAlways: true, use: use) {
      if let diagnostic = refusal.diagnostic { effects.diagnostics.append(diagnostic) }
      return effects
    }
    // Used up by the request, not by the answer: the process can be started only once (row U16).
    isAlwaysSpent = true
    switch (grant, profile) {
    case (.notDetermined, .iOS12): show(.threeOptions, &effects)
    case (.notDetermined, _): show(.whenInUse(alwaysWanted: true), &effects)
    case (_, .iOS13): grant = .provisional(Provisional())
    case (_, .iOS12), (_, .iOS13Point4), (_, .iOS14): show(.upgrade, &effects)
    }
    settle(&effects)
    return effects
  }

  /// Processes a request of the program, or of one of its service sessions, for full accuracy for this use.
  ///
  /// A request that shows no prompt completes with ``LocationErrorCode/promptDeclined``.
  package mutating func temporaryFullRequested(
    purpose: String,
    service: UInt64? = nil,
    isForeground: Bool
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    if let refusal = refusal(ofTemporaryFull: purpose, isForeground: isForeground) {
      effects.completions.append(.init(purpose: purpose, error: .promptDeclined))
      if let diagnostic = refusal.diagnostic { effects.diagnostics.append(diagnostic) }
    } else {
      show(.temporaryFull(purpose: purpose, service: service), &effects)
    }
    return effects
  }
}
