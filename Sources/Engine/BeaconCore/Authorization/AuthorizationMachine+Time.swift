// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// Processes an event that a provisional grant holds (rows A15, A16, A21).
  ///
  /// An event that cannot be held, because the grant was decided by then or the event is too old, is dropped: it
  /// could not be delivered when it occurred.
  package mutating func eventHeld(_ event: HeldEvent, at time: Timestamp) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard case .provisional(var provisional) = grant, effective == .provisionalAlways,
      accuracy == .full
    else {
      effects.dropped.append(event.id)
      return effects
    }
    if let displaced = provisional.held { effects.dropped.append(displaced.id) }
    provisional.held = event
    provisional.isConfirmationDue = true
    grant = .provisional(provisional)
    if event.time + timing.staleAge < time { dropHeld(&effects) }
    return effects
  }

  /// Drops a held event that the caller can no longer deliver, for instance because its region is no longer monitored.
  package mutating func heldEventForgotten(id: UInt64) {
    guard held?.id == id else { return }
    var ignored = AuthorizationEffects()
    dropHeld(&ignored)
  }

  /// Whether the second prompt of a provisional grant waits for a quiet moment.
  package var awaitsQuiet: Bool {
    guard question == nil, effective == .provisionalAlways,
      case .provisional(let provisional) = grant
    else { return false }
    return provisional.isConfirmationDue
  }

  /// Processes a moment at which the user is not busy (row A18).
  package mutating func quietPeriodEnded() -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard awaitsQuiet else { return effects }
    show(.confirmation, &effects)
    return effects
  }

  /// Processes the end of use: temporary full accuracy (R⁺) ends, then Allow Once (T) (rows A8, Aj, Ak).
  package mutating func useEnded() -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    effects.temporaryFullLapsed = isTemporarilyFull
    isTemporarilyFull = false
    if grant == .once {
      grant = .notDetermined
      isAlwaysSpent = false
    }
    settle(&effects)
    return effects
  }

  /// Processes the end of the client's process, which can no longer receive the answers to its prompts.
  ///
  /// The second prompt of a provisional grant belongs to the machine and stays.
  package mutating func programEnded() -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    switch question {
    case .whenInUse, .threeOptions, .upgrade, .temporaryFull:
      question = nil
      effects.withdrawsPrompt = true
    case .confirmation, nil:
      break
    }
    return effects
  }

  /// Processes deadlines: the morning at which an App Clip's grant ends (row A27), or a held event that becomes too old
  /// (row A17).
  package mutating func timePassed(to now: Timestamp) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard let nextDeadline, nextDeadline <= now else { return effects }
    switch grant {
    case .untilMorning: grant = .notDetermined
    case .provisional: dropHeld(&effects)
    case .notDetermined, .once, .whenInUse, .always, .denied: break
    }
    settle(&effects)
    return effects
  }
}
