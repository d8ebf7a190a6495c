// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// One thing that happens to a client in a test.
enum Step: Sendable {
  case ask(AuthorizationRequest)
  case user(UserAction)
  case hold(UInt64)
  case delivered(isCrossing: Bool)
  case registered(Bool)
  case terminated
  case relaunched(isForeground: Bool)
  /// Seconds go by, deadline after deadline.
  case pass(Double)
  /// Seconds go by up to, and without, the deadlines of their last instant.
  case passUntilJustBefore(Double)

  static func answer(_ choice: PromptChoice, precise: Bool = true) -> Step {
    .user(.answer(choice, precise: precise))
  }
  static func settings(_ value: SettingsValue) -> Step {
    .user(.settings(authorization: value))
  }
  static func precise(_ on: Bool) -> Step { .user(.settings(precise: on)) }
  static let foreground = Step.user(.foreground)
  static let background = Step.user(.background)
  static let quiet = Step.user(.quiet)
  static let leaveUse: [Step] = [.background, .pass(5)]
}

/// A client on a timeline, driven as an owner drives it.
struct Visit {
  static let start = Timestamp(microseconds: 1_767_225_600_000_000)

  var client: ClientAuthorization
  var now = Visit.start

  init(
    _ profile: AuthorizationProfile = .iOS14,
    manifest: Manifest = .whole,
    from saved: SavedAuthorization = SavedAuthorization(),
    isForeground: Bool = true,
    utcOffset: TimeSpan = .zero
  ) {
    client = ClientAuthorization(
      manifest: manifest,
      profile: profile,
      utcOffset: utcOffset,
      restoring: saved,
      isForeground: isForeground,
      at: Visit.start
    )
  }

  /// Serves the deadlines up to a time, one by one.
  mutating func pass(to time: Timestamp) -> [AuthorizationAction] {
    var actions: [AuthorizationAction] = []
    while let due = client.nextDeadline, due <= time {
      actions += client.timePassed(to: due)
    }
    now = time
    return actions
  }

  @discardableResult
  mutating func perform(_ step: Step) -> [AuthorizationAction] {
    switch step {
    case .ask(let request): client.requested(request, at: now)
    case .user(let input): client.user(input, at: now)
    case .hold(let id): client.held(HeldEvent(id: id, time: now), at: now)
    case .delivered(let isCrossing): client.delivered(isCrossing: isCrossing, at: now)
    case .registered(let any): client.registrationsChanged(any: any, at: now)
    case .terminated: client.terminated(at: now)
    case .relaunched(let isForeground): client.relaunched(isForeground: isForeground, at: now)
    case .pass(let seconds): pass(to: now + TimeSpan(seconds: seconds))
    case .passUntilJustBefore(let seconds): passUntilJustBefore(seconds)
    }
  }

  private mutating func passUntilJustBefore(_ seconds: Double) -> [AuthorizationAction] {
    let end = now + TimeSpan(seconds: seconds)
    let actions = pass(to: end - TimeSpan(microseconds: 1))
    now = end
    return actions
  }

  /// Does something at a number of seconds after the start.
  @discardableResult
  mutating func at(_ seconds: Double, _ step: Step) -> [AuthorizationAction] {
    let time = Visit.start + TimeSpan(seconds: seconds)
    let before = pass(to: time - TimeSpan(microseconds: 1))
    now = time
    return before + perform(step)
  }

  /// The state in the symbols of the behaviour document.
  var symbol: String {
    let grant =
      switch client.grant {
      case .notDetermined: "ND"
      case .once: "T"
      case .whenInUse: client.isAlwaysSpent ? "W1" : "W0"
      case .untilMorning: "C"
      case .provisional(let provisional): provisional.held.map { "P[\($0.id)]" } ?? "P"
      case .always: "A"
      case .denied: "DN"
      }
    let overlay =
      switch client.effective {
      case .servicesOff: "off/"
      case .restricted: "RS/"
      case .notDetermined, .denied, .whenInUse, .provisionalAlways, .always: ""
      }
    let accuracy =
      switch (client.settingsShows.precise, client.accuracy) {
      case (true, _): "F"
      case (false, .full): "R+"
      case (false, .reduced): "R"
      }
    return "\(overlay)\(grant) \(accuracy)"
  }
}

