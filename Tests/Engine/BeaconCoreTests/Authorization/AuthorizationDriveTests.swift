// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

/// Long random drives of a client under an oracle that knows what must never happen.
@Suite struct AuthorizationDriveTests {
  static let manifests: [Manifest] = [
    .whole, .whole, .clip, Manifest(),
    Manifest(
      whenInUse: "when",
      alwaysAndWhenInUse: "always",
      purposes: [.init(key: "ExhibitGuide", text: "guide")],
      defaultAccuracyReduced: true
    ),
  ]

  static func randomStep(_ random: inout SplitMix64, held: inout UInt64) -> Step {
    switch Int.random(in: 0..<24, using: &random) {
    case 0: return .ask(.whenInUse)
    case 1: return .ask(.always)
    case 2: return .ask(.guide)
    case 3: return .ask(.temporaryFull(purpose: "Nope"))
    case 4: return .ask(Bool.random(using: &random) ? .startSession : .stopSession)
    case 5:
      return .ask(
        .beginService(
          ServiceSession(
            id: UInt64.random(in: 1...2, using: &random),
            goal: ServiceSession.Goal.allCases.randomElement(using: &random) ?? .none,
            fullAccuracyPurposeKey: Bool.random(using: &random) ? "ExhibitGuide" : nil
          )
        )
      )
    case 6: return .ask(.endService(id: UInt64.random(in: 1...2, using: &random)))
    case 7, 8, 9:
      return .answer(
        PromptChoice.allCases.randomElement(using: &random) ?? .allow,
        precise: Bool.random(using: &random)
      )
    case 10 where Bool.random(using: &random):
      return .user(
        .settings(
          authorization: SettingsValue.allCases.randomElement(using: &random),
          precise: Bool.random(using: &random)
        )
      )
    case 10: return .settings(SettingsValue.allCases.randomElement(using: &random) ?? .never)
    case 11: return .precise(Bool.random(using: &random))
    case 12: return .user(.services(on: Int.random(in: 0..<4, using: &random) > 0))
    case 13: return .user(.restriction(on: Int.random(in: 0..<6, using: &random) == 0))
    case 14: return .foreground
    case 15: return .background
    case 16: return .quiet
    case 17, 18:
      held += 1
      return .hold(held)
    case 19: return .delivered(isCrossing: Bool.random(using: &random))
    case 20: return .registered(Bool.random(using: &random))
    case 21:
      return Int.random(in: 0..<8, using: &random) == 0
        ? .relaunched(isForeground: Bool.random(using: &random)) : .user(.screenOn)
    default:
      return .pass([0, 0.000_001, 1, 3, 5, 5, 60, 300, 20_000].randomElement(using: &random) ?? 0)
    }
  }

  /// What the oracle believes from the inputs and actions alone.
  struct Belief {
    var status: AuthorizationStatus
    var accuracy: AccuracyAuthorization
    var held: UInt64?
    var isPrompting = false
    var openRequests = 0
    var indicator = UsageIndicator.Style.none

    mutating func process(_ actions: [AuthorizationAction], _ note: Comment) {
      for action in actions {
        switch action {
        case .promptWithdrawn:
          #expect(isPrompting, note)
          isPrompting = false
        case .prompt(let prompt):
          #expect(!isPrompting, note)
          #expect(!prompt.text.isEmpty, note)
          isPrompting = true
        case .dropHeld(let id), .deliverHeld(let id):
          #expect(held == id, note)
          held = nil
        case .changed(let newStatus, let newAccuracy):
          #expect((status, accuracy) != (newStatus, newAccuracy), note)
          (status, accuracy) = (newStatus, newAccuracy)
        case .completion: openRequests -= 1
        case .indicator(let style):
          #expect(indicator != style, note)
          indicator = style
        case .diagnostic, .serviceDiagnostics: break
        }
        if case .deliverHeld = action {
          #expect(status == .authorizedAlways && accuracy == .full, note)
        }
      }
      #expect(openRequests >= 0, note)
    }

    /// Processes an input itself, before its actions.
    mutating func expects(_ step: Step, of client: ClientAuthorization, at now: Timestamp) {
      switch step {
      case .hold(let id):
        // The event replaces a held one; the replaced one is dropped first.
        displaced = held
        held = displaced ?? id
        offered = id
      case .ask(.temporaryFull): openRequests += 1
      case .user(.answer(let choice, _)):
        if let prompt = client.prompt, prompt.choices.contains(choice) { isPrompting = false }
      case .ask, .user, .delivered, .registered, .terminated, .relaunched, .pass,
        .passUntilJustBefore:
        break
      }
    }
    var displaced: UInt64?
    var offered: UInt64?
  }

