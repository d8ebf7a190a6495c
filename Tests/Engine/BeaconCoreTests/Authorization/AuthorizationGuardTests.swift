// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// The guards of requests (rows Q1 to Q4), and what a prompt outlives.
@Suite struct AuthorizationGuardTests {
  static let rows: [Row] = Row.each([
    Row(
      name: "row Q1: whenInUse out of use",
      isForeground: false,
      when: .ask(.whenInUse),
      then: [.diagnostic(.insufficientlyInUse)],
      state: "ND F"
    ),
    Row(
      name: "row Q1: always out of use spends nothing",
      from: .w0,
      isForeground: false,
      given: [.ask(.always), .settings(.never)],
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row Q3: a second request does nothing",
      given: [.ask(.whenInUse)],
      when: .ask(.always),
      then: [.diagnostic(.authorizationRequestInProgress)],
      state: "ND F"
    ),
    Row(
      name: "row Q3: and is not remembered",
      given: [.ask(.whenInUse), .ask(.always), .answer(.dontAllow)],
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row Q2: an empty text is none",
      manifest: Manifest(whenInUse: ""),
      when: .ask(.whenInUse),
      then: [.diagnostic(.usageTextMissing(key: "whenInUse"))],
      state: "ND F"
    ),
    Row(
      name: "row Ag: an empty text of a purpose is none",
      profiles: [.iOS14],
      manifest: Manifest(whenInUse: "when", purposes: [.init(key: "ExhibitGuide", text: "")]),
      from: .w0.reduced,
      when: .ask(.guide),
      then: [
        .completion(.promptDeclined), .diagnostic(.purposeKeyMissing(key: "ExhibitGuide")),
      ],
      state: "W0 R"
    ),
    Row(
      name: "Allow Once out of use leaves the request for Always",
      profiles: [.iOS13, .iOS13Point4, .iOS14],
      given: [.ask(.always)] + Step.leaveUse + [.answer(.once), .settings(.never)],
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "a prompt outlives the use in which it was asked for",
      given: [.ask(.whenInUse)] + Step.leaveUse,
      when: .answer(.dontAllow),
      then: [.denied],
      state: "DN F"
    ),
    Row(
      name: "an answer without a prompt",
      from: .w0,
      when: .answer(.whileUsing),
      then: [.diagnostic(.answerNotOffered)],
      state: "W0 F"
    ),
    Row(
      name: "an answer that is not offered",
      given: [.ask(.whenInUse)],
      when: .answer(.changeToAlways),
      then: [.diagnostic(.answerNotOffered)],
      state: "ND F"
    ),
    Row(
      name: "Settings make the prompt moot",
      given: [.ask(.whenInUse)],
      when: .settings(.whileUsing),
      then: [.promptWithdrawn, .whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "services off make the prompt moot",
      given: [.ask(.whenInUse)],
      when: .user(.services(on: false)),
      then: [.promptWithdrawn, .denied],
      state: "off/ND F"
    ),
    Row(
      name: "requests while services are off",
      from: .w0,
      given: [.user(.services(on: false))],
      when: .ask(.always),
      then: [.diagnostic(.servicesOff)],
      state: "off/W0 F"
    ),
    Row(
      name: "the process ends under its prompt",
      given: [.ask(.whenInUse)],
      when: .terminated,
      then: [.promptWithdrawn],
      state: "ND F"
    ),
    Row(
      name: "a screen turned on changes nothing",
      from: .w0,
      when: .user(.screenOn),
      state: "W0 F"
    ),
    Row(
      name: "foreground twice",
      from: .w0,
      given: [.foreground],
      when: .foreground,
      state: "W0 F"
    ),
  ])

  @Test(arguments: rows)
  func `guards hold`(_ row: Row) throws { try row.check() }

  @Test func `services off defer a second prompt that is showing`() {
    var visit = Visit(from: .p(holding: 1), isForeground: false)
    visit.perform(.quiet)
    #expect(
      visit.perform(.user(.services(on: false))) == [
        .promptWithdrawn, .dropHeld(id: 1), .denied,
      ]
    )
    #expect(visit.perform(.quiet) == [])
    visit.perform(.user(.services(on: true)))
    #expect(visit.perform(.quiet) == [.prompt(.second)])
  }

  @Test func `the second prompt waits for another to be answered`() {
    var visit = Visit(from: .p)
    visit.perform(.background)
    visit.perform(.pass(5))
    visit.perform(.hold(1))
    visit.perform(.foreground)
    visit.perform(.precise(false))
    visit.perform(.ask(.guide))
    #expect(visit.perform(.quiet) == [])
    visit.perform(.answer(.dontAllow))
    #expect(visit.perform(.quiet) == [.prompt(.second)])
  }

  @Test func `an event that nothing holds is dropped`() {
    for saved in [SavedAuthorization.a, .w0, .dn, .p.reduced] {
      var visit = Visit(from: saved, isForeground: false)
      #expect(visit.perform(.hold(7)) == [.dropHeld(id: 7)])
      #expect(visit.client.held == nil)
    }
  }

  @Test func `a late event is not shown as new`() {
    var visit = Visit(from: .p, isForeground: false)
    visit.perform(.pass(1000))
    let old = HeldEvent(id: 7, time: Visit.start)
    #expect(visit.client.held(old, at: visit.now) == [.dropHeld(id: 7)])
    #expect(visit.client.nextDeadline == nil)
    #expect(visit.perform(.quiet) == [.prompt(.second)])
  }

  @Test func `a forgotten event is neither delivered nor dropped`() {
    var visit = Visit(from: .p(holding: 1), isForeground: false)
    visit.client.heldEventForgotten(id: 2)
    #expect(visit.client.held?.id == 1)
    visit.client.heldEventForgotten(id: 1)
    visit.perform(.quiet)
    #expect(visit.perform(.answer(.changeToAlways)) == [])
  }

  @Test func `deadlines before an input are processed before it`() {
    var visit = Visit()
    visit.perform(.ask(.whenInUse))
    visit.perform(.answer(.once))
    visit.perform(.background)
    let later = visit.now + TimeSpan.seconds(60)
    #expect(
      visit.client.user(.settings(authorization: .always), at: later) == [
        .notDetermined, .always,
      ]
    )
  }

  /// Row N9.
  @Test func `names in outputs are those of the command's page`() {
    #expect(
      AuthorizationStatus.allCases.map(\.name) == [
        "notDetermined", "restricted", "denied", "authorizedAlways", "authorizedWhenInUse",
      ]
    )
    #expect(AuthorizationStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(AccuracyAuthorization.allCases.map(\.name) == ["full", "reduced"])
    #expect(AuthorizationProfile(named: "default") == .iOS14)
    #expect(AuthorizationProfile(named: "coreLocation13.4") == .iOS13Point4)
    #expect(AuthorizationProfile(named: "iOS 14") == nil)
    #expect(AuthorizationDiagnostic.usageTextMissing(key: "whenInUse").code == "usageTextMissing")
    #expect(AuthorizationDiagnostic.usageTextMissing(key: "whenInUse").key == "whenInUse")
  }
}