/// A row of a transition table: a state, an event, what comes of it.
struct Row: Sendable, CustomTestStringConvertible {
  var name: String
  var profiles: [AuthorizationProfile] = AuthorizationProfile.allCases
  var manifest = Manifest.whole
  var from = SavedAuthorization()
  var isForeground = true
  var given: [Step] = []
  var when: Step
  var then: [AuthorizationAction] = []
  var state: String

  var testDescription: String { name }

  /// The row in each of its profiles.
  static func each(_ rows: [Row]) -> [Row] {
    rows.flatMap { row in
      row.profiles.map { profile in
        var single = row
        single.name += " (\(profile.rawValue))"
        single.profiles = [profile]
        return single
      }
    }
  }

  func check() throws {
    let profile = try #require(profiles.first)
    var visit = Visit(profile, manifest: manifest, from: from, isForeground: isForeground)
    for step in given { visit.perform(step) }
    #expect(visit.perform(when) == then)
    #expect(visit.symbol == state)
  }
}

extension SavedAuthorization {
  static let w0 = SavedAuthorization(grant: .whenInUse)
  static let w1 = SavedAuthorization(grant: .whenInUse, alwaysSpent: true)
  static let a = SavedAuthorization(grant: .always)
  static let dn = SavedAuthorization(grant: .denied)
  static let p = SavedAuthorization(grant: .provisionalAlways, alwaysSpent: true)
  static let rs = SavedAuthorization(isRestricted: true)
  static let clip = SavedAuthorization(
    grant: .untilMorning,
    until: Visit.start + TimeSpan.seconds(4 * 3600)
  )

  /// P[id], held since the start.
  static func p(holding id: UInt64) -> SavedAuthorization {
    SavedAuthorization(
      grant: .provisionalAlways,
      alwaysSpent: true,
      held: HeldEvent(id: id, time: Visit.start),
      confirmationDue: true
    )
  }

  var reduced: SavedAuthorization {
    var copy = self
    copy.accuracy = .reduced
    return copy
  }
}

extension Manifest {
  static let whole = Manifest(
    whenInUse: "when",
    alwaysAndWhenInUse: "always",
    purposes: [Purpose(key: "ExhibitGuide", text: "guide")],
    backgroundLocation: true
  )
  static let clip = Manifest(whenInUse: "when", alwaysAndWhenInUse: "always", appClip: true)
}

extension Prompt {
  /// The first prompt from iOS 13 on.
  static func first(
    _ profile: AuthorizationProfile,
    offersPrecise: Bool? = nil
  ) -> Prompt {
    Prompt(
      kind: .whenInUse,
      choices: [.whileUsing, .once, .dontAllow],
      text: "when",
      offersPrecise: offersPrecise ?? (profile == .iOS14)
    )
  }
  static let second = Prompt(
    kind: .always,
    choices: [.keepWhileUsing, .changeToAlways],
    text: "always"
  )
  static let temporaryFull = Prompt(
    kind: .temporaryFull,
    choices: [.allow, .dontAllow],
    text: "guide",
    purpose: "ExhibitGuide"
  )
}

extension AuthorizationAction {
  static let notDetermined = changed(.notDetermined, .full)
  static let whenInUse = changed(.authorizedWhenInUse, .full)
  static let always = changed(.authorizedAlways, .full)
  static let denied = changed(.denied, .full)
  static let restricted = changed(.restricted, .full)

  static func completion(_ error: LocationErrorCode?) -> AuthorizationAction {
    .completion(.temporaryFull(purpose: "ExhibitGuide"), error: error)
  }
}

extension AuthorizationRequest {
  static let guide = temporaryFull(purpose: "ExhibitGuide")
}
