// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Service sessions: goals asked for when they can be, and again after a temporary grant lapsed (row N11).
@Suite struct ServiceSessionTests {
  static func begin(
    _ goal: ServiceSession.Goal,
    fullAccuracy: String? = nil,
    id: UInt64 = 1
  ) -> Step {
    .ask(.beginService(ServiceSession(id: id, goal: goal, fullAccuracyPurposeKey: fullAccuracy)))
  }

  /// The actions without the diagnostics of sessions.
  private func plain(_ actions: [AuthorizationAction]) -> [AuthorizationAction] {
    actions.filter { if case .serviceDiagnostics = $0 { false } else { true } }
  }

  /// The last diagnostics of session 1.
  private func serviceDiagnostics(_ actions: [AuthorizationAction]) -> [ServiceSession.Diagnostic]?
  {
    actions.compactMap {
      if case .serviceDiagnostics(1, let diagnostics) = $0 { diagnostics } else { nil }
    }.last
  }

  @Test(arguments: AuthorizationProfile.allCases)
  func `a goal asks at once in use`(_ profile: AuthorizationProfile) {
    var visit = Visit(profile)
    let actions = visit.perform(Self.begin(.whenInUse))
    #expect(visit.client.prompt?.kind == .whenInUse)
    #expect(serviceDiagnostics(actions) == [.authorizationRequestInProgress])
  }

  @Test func `a goal waits for use`() {
    var visit = Visit(isForeground: false)
    #expect(serviceDiagnostics(visit.perform(Self.begin(.whenInUse))) == [.insufficientlyInUse])
    #expect(visit.client.prompt == nil)
    #expect(plain(visit.perform(.foreground)) == [.prompt(.first(.iOS14))])
  }

  @Test func `Allow Once is asked again when the use has lapsed and returns`() {
    var visit = Visit()
    visit.perform(Self.begin(.whenInUse))
    #expect(serviceDiagnostics(visit.perform(.answer(.once))) == [])
    visit.perform(.background)
    #expect(plain(visit.perform(.pass(5))) == [.notDetermined])
    #expect(visit.client.prompt == nil)
    #expect(plain(visit.perform(.foreground)) == [.prompt(.first(.iOS14))])
  }

