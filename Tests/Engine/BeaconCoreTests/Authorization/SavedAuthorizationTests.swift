// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// What survives a relaunch.
@Suite struct SavedAuthorizationTests {
  @Test(arguments: [
    SavedAuthorization(), .w0, .w1, .a, .dn, .p, .p(holding: 3), .rs, .w0.reduced,
    SavedAuthorization(grant: .always, servicesOn: false),
  ])
  func `a lasting state is saved as it was`(_ saved: SavedAuthorization) {
    #expect(Visit(from: saved).client.saved == saved)
  }

  @Test func `an App Clip's morning is saved`() {
    #expect(Visit(manifest: .clip, from: .clip).client.saved == .clip)
  }

  @Test func `Allow Once, temporary full accuracy and use do not survive`() {
    var visit = Visit()
    visit.perform(.ask(.whenInUse))
    visit.perform(.answer(.once, precise: false))
    visit.perform(.ask(.guide))
    visit.perform(.answer(.allow))
    #expect(visit.symbol == "T R+")
    #expect(visit.client.saved == SavedAuthorization(accuracy: .reduced))
    #expect(visit.perform(.relaunched(isForeground: true)) == [.changed(.notDetermined, .reduced)])
    #expect(visit.symbol == "ND R")
  }

  @Test func `a second prompt that was showing is due again`() {
    var visit = Visit(from: .p(holding: 1), isForeground: false)
    visit.perform(.quiet)
    visit = Visit(from: visit.client.saved, isForeground: false)
    #expect(visit.client.prompt == nil)
    #expect(visit.perform(.quiet) == [.prompt(.second)])
  }

  @Test func `deadlines that passed meanwhile are processed at once`() {
    var late = SavedAuthorization.p(holding: 1)
    late.held = HeldEvent(id: 1, time: Visit.start - TimeSpan.seconds(301))
    var visit = Visit(from: late, isForeground: false)
    #expect(visit.pass(to: visit.now) == [.dropHeld(id: 1)])
    var clip = SavedAuthorization.clip
    clip.until = Visit.start - TimeSpan.seconds(1)
    var guest = Visit(manifest: .clip, from: clip)
    #expect(guest.pass(to: guest.now) == [.notDetermined])
  }

  /// Row U30: a grant would live on for as long as the clock went back.
  @Test func `deadlines further ahead than they were set have passed, since the clock went back`() {
    var clip = SavedAuthorization.clip
    clip.until = Visit.start + .seconds(2 * 86_400)
    var guest = Visit(manifest: .clip, from: clip)
    #expect(guest.pass(to: guest.now) == [])
    for days in [3, 100, 20_000] as [Int64] {
      clip.until = Visit.start + .seconds(days * 86_400)
      guest = Visit(manifest: .clip, from: clip)
      #expect(guest.pass(to: guest.now) == [.notDetermined])
      guest = Visit(manifest: .clip)
      _ = guest.perform(.user(.start(clip, isForeground: true)))
      #expect(guest.pass(to: guest.now) == [.notDetermined])
    }
    var late = SavedAuthorization.p(holding: 1)
    late.held = HeldEvent(id: 1, time: Visit.start + .seconds(301))
    var visit = Visit(from: late, isForeground: false)
    #expect(visit.pass(to: visit.now) == [.dropHeld(id: 1)])
  }

  @Test func `a saved event that may not be delivered is not held`() {
    for change: (inout SavedAuthorization) -> Void in [
      { $0.servicesOn = false }, { $0.isRestricted = true }, { $0.accuracy = .reduced },
    ] {
      var saved = SavedAuthorization.p(holding: 1)
      change(&saved)
      let visit = Visit(from: saved, isForeground: false)
      #expect(visit.client.held == nil)
      #expect(visit.client.nextDeadline == nil)
    }
  }

  @Test func `a start with other grants drops what was held and ends the sessions`() {
    var visit = Visit(from: .p(holding: 1), isForeground: false)
    visit.perform(ServiceSessionTests.begin(.always))
    let actions = visit.perform(.user(.start(.w0, isForeground: true)))
    #expect(actions.contains(.dropHeld(id: 1)))
    #expect(!actions.contains { if case .serviceDiagnostics = $0 { true } else { false } })
    #expect(visit.perform(.user(.settings(authorization: .askNextTime))) == [.notDetermined])
    #expect(visit.client.prompt == nil)
  }

  @Test func `a new process is warned again of reduced accuracy`() {
    var visit = Visit(from: .w0.reduced)
    let warning = AuthorizationAction.diagnostic(.accuracyLimited)
    #expect(visit.perform(.registered(true)).contains(warning))
    #expect(!visit.perform(.quiet).contains(warning))
    let relaunched = visit.client.relaunched(isForeground: true, at: visit.now, isRegistered: true)
    #expect(relaunched.contains(warning))
    #expect(visit.perform(.user(.start(.w0.reduced, isForeground: true))).contains(warning))
  }

  @Test func `a saved event calls for the second prompt`() {
    var saved = SavedAuthorization.p(holding: 1)
    saved.confirmationDue = false
    var visit = Visit(from: saved, isForeground: false)
    #expect(visit.perform(.quiet) == [.prompt(.second)])
  }

  @Test func `a provisional grant has spent the request for Always`() {
    var visit = Visit(from: SavedAuthorization(grant: .provisionalAlways))
    visit.perform(.settings(.whileUsing))
    #expect(visit.symbol == "W1 F")
  }

  /// A file from elsewhere: saved grant, profile, manifest, what it becomes.
  @Test(arguments: [
    (SavedAuthorization.p(holding: 1), AuthorizationProfile.iOS12, Manifest.whole, "W1 F"),
    (.clip, .iOS14, .whole, "ND F"),
    (.a, .iOS14, .clip, "C F"),
    (.w0, .iOS14, .clip, "C F"),
    (.a, .iOS12, .clip, "A F"),
    (.w0.reduced, .iOS13, .whole, "W0 F"),
    (.p(holding: 1).reduced, .iOS14, .whole, "P R"),
  ])
  func `what profile or manifest do not know becomes less, never more`(
    _ saved: SavedAuthorization,
    _ profile: AuthorizationProfile,
    _ manifest: Manifest,
    _ state: String
  ) {
    #expect(Visit(profile, manifest: manifest, from: saved).symbol == state)
  }

  @Test(arguments: [
    (AuthorizationStatus.notDetermined, "ND F"), (.restricted, "RS/ND F"), (.denied, "DN F"),
    (.authorizedWhenInUse, "W0 F"), (.authorizedAlways, "A F"),
  ])
  func `a scenario's state at 0`(_ status: AuthorizationStatus, _ state: String) {
    #expect(Visit(from: SavedAuthorization(status: status)).symbol == state)
  }
}
