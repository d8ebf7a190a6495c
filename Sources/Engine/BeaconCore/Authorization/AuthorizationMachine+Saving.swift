// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// Creates the state machine of a client from its saved state, in a new process.
  ///
  /// A grant that the profile or the manifest does not have becomes the nearest lesser one, so that a file from
  /// elsewhere cannot grant more than a user could. Deadlines that passed in between are still due, and so are those that lie
  /// further ahead than they could have been set: the clock went back, and the time that passed is not known.
  ///
  /// - Parameters:
  ///   - saved: The saved state.
  ///   - profile: The rules of authorization.
  ///   - manifest: What the program declares.
  ///   - timing: The times that Core Location does not state.
  ///   - utcOffset: How far local time is ahead of UTC.
  ///   - time: Now; an App Clip with a when-in-use grant is granted until the following morning.
  package init(
    restoring saved: SavedAuthorization,
    profile: AuthorizationProfile,
    manifest: Manifest,
    timing: AuthorizationTiming,
    utcOffset: TimeSpan,
    at time: Timestamp
  ) {
    self.profile = profile
    self.manifest = manifest
    self.timing = timing
    self.utcOffset = utcOffset
    self.isAlwaysSpent = saved.alwaysSpent
    self.isRestricted = saved.isRestricted
    self.areServicesOn = saved.servicesOn
    self.isPrecise = saved.accuracy == .full || !profile.hasAccuracyAxis
    let isClip = manifest.appClip && profile.hasTemporaryGrants
    let until = saved.until.map { $0 - time > AuthorizationTiming.longestUntilMorning ? time : $0 }
    let whileUsing: Grant =
      isClip
      ? .untilMorning(until ?? timing.nextMorning(after: time, utcOffset: utcOffset))
      : .whenInUse
    let held = saved.held.map { held in
      held.time - time <= timing.staleAge
        ? held : HeldEvent(id: held.id, time: time - timing.staleAge)
    }
    self.grant =
      switch saved.grant {
      case .notDetermined: .notDetermined
      case .denied: .denied
      case .whenInUse: whileUsing
      case .untilMorning: isClip ? whileUsing : .notDetermined
      case .provisionalAlways where isClip || !profile.hasTemporaryGrants: whileUsing
      case .provisionalAlways:
        .provisional(
          Provisional(
            held: isPrecise && saved.servicesOn && !saved.isRestricted ? held : nil,
            isConfirmationDue: saved.confirmationDue || saved.held != nil
          )
        )
      case .always: isClip ? whileUsing : .always
      }
    if case .provisional = grant { isAlwaysSpent = true }
  }

  /// Processes a new start of the client's process with grants that were saved elsewhere, after what happened here.
  package mutating func startedAgain(
    with grants: SavedAuthorization,
    at time: Timestamp
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    effects.withdrawsPrompt = question != nil
    if let held { effects.dropped.append(held.id) }
    self = AuthorizationMachine(
      restoring: grants,
      profile: profile,
      manifest: manifest,
      timing: timing,
      utcOffset: utcOffset,
      at: time
    )
    return effects
  }

  /// The state that a relaunch keeps.
  package var saved: SavedAuthorization {
    var saved = SavedAuthorization(
      grant: grant.kept,
      alwaysSpent: isAlwaysSpent,
      accuracy: isPrecise ? .full : .reduced,
      servicesOn: areServicesOn,
      isRestricted: isRestricted
    )
    switch grant {
    case .once: saved.alwaysSpent = false
    case .untilMorning(let morning): saved.until = morning
    case .provisional(let provisional):
      saved.held = provisional.held
      saved.confirmationDue = provisional.isConfirmationDue
    case .notDetermined, .whenInUse, .always, .denied: break
    }
    return saved
  }
}

extension AuthorizationMachine.Grant {
  /// The permanent grant that a relaunch keeps of it: nothing of Allow Once.
  var kept: SavedAuthorization.Grant {
    switch self {
    case .notDetermined, .once: .notDetermined
    case .whenInUse: .whenInUse
    case .untilMorning: .untilMorning
    case .provisional: .provisionalAlways
    case .always: .always
    case .denied: .denied
    }
  }
}
