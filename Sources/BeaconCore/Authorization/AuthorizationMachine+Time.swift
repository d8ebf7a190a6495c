// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// An event happened that a provisional grant holds back (rows A15, A16, A21).
  ///
  /// An event that nothing holds, because the grant was decided meanwhile or the event is no news any more, is
  /// dropped: it was found undeliverable before it came here.
  package mutating func eventHeld(_ event: HeldEvent, at time: Timestamp) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard case .provisional(var provisional) = grant, standing == .provisionalAlways,
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

  /// The owner can deliver a held event no more, for instance because its region is not monitored any longer.
  package mutating func heldEventForgotten(id: UInt64) {
    guard held?.id == id else { return }
    var ignored = AuthorizationEffects()
    dropHeld(&ignored)
  }

  /// A moment came in which the person is not busy (row A18).
  package mutating func quietMomentCame() -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard question == nil, standing == .provisionalAlways,
      case .provisional(let provisional) = grant, provisional.isConfirmationDue
    else { return effects }
    show(.confirmation, &effects)
    return effects
  }

  /// The client ceased to be in use: R⁺ is dropped, then T (rows A8, Aj, Ak).
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

  /// The client's process ended, and nobody is left to hear what its prompts are answered.
  ///
  /// The second prompt of a provisional grant is the machine's own and stays.
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

  /// Time passed: an App Clip's morning came (row A27), or a held event is no news any more (row A17).
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