  @Test func `status is asked first, then full accuracy`() {
    var visit = Visit()
    visit.perform(Self.begin(.whenInUse, fullAccuracy: "ExhibitGuide"))
    #expect(
      plain(visit.perform(.answer(.whileUsing, precise: false))) == [
        .changed(.authorizedWhenInUse, .reduced), .prompt(.temporaryFull),
      ]
    )
    let actions = visit.perform(.answer(.allow))
    #expect(plain(actions) == [.whenInUse])
    #expect(serviceDiagnostics(actions) == [])
  }

  @Test func `full accuracy is asked again after it lapsed`() {
    var visit = Visit(from: .w0.reduced)
    visit.perform(Self.begin(.none, fullAccuracy: "ExhibitGuide"))
    visit.perform(.answer(.allow))
    visit.perform(.background)
    visit.perform(.pass(5))
    #expect(visit.client.accuracy == .reduced)
    #expect(plain(visit.perform(.foreground)) == [.prompt(.temporaryFull)])
  }

  @Test func `full accuracy given too late for the use is asked again`() {
    var visit = Visit(from: .w0.reduced)
    visit.perform(Self.begin(.none, fullAccuracy: "ExhibitGuide"))
    for step in Step.leaveUse + [.answer(.allow)] { visit.perform(step) }
    #expect(plain(visit.perform(.foreground)) == [.prompt(.temporaryFull)])
  }

  @Test func `a session that starts again replaces itself`() {
    var visit = Visit(from: .w0)
    visit.perform(Self.begin(.none))
    visit.perform(Self.begin(.whenInUse))
    #expect(
      visit.perform(.precise(false)).filter { $0 == .serviceDiagnostics(id: 1, [.accuracyLimited]) }
        .count == 1
    )
  }

  @Test func `a refusal of full accuracy is not asked again`() {
    var visit = Visit(from: .w0.reduced)
    #expect(
      serviceDiagnostics(visit.perform(Self.begin(.none, fullAccuracy: "ExhibitGuide"))) == [
        .accuracyLimited, .authorizationRequestInProgress,
      ]
    )
    #expect(
      serviceDiagnostics(visit.perform(.answer(.dontAllow))) == [
        .accuracyLimited, .fullAccuracyDenied,
      ]
    )
    for step in Step.leaveUse + [.foreground] { visit.perform(step) }
    #expect(visit.client.prompt == nil)
    #expect(
      plain(visit.perform(Self.begin(.none, fullAccuracy: "ExhibitGuide", id: 2))).isEmpty == false
    )
  }

  // MARK: A manifest that demands explicit sessions (row N15)

  /// A manifest that demands them.
  private static let explicit = Manifest(
    whenInUse: "w",
    alwaysAndWhenInUse: "a",
    explicitServiceSession: true
  )

  private func client(_ grant: SavedAuthorization.Grant) -> ClientAuthorization {
    ClientAuthorization(
      manifest: Self.explicit,
      profile: .iOS14,
      restoring: SavedAuthorization(grant: grant),
      isForeground: true,
      at: .earliest
    )
  }

  private static func request(_ id: UInt64, isImplicit: Bool) -> AuthorizationRequest {
    .beginService(ServiceSession(id: id, goal: .whenInUse, isImplicit: isImplicit))
  }

  @Test func `an implicit session asks for nothing there, and reports the missing one`() {
    var client = client(.notDetermined)
    let actions = client.requested(Self.request(1, isImplicit: true), at: .earliest)
    #expect(client.prompt == nil)
    #expect(serviceDiagnostics(actions) == [.serviceSessionRequired])
    let own = client.requested(Self.request(2, isImplicit: false), at: .earliest)
    #expect(client.prompt?.kind == .whenInUse)
    #expect(serviceDiagnostics(own) == [.authorizationRequestInProgress])
  }

  @Test func `nothing is delivered before an explicit session, nor after it`() {
    var client = client(.always)
    func isDelivered(_ client: ClientAuthorization) -> [Bool] {
      let rules = client.rules(at: .earliest)
      return [rules.ranging == .deliver, rules.crossing == .deliver, rules.stateRequest == .cached]
    }
    let first = client.registrationsChanged(any: true, at: .earliest)
    #expect(first.contains(.diagnostic(.serviceSessionRequired)))
    _ = client.requested(Self.request(1, isImplicit: true), at: .earliest)
    #expect(isDelivered(client) == [false, false, false])
    #expect(client.rules(at: .earliest).crossingWithheld == .serviceSession)
    _ = client.requested(Self.request(2, isImplicit: false), at: .earliest)
    #expect(isDelivered(client) == [true, true, true])
    let ended = client.requested(.endService(id: 2), at: .earliest)
    #expect(isDelivered(client) == [false, false, false])
    #expect(ended.contains(.diagnostic(.serviceSessionRequired)))
    // A new process begins without sessions.
    _ = client.requested(Self.request(3, isImplicit: false), at: .earliest)
    _ = client.relaunched(isForeground: true, at: .earliest)
    #expect(isDelivered(client) == [false, false, false])
  }

  @Test func `a withdrawn prompt is shown again`() {
    var visit = Visit(from: .w0.reduced)
    visit.perform(Self.begin(.none, fullAccuracy: "ExhibitGuide"))
    #expect(plain(visit.perform(.user(.services(on: false)))).first == .promptWithdrawn)
    #expect(visit.client.prompt == nil)
    #expect(plain(visit.perform(.user(.services(on: true)))).last == .prompt(.temporaryFull))
  }

  @Test func `a session's prompt completes no request of the program`() {
    var visit = Visit(from: .w0.reduced)
    visit.perform(Self.begin(.none, fullAccuracy: "ExhibitGuide"))
    #expect(plain(visit.perform(.answer(.dontAllow))) == [])
  }

  @Test func `always is requested once, and its refusal delivered`() {
    var visit = Visit(from: .w0)
    let asked = visit.perform(Self.begin(.always))
    #expect(plain(asked) == [.prompt(.second)])
    #expect(serviceDiagnostics(asked) == [.authorizationRequestInProgress])
    #expect(
      serviceDiagnostics(visit.perform(.answer(.keepWhileUsing))) == [.alwaysAuthorizationDenied]
    )
    for step in Step.leaveUse + [.foreground] { visit.perform(step) }
    #expect(visit.client.prompt == nil)
  }

  @Test func `always goes provisional without a prompt on iOS 13`() {
    var visit = Visit(.iOS13, from: .w0)
    #expect(plain(visit.perform(Self.begin(.always))) == [.always])
  }

  @Test func `a goal whose text is missing names it and does not ask`() {
    var visit = Visit(manifest: Manifest())
    #expect(
      plain(visit.perform(Self.begin(.whenInUse, fullAccuracy: "Nope"))) == [
        .diagnostic(.usageTextMissing(key: "whenInUse")),
        .diagnostic(.purposeKeyMissing(key: "Nope")),
      ]
    )
  }

  @Test func `an ended session makes no further requests`() {
    var visit = Visit(isForeground: false)
    visit.perform(Self.begin(.whenInUse))
    visit.perform(.ask(.endService(id: 1)))
    #expect(visit.perform(.foreground) == [])
  }

  @Test func `diagnostics are delivered once, and again when they change`() {
    var visit = Visit(from: .w0)
    #expect(visit.perform(Self.begin(.whenInUse)) == [.serviceDiagnostics(id: 1, [])])
    #expect(visit.perform(.background) == [])
    #expect(visit.perform(.pass(5)) == [.serviceDiagnostics(id: 1, [.insufficientlyInUse])])
    #expect(
      serviceDiagnostics(visit.perform(.user(.services(on: false)))) == [
        .authorizationDenied, .authorizationDeniedGlobally, .insufficientlyInUse,
      ]
    )
    #expect(
      serviceDiagnostics(visit.perform(.user(.services(on: true)))) == [.insufficientlyInUse]
    )
    #expect(
      serviceDiagnostics(visit.perform(.user(.restriction(on: true)))) == [
        .authorizationRestricted, .insufficientlyInUse,
      ]
    )
  }
}
