// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Rows Aa to Al: accuracy from iOS 14 on.
@Suite struct AccuracyRowsTests {
  static let askOnce: [Step] = [.ask(.whenInUse), .answer(.once, precise: false)]
  static let grantTemporarily: [Step] = [.ask(.guide), .answer(.allow)]

  static let rows: [Row] = [
    Row(
      name: "row Aa: granted with full",
      given: [.ask(.whenInUse)],
      when: .answer(.whileUsing, precise: true),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row Aa: granted with reduced, one callback",
      given: [.ask(.whenInUse)],
      when: .answer(.whileUsing, precise: false),
      then: [.changed(.authorizedWhenInUse, .reduced)],
      state: "W0 R"
    ),
    Row(
      name: "row Aa: a refusal leaves accuracy alone",
      given: [.ask(.whenInUse)],
      when: .answer(.dontAllow, precise: false),
      then: [.denied],
      state: "DN F"
    ),
    Row(
      name: "row Aa: provisional with reduced",
      given: [.ask(.always)],
      when: .answer(.whileUsing, precise: false),
      then: [.changed(.authorizedAlways, .reduced)],
      state: "P R"
    ),
    Row(
      name: "row U28: DefaultAccuracyReduced lands reduced",
      manifest: Manifest(whenInUse: "when", defaultAccuracyReduced: true),
      given: [.ask(.whenInUse)],
      when: .answer(.whileUsing),
      then: [.changed(.authorizedWhenInUse, .reduced)],
      state: "W0 R"
    ),
    Row(
      name: "row U28: and Settings can make it precise",
      manifest: Manifest(whenInUse: "when", defaultAccuracyReduced: true),
      given: [.ask(.whenInUse), .answer(.whileUsing)],
      when: .precise(true),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row Ab: Precise off",
      from: .w0,
      when: .precise(false),
      then: [.changed(.authorizedWhenInUse, .reduced)],
      state: "W0 R"
    ),
    Row(
      name: "row Ab: Precise off drops a held event",
      from: .p(holding: 1),
      isForeground: false,
      when: .precise(false),
      then: [.dropHeld(id: 1), .changed(.authorizedAlways, .reduced)],
      state: "P R"
    ),
    Row(
      name: "row Ab: Precise off together with Always sets nothing free",
      from: .p(holding: 1),
      isForeground: false,
      when: .user(.settings(authorization: .always, precise: false)),
      then: [.dropHeld(id: 1), .changed(.authorizedAlways, .reduced)],
      state: "A R"
    ),
    Row(
      name: "row Ac: Precise on",
      from: .w0.reduced,
      when: .precise(true),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row Ac: Precise on over R+ changes nothing that is read",
      from: .w0.reduced,
      given: grantTemporarily,
      when: .precise(true),
      state: "W0 F"
    ),
    Row(
      name: "row Ac: and leaves nothing temporary behind",
      from: .w0.reduced,
      given: grantTemporarily + [.precise(true)],
      when: .precise(false),
      then: [.changed(.authorizedWhenInUse, .reduced)],
      state: "W0 R"
    ),
    Row(
      name: "row Aa: the switch overrides R+",
      from: .w0.reduced,
      given: grantTemporarily + [.settings(.askNextTime), .ask(.whenInUse)],
      when: .answer(.whileUsing, precise: false),
      then: [.changed(.authorizedWhenInUse, .reduced)],
      state: "W0 R"
    ),
    Row(
      name: "row Ab: Precise off under R+ is off already",
      from: .w0.reduced,
      given: grantTemporarily,
      when: .precise(false),
      state: "W0 R+"
    ),
    Row(
      name: "row Ad: the prompt",
      from: .w0.reduced,
      when: .ask(.guide),
      then: [.prompt(.temporaryFull)],
      state: "W0 R"
    ),
    Row(
      name: "row Ae: Allow, callback before completion",
      from: .w0.reduced,
      given: [.ask(.guide)],
      when: .answer(.allow),
      then: [.whenInUse, .completion(nil)],
      state: "W0 R+"
    ),
    Row(
      name: "row Af: Don't Allow completes without error",
      from: .w0.reduced,
      given: [.ask(.guide)],
      when: .answer(.dontAllow),
      then: [.completion(nil)],
      state: "W0 R"
    ),
    Row(
      name: "row Ag: a missing key",
      from: .w0.reduced,
      when: .ask(.temporaryFull(purpose: "Nope")),
      then: [
        .completion(.temporaryFull(purpose: "Nope"), error: .promptDeclined),
        .diagnostic(.purposeKeyMissing(key: "Nope")),
      ],
      state: "W0 R"
    ),
    Row(
      name: "row Ah: already full",
      from: .w0,
      when: .ask(.guide),
      then: [.completion(.promptDeclined)],
      state: "W0 F"
    ),
    Row(
      name: "row Ah: already temporarily full",
      from: .w0.reduced,
      given: grantTemporarily,
      when: .ask(.guide),
      then: [.completion(.promptDeclined)],
      state: "W0 R+"
    ),
    Row(
      name: "row Ai: in the background",
      from: .w0.reduced,
      isForeground: false,
      when: .ask(.guide),
      then: [.completion(.promptDeclined), .diagnostic(.insufficientlyInUse)],
      state: "W0 R"
    ),
    Row(
      name: "row Ai: in the grace",
      from: .w0.reduced,
      given: [.background],
      when: .ask(.guide),
      then: [.completion(.promptDeclined), .diagnostic(.insufficientlyInUse)],
      state: "W0 R"
    ),
    Row(
      name: "row Aj: R+ lapses with use",
      from: .w0.reduced,
      given: grantTemporarily + [.background],
      when: .pass(5),
      then: [.changed(.authorizedWhenInUse, .reduced)],
      state: "W0 R"
    ),
    Row(
      name: "row Aj: not in a brief dip",
      from: .w0.reduced,
      given: grantTemporarily + [.background, .pass(4), .foreground],
      when: .pass(60),
      state: "W0 R+"
    ),
    Row(
      name: "row Aj: not with a session",
      from: .w0.reduced,
      given: grantTemporarily + [.ask(.startSession), .background],
      when: .pass(60),
      state: "W0 R+"
    ),
    Row(
      name: "row Ak: R+ and T lapse together, one callback",
      given: askOnce + grantTemporarily + [.background],
      when: .pass(5),
      then: [.changed(.notDetermined, .reduced)],
      state: "ND R"
    ),
    Row(
      name: "row Al: ND",
      from: SavedAuthorization().reduced,
      when: .ask(.guide),
      then: [.completion(.promptDeclined)],
      state: "ND R"
    ),
    Row(
      name: "row Al: DN",
      from: .dn.reduced,
      when: .ask(.guide),
      then: [.completion(.promptDeclined), .diagnostic(.authorizationDenied)],
      state: "DN R"
    ),
    Row(
      name: "row Al: RS",
      from: .rs.reduced,
      when: .ask(.guide),
      then: [.completion(.promptDeclined), .diagnostic(.authorizationRestricted)],
      state: "RS/ND R"
    ),
    Row(
      name: "under a showing prompt",
      from: .w0.reduced,
      given: [.ask(.always)],
      when: .ask(.guide),
      then: [.completion(.promptDeclined), .diagnostic(.authorizationRequestInProgress)],
      state: "W1 R"
    ),
    Row(
      name: "a prompt made moot completes",
      from: .w0.reduced,
      given: [.ask(.guide)],
      when: .precise(true),
      then: [.promptWithdrawn, .whenInUse, .completion(.promptDeclined)],
      state: "W0 F"
    ),
    Row(
      name: "answered out of use, R+ has lapsed at once",
      from: .w0.reduced,
      given: [.ask(.guide)] + Step.leaveUse,
      when: .answer(.allow),
      then: [.completion(nil)],
      state: "W0 R"
    ),
  ]

  @Test(arguments: rows)
  func `rows Aa to Al hold`(_ row: Row) throws {
    var row = row
    row.profiles = [.iOS14]
    try row.check()
  }

  /// Row U18.
  @Test(arguments: [AuthorizationProfile.iOS12, .iOS13, .iOS13Point4])
  func `before iOS 14 accuracy is always full`(_ profile: AuthorizationProfile) {
    var visit = Visit(profile, from: .w0.reduced)
    #expect(visit.client.accuracy == .full)
    visit.perform(.precise(false))
    #expect(visit.client.accuracy == .full)
    var asked = Visit(profile)
    asked.perform(.ask(.whenInUse))
    asked.perform(.answer(profile == .iOS12 ? .allow : .whileUsing, precise: false))
    #expect(asked.client.accuracy == .full)
  }
}