  /// Row Q6.
  @Test(arguments: AuthorizationProfile.allCases)
  func `no random sequence reaches a state that no row reaches`(_ profile: AuthorizationProfile) {
    for seed in 0..<UInt64(Effort.rounds(150)) {
      drive(profile, seed: seed, steps: 300)
    }
  }

  private func drive(_ profile: AuthorizationProfile, seed: UInt64, steps: Int) {
    var random = SplitMix64(seed: seed)
    let manifest = Self.manifests[Int(seed) % Self.manifests.count]
    var visit = Visit(profile, manifest: manifest)
    var belief = Belief(status: visit.client.status, accuracy: visit.client.accuracy)
    var lastHeld: UInt64 = 0
    for index in 0..<steps {
      let step = Self.randomStep(&random, held: &lastHeld)
      let note = Comment(rawValue: "seed \(seed), step \(index): \(step)")
      let before = visit.client
      let start = visit.now
      belief.expects(step, of: visit.client, at: visit.now)
      let actions = visit.perform(step)
      belief.process(actions, note)
      if let offered = belief.offered {
        // Displacing drops the former, which frees the slot for the new one.
        if belief.displaced != nil, belief.held == nil, visit.client.held?.id == offered {
          belief.held = offered
        }
        (belief.offered, belief.displaced) = (nil, nil)
      }
      if case .relaunched = step { belief.openRequests = 0 }
      check(visit, belief, profile, manifest, note)
      if case .pass = step {
        var leap = before
        #expect(leap.timePassed(to: visit.now) == actions, note)
        #expect(leap == visit.client, note)
        if let deadline = visit.client.nextDeadline { #expect(deadline > visit.now, note) }
      }
      #expect(visit.now >= start)
    }
  }

  private func check(
    _ visit: Visit,
    _ belief: Belief,
    _ profile: AuthorizationProfile,
    _ manifest: Manifest,
    _ note: Comment
  ) {
    let client = visit.client
    #expect(client.status == belief.status, note)
    #expect(client.accuracy == belief.accuracy, note)
    #expect(client.held?.id == belief.held, note)
    #expect((client.prompt != nil) == belief.isPrompting, note)
    #expect(client.indicator == belief.indicator, note)
    let hasOpenRequest = client.prompt?.kind == .temporaryFull ? 1 : 0
    #expect(belief.openRequests <= hasOpenRequest, note)
    if let deadline = client.nextDeadline { #expect(deadline >= visit.now, note) }
    if profile != .iOS14 { #expect(client.accuracy == .full, note) }
    if manifest.appClip, profile != .iOS12 { #expect(client.status != .authorizedAlways, note) }
    if manifest.whenInUse == nil { #expect(client.prompt == nil, note) }
    switch client.grant {
    case .once:
      #expect(profile != .iOS12, note)
      #expect(client.isInUse, note)
    case .provisional, .untilMorning: #expect(profile != .iOS12, note)
    case .notDetermined, .whenInUse, .always, .denied: break
    }
    if !client.isInUse {
      #expect(client.settingsShows.precise == (client.accuracy == .full), note)
    }
    let rules = client.rules(at: visit.now)
    if client.accuracy == .reduced || !client.status.isAuthorized {
      #expect(rules.ranging != .deliver && rules.crossing != .deliver, note)
      #expect(rules.notification == .silent, note)
      #expect(client.indicator != .solid, note)
      #expect(client.held == nil, note)
    }
    #expect(
      (rules.crossing == .hold)
        == (client.effective == .provisionalAlways
          && !client.isInUse && client.accuracy == .full),
      note
    )
  }

  @Test(arguments: AuthorizationProfile.allCases)
  func `a restored client goes on as a relaunched one`(_ profile: AuthorizationProfile) {
    for seed in 1000..<1000 + UInt64(Effort.rounds(150)) {
      var random = SplitMix64(seed: seed)
      let manifest = Self.manifests[Int(seed) % Self.manifests.count]
      var kept = Visit(profile, manifest: manifest)
      var lastHeld: UInt64 = 0
      for _ in 0..<Int.random(in: 1..<60, using: &random) {
        kept.perform(Self.randomStep(&random, held: &lastHeld))
      }
      // The indicator's afterglow is the machine's, not the client's.
      kept.perform(.pass(3))
      var restored = kept
      restored.client = ClientAuthorization(
        manifest: manifest,
        profile: profile,
        restoring: kept.client.saved,
        isForeground: false,
        at: kept.now
      )
      kept.perform(.terminated)
      if kept.client.prompt != nil { restored.perform(.quiet) }
      #expect(kept.client == restored.client, "seed \(seed)")
      #expect(kept.client.saved == restored.client.saved, "seed \(seed)")
      for index in 0..<60 {
        let step = Self.randomStep(&random, held: &lastHeld)
        let note = Comment(rawValue: "seed \(seed), step \(index): \(step)")
        #expect(kept.perform(step) == restored.perform(step), note)
      }
    }
  }
}
