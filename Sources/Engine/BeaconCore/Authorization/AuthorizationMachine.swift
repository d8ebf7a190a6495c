// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides a client's grants (rows E1 to E15, A1 to A27, Aa to Al), and the one prompt that may be showing.
///
/// Whether the client is in use is decided elsewhere and passed as an argument. Requests, answers, settings and time
/// each have a separate file. Every input ends with ``settle(_:)``, which removes everything that the new state no longer
/// supports.
package struct AuthorizationMachine: Sendable, Equatable {
  /// The grant itself, without restrictions and the switch of location services.
  package enum Grant: Sendable, Hashable {
    /// ND: undecided.
    case notDetermined
    /// T: Allow Once.
    case once
    /// W0 or W1: while using, Always unspent or spent.
    case whenInUse
    /// C: an App Clip's grant.
    case untilMorning(Timestamp)
    /// P: reported as Always, not yet confirmed.
    case provisional(Provisional)
    /// A: always.
    case always
    /// DN: refused.
    case denied
  }

  /// The state of a provisional grant until the user decides.
  package struct Provisional: Sendable, Hashable {
    /// The one event that can be held: P∅ without, P[e] with one.
    package var held: HeldEvent?
    /// Whether an event has been held, so that the second prompt waits for a quiet moment (row A15), or is showing.
    package var isConfirmationDue = false
  }

  /// The question of the current prompt.
  package enum Question: Sendable, Hashable {
    /// The first prompt; from iOS 13 on also shown for Always, which is remembered (row A2).
    case whenInUse(alwaysWanted: Bool)
    /// iOS 12's three options.
    case threeOptions
    /// From while using to always, asked for by the program (rows E8, A10).
    case upgrade
    /// The second prompt of a provisional grant (row A18).
    case confirmation
    /// Temporary full accuracy, asked by the program or by one of its service sessions (row Ad).
    case temporaryFull(purpose: String, service: UInt64?)
  }

  package let profile: AuthorizationProfile
  package let manifest: Manifest
  package let timing: AuthorizationTiming
  package internal(set) var utcOffset: TimeSpan

  package internal(set) var grant: Grant
  /// Whether the one request for Always has been used up (rows A2, A10, U16).
  package internal(set) var isAlwaysSpent: Bool
  package internal(set) var isRestricted: Bool
  package internal(set) var areServicesOn: Bool
  /// The Precise switch of Settings: full (F) or reduced (R), regardless of temporary full accuracy (R⁺).
  package internal(set) var isPrecise: Bool
  /// Temporary full accuracy (R⁺); never set together with ``isPrecise``.
  package internal(set) var isTemporarilyFull = false
  package internal(set) var question: Question?

  /// The authorization that delivery depends on.
  package var effective: EffectiveAuthorization {
    EffectiveAuthorization(
      // Allow Once permits what while using does, for as long as it lasts.
      grant == .once ? .whenInUse : grant.kept,
      areServicesOn: areServicesOn,
      isRestricted: isRestricted
    )
  }

  /// The authorization status that the client reads.
  package var status: AuthorizationStatus { effective.status }

  /// The accuracy that the client reads.
  package var accuracy: AccuracyAuthorization {
    isPrecise || isTemporarilyFull ? .full : .reduced
  }

  /// What Settings show to the user; a restriction or services off disables the switches and does not change them.
  package var settingsShows: SettingsView {
    SettingsView(authorization: grant.kept.setting, precise: isPrecise)
  }

  /// Whether the program is an App Clip; iOS 12 does not know it.
  package var isAppClip: Bool { manifest.appClip && profile.hasTemporaryGrants }

  /// The event that is held back.
  package var held: HeldEvent? {
    guard case .provisional(let provisional) = grant else { return nil }
    return provisional.held
  }

  /// The end of an App Clip's grant, or the time at which a held event becomes too old.
  package var nextDeadline: Timestamp? {
    switch grant {
    case .untilMorning(let morning): morning
    case .provisional(let provisional): provisional.held.map { $0.time + timing.staleAge }
    case .notDetermined, .once, .whenInUse, .always, .denied: nil
    }
  }

  /// Removes everything that the state no longer supports: a held event that could not be delivered now, and a prompt that no
  /// longer applies.
  mutating func settle(_ effects: inout AuthorizationEffects) {
    if effective != .provisionalAlways || accuracy == .reduced {
      dropHeld(&effects)
    }
    withdrawObsoletePrompt(&effects)
  }

  /// Drops the held event, if there is one.
  mutating func dropHeld(_ effects: inout AuthorizationEffects) {
    guard case .provisional(var provisional) = grant, let held = provisional.held else { return }
    provisional.held = nil
    grant = .provisional(provisional)
    effects.dropped.append(held.id)
  }

  private mutating func withdrawObsoletePrompt(_ effects: inout AuthorizationEffects) {
    guard let question, !isAnswerable(question) else { return }
    self.question = nil
    effects.withdrawsPrompt = true
    switch question {
    case .temporaryFull(_, service: let service?):
      effects.unansweredServices.append(service)
    case .temporaryFull(let purpose, service: nil):
      // A completion is always called (row U23), and the prompt got no answer.
      effects.completions.append(.init(purpose: purpose, error: .promptDeclined))
    case .whenInUse, .threeOptions, .upgrade, .confirmation:
      // Services off and a restriction only defer the second prompt of a provisional grant.
      break
    }
  }

  /// Whether the question can still be answered in the current state.
  private func isAnswerable(_ question: Question) -> Bool {
    switch question {
    case .whenInUse, .threeOptions: effective == .notDetermined
    case .upgrade: effective == .whenInUse && grant == .whenInUse
    case .confirmation: effective == .provisionalAlways
    case .temporaryFull: effective.isAuthorized && accuracy == .reduced
    }
  }
}
