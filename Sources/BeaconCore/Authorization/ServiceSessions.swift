// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The service sessions of one client, in the order in which they began.
package struct ServiceSessions: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    let session: ServiceSession
    /// Whether full accuracy was asked for since it last lapsed; a refusal is not asked again.
    var hasAskedForAccuracy = false
    /// What the session was last told.
    var told: [ServiceSession.Diagnostic]?
  }

  private var entries: [Entry] = []

  package init() {}

  /// A session began; one with an identifier in use takes the place of the former.
  package mutating func began(_ session: ServiceSession) {
    ended(id: session.id)
    entries.append(Entry(session: session))
  }

  /// A session ended.
  package mutating func ended(id: UInt64) {
    entries.removeAll { $0.session.id == id }
  }

  /// The client's process ended, and its sessions with it.
  package mutating func endAll() {
    entries = []
  }

  /// Lets sessions ask again whose grant lapsed or whose prompt was taken away.
  package mutating func rearm(after effects: AuthorizationEffects) {
    for index in entries.indices
    where effects.temporaryFullLapsed
      || effects.unansweredServices.contains(entries[index].session.id)
    {
      entries[index].hasAskedForAccuracy = false
    }
  }

  /// Asks for what the sessions want, as far as it can be asked for now: one prompt at a time, status first.
  package mutating func pursue(
    in machine: inout AuthorizationMachine,
    use: InUseReason?
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    for index in entries.indices {
      let session = entries[index].session
      effects.append(pursueGoal(of: session, in: &machine, isInUse: use != nil))
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
    isInUse: Bool
  ) -> AuthorizationEffects {
    switch session.goal {
    case .none: break
    case .whenInUse:
      if machine.refusal(ofAlways: false, isInUse: isInUse) == nil {
        return machine.whenInUseRequested(isInUse: isInUse)
      }
    case .always:
      if machine.refusal(ofAlways: true, isInUse: isInUse) == nil {
        return machine.alwaysRequested(isInUse: isInUse)
      }
    }
    return AuthorizationEffects()
  }

  /// Returns what each session has to be told anew, in order.
  package mutating func news(
    of machine: AuthorizationMachine,
    isInUse: Bool
  ) -> [AuthorizationAction] {
    var actions: [AuthorizationAction] = []
    for index in entries.indices {
      let present = diagnostics(of: entries[index], machine: machine, isInUse: isInUse)
      guard present != entries[index].told else { continue }
      entries[index].told = present
      actions.append(.serviceDiagnostics(id: entries[index].session.id, present))
    }
    return actions
  }

  private func diagnostics(
    of entry: Entry,
    machine: AuthorizationMachine,
    isInUse: Bool
  ) -> [ServiceSession.Diagnostic] {
    let standing = machine.standing
    let isLimited = machine.accuracy == .reduced
    let isAsking = machine.question != nil
    return ServiceSession.Diagnostic.allCases.filter { diagnostic in
      switch diagnostic {
      case .accuracyLimited: isLimited && standing.isAuthorized
      case .alwaysAuthorizationDenied:
        entry.session.goal == .always && machine.grant == .whenInUse && machine.isAlwaysSpent
          && standing == .whenInUse && machine.question != .upgrade
      case .authorizationDenied: standing == .denied || standing == .servicesOff
      case .authorizationDeniedGlobally: standing == .servicesOff
      case .authorizationRequestInProgress: isAsking
      case .authorizationRestricted: standing == .restricted
      case .fullAccuracyDenied:
        entry.hasAskedForAccuracy && isLimited && !machine.isAskingForAccuracy
      case .insufficientlyInUse: !isInUse && standing != .always
      }
    }
  }
}

extension AuthorizationMachine {
  /// Whether the showing prompt asks for full accuracy.
  fileprivate var isAskingForAccuracy: Bool {
    if case .temporaryFull = question { true } else { false }
  }
}
