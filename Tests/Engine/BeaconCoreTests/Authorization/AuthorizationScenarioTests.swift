// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// The authorization side of scenarios AC6 to AC13; times are seconds from the start.
@Suite struct AuthorizationScenarioTests {
  static let modern: [AuthorizationProfile] = [.iOS13, .iOS13Point4, .iOS14]

  @Test(arguments: AuthorizationProfile.allCases)
  func `AC6: without its text a request has no effect and names the text`(
    _ profile: AuthorizationProfile
  ) {
    var visit = Visit(profile, manifest: Manifest(alwaysAndWhenInUse: "always"))
    let missing: [AuthorizationAction] = [.diagnostic(.usageTextMissing(key: "whenInUse"))]
    #expect(visit.perform(.ask(.whenInUse)) == missing)
    #expect(visit.perform(.ask(.always)) == missing)
    #expect(visit.client.status.rawValue == 0)

    var half = Visit(profile, manifest: Manifest(whenInUse: "when"))
    #expect(
      half.perform(.ask(.always)) == [.diagnostic(.usageTextMissing(key: "alwaysAndWhenInUse"))]
    )
    half.perform(.settings(.whileUsing))
    #expect(
      half.perform(.ask(.always)) == [.diagnostic(.usageTextMissing(key: "alwaysAndWhenInUse"))]
    )
    #expect(half.symbol == "W0 F")
  }

  /// AC7 up to the second prompt: r2 held since 200, the prompt showing since 250.
  private func provisionalVisit(_ profile: AuthorizationProfile) -> Visit {
    var visit = Visit(profile)
    #expect(visit.at(0, .ask(.always)) == [.prompt(.first(profile))])
    #expect(visit.at(1, .answer(.whileUsing)) == [.always])
    #expect(
      visit.client.settingsShows == SettingsView(authorization: .whileUsing, precise: true)
    )
    #expect(visit.at(10, .background) == [])
    #expect(visit.at(15, .pass(0)) == [])
    #expect(!visit.client.isInUse)
    #expect(visit.client.rules(at: visit.now).crossing == .hold)
    #expect(visit.at(100, .hold(1)) == [])
    #expect(visit.at(200, .hold(2)) == [.dropHeld(id: 1)])
    #expect(visit.at(250, .quiet) == [.prompt(.second)])
    return visit
  }

  @Test(arguments: modern)
  func `AC7: Change delivers the newest event and nothing else`(_ profile: AuthorizationProfile) {
    var visit = provisionalVisit(profile)
    #expect(visit.at(260, .answer(.changeToAlways)) == [.deliverHeld(id: 2)])
    #expect(visit.symbol == "A F")
  }

  @Test(arguments: modern)
  func `AC7: Keep delivers the status and drops the event`(_ profile: AuthorizationProfile) {
    var visit = provisionalVisit(profile)
    #expect(visit.at(260, .answer(.keepWhileUsing)) == [.dropHeld(id: 2), .whenInUse])
    #expect(visit.symbol == "W1 F")
    visit.at(270, .foreground)
    #expect(visit.perform(.ask(.always)) == [])
  }

  @Test(arguments: modern)
  func `AC7: Change after 301 seconds delivers nothing`(_ profile: AuthorizationProfile) {
    var visit = provisionalVisit(profile)
    #expect(visit.at(501, .answer(.changeToAlways)) == [.dropHeld(id: 2)])
    #expect(visit.symbol == "A F")
  }

  @Test(arguments: modern)
  func `AC7: inside the grace an event is delivered, the slot stays empty`(
    _ profile: AuthorizationProfile
  ) {
    var visit = Visit(profile, from: .p)
    visit.at(0, .background)
    visit.at(3, .pass(0))
    #expect(visit.client.rules(at: visit.now).crossing == .deliver)
    #expect(visit.symbol == "P F")
  }

  @Test func `AC8: the upgrade differs by profile`() {
    var twelve = Visit(.iOS12, from: .w0)
    #expect(twelve.perform(.ask(.always)) == [.prompt(TwelveRowsTests.transition)])
    var thirteen = Visit(.iOS13, from: .w0)
    #expect(thirteen.perform(.ask(.always)) == [.always])
    #expect(thirteen.symbol == "P F")
    for (choice, expected, state) in [
      (PromptChoice.keepWhileUsing, [AuthorizationAction](), "W1 F"),
      (.changeToAlways, [.always], "A F"),
    ] {
      var later = Visit(.iOS13Point4, from: .w0)
      #expect(later.perform(.ask(.always)) == [.prompt(.second)])
      #expect(later.perform(.answer(choice)) == expected)
      #expect(later.symbol == state)
    }
  }

  @Test func `AC8: at 5.1 s in the background neither regions nor ranging deliver`() {
    var visit = Visit(.iOS13, from: .w0)
    #expect(visit.client.rules(at: visit.now).monitoringStartFailure == nil)
    visit.at(0, .background)
    visit.at(4.9, .pass(0))
    #expect(visit.client.rules(at: visit.now).ranging == .deliver)
    visit.at(5.1, .pass(0))
    #expect(visit.client.rules(at: visit.now).ranging == .drop)
    #expect(visit.client.rules(at: visit.now).crossing == .drop)
  }

  @Test(arguments: modern)
  func `AC9: Allow Once survives a dip and ends with use`(_ profile: AuthorizationProfile) {
    var visit = Visit(profile)
    visit.at(0, .ask(.whenInUse))
    #expect(visit.at(0, .answer(.once)) == [.whenInUse])
    #expect(visit.at(3, .ask(.always)) == [])
    #expect(visit.at(10, .background) == [])
    #expect(visit.at(14, .foreground) == [])
    #expect(visit.at(20, .background) == [])
    #expect(visit.at(25, .pass(0)) == [.notDetermined])
    visit.at(40, .foreground)
    #expect(visit.perform(.ask(.whenInUse)) == [.prompt(.first(profile))])
  }

  @Test(arguments: modern)
  func `AC9: a session keeps Allow Once`(_ profile: AuthorizationProfile) {
    var visit = Visit(profile)
    visit.at(0, .ask(.whenInUse))
    visit.at(0, .answer(.once))
    #expect(visit.at(5, .ask(.startSession)) == [])
    #expect(visit.at(20, .background) == [.indicator(.session)])
    #expect(visit.at(600, .ask(.stopSession)) == [.indicator(.none)])
    #expect(visit.symbol == "T F")
    #expect(visit.at(604.9, .pass(0)) == [])
    #expect(visit.at(605, .pass(0)) == [.notDetermined])
  }

  @Test func `AC10: reduced and temporarily full`() {
    var visit = Visit(from: .w0)
    visit.at(0, .registered(true))
    #expect(
      visit.at(10.5, .precise(false)) == [
        .changed(.authorizedWhenInUse, .reduced), .diagnostic(.accuracyLimited),
      ]
    )
    #expect(
      visit.at(11, .ask(.temporaryFull(purpose: "Nope"))) == [
        .completion(.temporaryFull(purpose: "Nope"), error: .promptDeclined),
        .diagnostic(.purposeKeyMissing(key: "Nope")),
      ]
    )
    visit.at(12, .background)
    #expect(visit.perform(.ask(.guide)).first == .completion(.promptDeclined))
    visit.at(13, .foreground)
    #expect(visit.at(14, .ask(.guide)) == [.prompt(.temporaryFull)])
    #expect(visit.at(15, .answer(.dontAllow)) == [.completion(nil)])
    #expect(visit.client.accuracy == .reduced)
    visit.at(16, .ask(.guide))
    #expect(visit.at(17, .answer(.allow)) == [.whenInUse, .completion(nil)])
    #expect(visit.at(18, .ask(.guide)) == [.completion(.promptDeclined)])
    #expect(visit.at(20, .background) == [])
    #expect(
      visit.at(25, .pass(0)) == [
        .changed(.authorizedWhenInUse, .reduced), .diagnostic(.accuracyLimited),
      ]
    )
  }

  @Test func `AC12: out of use a notification shows and nothing is delivered`() {
    var visit = Visit(from: .w0, isForeground: false)
    #expect(visit.client.rules(at: visit.now).notification == .deliver)
    #expect(visit.client.rules(at: visit.now).crossing == .drop)
    visit.perform(.user(.tapNotification(region: "museum")))
    #expect(visit.client.isForeground)
  }

  @Test func `AC13: hollow, solid for three seconds, hollow`() {
    var visit = Visit(from: .w0)
    #expect(visit.at(0, .registered(true)) == [.indicator(.hollow)])
    #expect(visit.at(10, .delivered(isCrossing: true)) == [.indicator(.solid)])
    #expect(visit.at(12.9, .pass(0)) == [])
    #expect(visit.at(13, .pass(0)) == [.indicator(.hollow)])
    #expect(visit.at(20, .delivered(isCrossing: false)) == [.indicator(.solid)])
    #expect(visit.at(22, .delivered(isCrossing: false)) == [])
    #expect(visit.at(24.9, .pass(0)) == [])
    #expect(visit.at(25, .pass(0)) == [.indicator(.hollow)])
    #expect(visit.at(30, .registered(false)) == [.indicator(.none)])
  }

  @Test func `AC13: a session's indicator outshines a delivery`() {
    var visit = Visit(from: .w0)
    visit.perform(.ask(.startSession))
    #expect(visit.perform(.background) == [.indicator(.session)])
    #expect(visit.perform(.delivered(isCrossing: false)) == [])
    #expect(visit.perform(.foreground) == [.indicator(.solid)])
  }

  @Test func `AC13: what is blocked is never solid`() {
    var visit = Visit(from: .w0)
    visit.at(0, .registered(true))
    visit.at(1, .delivered(isCrossing: true))
    #expect(visit.client.indicator == .solid)
    visit.at(2, .precise(false))
    #expect(visit.client.indicator == .hollow)
    visit.at(3, .settings(.never))
    #expect(visit.client.indicator == .none)
  }
}
