// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The service sessions of one client, in the order in which they started.
package struct ServiceSessions: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    let session: ServiceSession
    /// Whether full accuracy was requested since it last ended; after a refusal it is not requested again.
    var hasAskedForAccuracy = false
    /// The diagnostics last delivered to the session.
    var delivered: [ServiceSession.Diagnostic]?
  }

  private var entries: [Entry] = []

  package init() {}

  /// Adds a session; it replaces one with the same identifier.
  package mutating func began(_ session: ServiceSession) {
    ended(id: session.id)
    entries.append(Entry(session: session))
  }

  /// Removes a session.
  package mutating func ended(id: UInt64) {
    entries.removeAll { $0.session.id == id }
  }

  /// Removes all sessions, at the end of the client's process.
  package mutating func endAll() {
    entries = []
  }

  /// Whether the manifest demands an explicit session that the client does not have (row N15).
  package func isMissing(_ manifest: Manifest) -> Bool {
    manifest.explicitServiceSession && entries.allSatisfy(\.session.isImplicit)
  }

  /// Lets sessions request again if their grant ended or their prompt was removed.
  package mutating func rearm(after effects: AuthorizationEffects) {
    for index in entries.indices
    where effects.temporaryFullLapsed
      || effects.unansweredServices.contains(entries[index].session.id)
    {
      entries[index].hasAskedForAccuracy = false
    }
  }

  /// Requests the sessions' goals as far as possible now: one prompt at a time, status first.
  package mutating func pursue(
    in machine: inout AuthorizationMachine,
    use: InUseReason?
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    for index in entries.indices {
      let session = entries[index].session
      if session.isImplicit, machine.manifest.explicitServiceSession { continue }
      effects.append(pursueGoal(of: session, in: &machine, use: use))
      guard let purpose = session.fullAccuracyPurposeKey, !entries[index].hasAskedForAccuracy,
        machine.refusal(ofTemporaryFull: purpose, isForeground: use == .foreground) == nil
      else { continue }
      entries[index].hasAskedForAccuracy = true
      effects.append(
        machine.temporaryFullRequested(purpose: purpose, service: session.id, isForeground: true)
      )
    }
    return effects
  }

  private func pursueGoal(
    of session: ServiceSession,
    in machine: inout AuthorizationMachine,
    use: InUseReason?
  ) -> AuthorizationEffects {
    switch session.goal {
    case .none: break
    case .whenInUse:
      if machine.refusal(ofAlways: false, use: use) == nil {
        return machine.whenInUseRequested(use: use)
      }
    case .always:
      if machine.refusal(ofAlways: true, use: use) == nil {
        return machine.alwaysRequested(use: use)
      }
    }
    return AuthorizationEffects()
  }

  /// Returns the changed diagnostics of each session, in order.
  package mutating func changedDiagnostics(
    in machine: AuthorizationMachine,
    use: InUseReason?
  ) -> [AuthorizationAction] {
    var actions: [AuthorizationAction] = []
    for index in entries.indices {
      let present = diagnostics(of: entries[index], machine: machine, use: use)
      guard present != entries[index].delivered else { continue }
      entries[index].delivered = present
      actions.append(.serviceDiagnostics(id: entries[index].session.id, present))
    }
    return actions
  }

  private func diagnostics(
    of entry: Entry,
    machine: AuthorizationMachine,
    use: InUseReason?
  ) -> [ServiceSession.Diagnostic] {
    let effective = machine.effective
    let isLimited = machine.accuracy == .reduced
    let isAsking = machine.question != nil
    return ServiceSession.Diagnostic.allCases.filter { diagnostic in
      switch diagnostic {
      case .accuracyLimited: isLimited && effective.isAuthorized
      case .alwaysAuthorizationDenied:
        entry.session.goal == .always && machine.grant == .whenInUse && machine.isAlwaysSpent
          && effective == .whenInUse && machine.question != .upgrade
      case .authorizationDenied: effective == .denied || effective == .servicesOff
      case .authorizationDeniedGlobally: effective == .servicesOff
      case .authorizationRequestInProgress: isAsking
      case .authorizationRestricted: effective == .restricted
      case .fullAccuracyDenied:
        entry.hasAskedForAccuracy && isLimited && !machine.isAskingForAccuracy
      case .insufficientlyInUse:
        (use == nil && effective != .always)
          || (entry.session.goal != .none
            && machine.refusal(ofAlways: entry.session.goal == .always, use: use)
              == .because(.insufficientlyInUse))
      case .serviceSessionRequired: isMissing(machine.manifest)
      }
    }
  }
}

extension AuthorizationMachine {
  /// Whether the current prompt asks for full accuracy.
  fileprivate var isAskingForAccuracy: Bool {
    if case .temporaryFull = question { true } else { false }
  }
}
