// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decides what a client is granted (rows E1 to E15, A1 to A27, Aa to Al), and the one prompt that may be showing.
///
/// Being in use is decided elsewhere and comes in as an argument. Requests, answers, settings and time each have
/// their own file; every input ends with ``settle(_:)``, which takes away what the new state no longer supports.
package struct AuthorizationMachine: Sendable, Equatable {
  /// The authorization axis beneath restriction and services off.
  package enum Grant: Sendable, Hashable {
    /// ND: undecided.
    case notDetermined
    /// T: Allow Once.
    case once
    /// W0 or W1: while using, Always unspent or spent.
    case whenInUse
    /// C: an App Clip's grant.
    case untilMorning(Timestamp)
    /// P: Always in name until confirmed.
    case provisional(Provisional)
    /// A: always.
    case always
    /// DN: refused.
    case denied
  }

  /// What a provisional grant keeps until the person decides.
  package struct Provisional: Sendable, Hashable {
    /// The one slot: P∅ or P[e].
    package var held: HeldEvent?
    /// Whether an event has been held, so that the second prompt waits for a quiet moment (row A15), or shows.
    package var isConfirmationDue = false
  }

  /// What the showing prompt asks.
  package enum Question: Sendable, Hashable {
    /// The first prompt; from iOS 13 on also for Always, which is then remembered (row A2).
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
  package let utcOffset: TimeSpan

  package internal(set) var grant: Grant
  /// Whether the one request for Always has been used up (rows A2, A10, U16).
  package internal(set) var isAlwaysSpent: Bool
  package internal(set) var isRestricted: Bool
  package internal(set) var areServicesOn: Bool
  /// The precise switch of Settings: F or R beneath R⁺.
  package internal(set) var isPrecise: Bool
  /// R⁺; never set together with ``isPrecise``.
  package internal(set) var isTemporarilyFull = false
  package internal(set) var question: Question?

  /// What gates look at; services off lies over everything, restriction over the grant.
  package var standing: AuthorizationStanding {
    if !areServicesOn { return .servicesOff }
    if isRestricted { return .restricted }
    return switch grant {
    case .notDetermined: .notDetermined
    case .once, .whenInUse, .untilMorning: .whenInUse
    case .provisional: .provisionalAlways
    case .always: .always
    case .denied: .denied
    }
  }

  /// What the client reads of its authorization.
  package var status: AuthorizationStatus { standing.status }

  /// What the client reads of its accuracy.
  package var accuracy: AccuracyAuthorization {
    isPrecise || isTemporarilyFull ? .full : .reduced
  }

  /// What the person sees; what lies over the grant dims the switches and does not move them.
  package var settingsShows: SettingsView {
    let value: SettingsValue =
      switch grant {
      case .notDetermined, .once: .askNextTime
      case .whenInUse, .untilMorning, .provisional: .whileUsing
      case .always: .always
      case .denied: .never
      }
    return SettingsView(authorization: value, precise: isPrecise)
  }

  /// Whether the program is an App Clip; iOS 12 knows none.
  package var isAppClip: Bool { manifest.appClip && profile.hasTemporaryGrants }

  /// The event that is held back.
  package var held: HeldEvent? {
    guard case .provisional(let provisional) = grant else { return nil }
    return provisional.held
  }

  /// The end of an App Clip's grant or of a held event's news, whichever is earlier.
  package var nextDeadline: Timestamp? {
    switch grant {
    case .untilMorning(let morning): morning
    case .provisional(let provisional): provisional.held.map { $0.time + timing.staleAge }
    case .notDetermined, .once, .whenInUse, .always, .denied: nil
    }
  }

  /// Takes away what the state does not support any more: a held event that could not be delivered now, and a
  /// prompt whose question has become moot.
  mutating func settle(_ effects: inout AuthorizationEffects) {
    if standing != .provisionalAlways || accuracy == .reduced {
      dropHeld(&effects)
    }
    withdrawMootPrompt(&effects)
  }

  /// Empties the slot, if it holds something.
  mutating func dropHeld(_ effects: inout AuthorizationEffects) {
    guard case .provisional(var provisional) = grant, let held = provisional.held else { return }
    provisional.held = nil
    grant = .provisional(provisional)
    effects.dropped.append(held.id)
  }

  private mutating func withdrawMootPrompt(_ effects: inout AuthorizationEffects) {
    guard let question, !holds(question) else { return }
    self.question = nil
    effects.withdrawsPrompt = true
    switch question {
    case .temporaryFull(_, service: let service?):
      effects.unansweredServices.append(service)
    case .temporaryFull(let purpose, service: nil):
      // A completion is always called (row U23), and nobody responded to the prompt.
      effects.completions.append(.init(purpose: purpose, error: .promptDeclined))
    case .whenInUse, .threeOptions, .upgrade, .confirmation:
      // Services off or a restriction only defer the second prompt of a provisional grant: it stays due.
      break
    }
  }

  /// Whether the state is still one in which the question can be answered.
  private func holds(_ question: Question) -> Bool {
    switch question {
    case .whenInUse, .threeOptions: standing == .notDetermined
    case .upgrade: standing == .whenInUse && grant == .whenInUse
    case .confirmation: standing == .provisionalAlways
    case .temporaryFull: standing.isAuthorized && accuracy == .reduced
    }
  }
}
