// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Rows A1 to A27: authorization from iOS 13 on.
@Suite struct AuthorizationRowsTests {
  static let modern: [AuthorizationProfile] = [.iOS13, .iOS13Point4, .iOS14]
  static let immediate: [AuthorizationProfile] = [.iOS13Point4, .iOS14]
  /// ND to P∅ by the program's request and the user's answer.
  static let becomeProvisional: [Step] = [.ask(.always), .answer(.whileUsing)]

  static let asking: [Row] =
    modern.flatMap { profile in
      [
        Row(
          name: "row A1: ND, requestWhenInUse",
          profiles: [profile],
          when: .ask(.whenInUse),
          then: [.prompt(.first(profile))],
          state: "ND F"
        ),
        Row(
          name: "row A2: ND, requestAlways shows the same prompt",
          profiles: [profile],
          when: .ask(.always),
          then: [.prompt(.first(profile))],
          state: "ND F"
        ),
      ]
    } + [
      Row(
        name: "row A1: DefaultAccuracyReduced hides the precise switch",
        profiles: [.iOS14],
        manifest: Manifest(whenInUse: "when", defaultAccuracyReduced: true),
        when: .ask(.whenInUse),
        then: [.prompt(.first(.iOS14, offersPrecise: false))],
        state: "ND F"
      ),
      Row(
        name: "row A3: Allow While Using",
        profiles: modern,
        given: [.ask(.whenInUse)],
        when: .answer(.whileUsing),
        then: [.whenInUse],
        state: "W0 F"
      ),
      Row(
        name: "row A4: Allow While Using, Always wanted",
        profiles: modern,
        given: [.ask(.always)],
        when: .answer(.whileUsing),
        then: [.always],
        state: "P F"
      ),
      Row(
        name: "row A5: Allow Once",
        profiles: modern,
        given: [.ask(.whenInUse)],
        when: .answer(.once),
        then: [.whenInUse],
        state: "T F"
      ),
      Row(
        name: "row A5: Allow Once, Always wanted",
        profiles: modern,
        given: [.ask(.always)],
        when: .answer(.once),
        then: [.whenInUse],
        state: "T F"
      ),
      Row(
        name: "row A6: Don't Allow",
        profiles: modern,
        given: [.ask(.whenInUse)],
        when: .answer(.dontAllow),
        then: [.denied],
        state: "DN F"
      ),
      Row(
        name: "row A6: Don't Allow, Always wanted",
        profiles: modern,
        given: [.ask(.always)],
        when: .answer(.dontAllow),
        then: [.denied],
        state: "DN F"
      ),
      Row(
        name: "row A6: spent by the request",
        profiles: modern,
        given: [.ask(.always), .answer(.dontAllow)],
        when: .settings(.whileUsing),
        then: [.whenInUse],
        state: "W1 F"
      ),
      Row(
        name: "row A7: T, requestAlways is ignored",
        profiles: modern,
        given: [.ask(.whenInUse), .answer(.once)],
        when: .ask(.always),
        state: "T F"
      ),
      Row(
        name: "row A7: and spends nothing",
        profiles: modern,
        given: [.ask(.whenInUse), .answer(.once), .ask(.always)],
        when: .settings(.whileUsing),
        state: "W0 F"
      ),
      Row(
        name: "row A8: T lapses with use",
        profiles: modern,
        given: [.ask(.whenInUse), .answer(.once), .background],
        when: .pass(5),
        then: [.notDetermined],
        state: "ND F"
      ),
      Row(
        name: "row A8: not before",
        profiles: modern,
        given: [.ask(.whenInUse), .answer(.once), .background],
        when: .pass(4.999_999),
        state: "T F"
      ),
      Row(
        name: "row A8: and forgets that Always was spent",
        profiles: modern,
        given: [.ask(.always), .answer(.once)] + Step.leaveUse,
        when: .settings(.whileUsing),
        then: [.whenInUse],
        state: "W0 F"
      ),
    ]

  static let raising: [Row] = [
    Row(
      name: "row A9: W0, requestAlways goes provisional",
      profiles: [.iOS13],
      from: .w0,
      when: .ask(.always),
      then: [.always],
      state: "P F"
    ),
    Row(
      name: "row A10: W0, requestAlways prompts at once",
      profiles: immediate,
      from: .w0,
      when: .ask(.always),
      then: [.prompt(.second)],
      state: "W1 F"
    ),
    Row(
      name: "row A11: Keep, no callback",
      profiles: immediate,
      from: .w0,
      given: [.ask(.always)],
      when: .answer(.keepWhileUsing),
      state: "W1 F"
    ),
    Row(
      name: "row A12: Change",
      profiles: immediate,
      from: .w0,
      given: [.ask(.always)],
      when: .answer(.changeToAlways),
      then: [.always],
      state: "A F"
    ),
    Row(
      name: "row A13: W1, requestAlways",
      profiles: modern,
      from: .w1,
      when: .ask(.always),
      state: "W1 F"
    ),
    Row(
      name: "row A13: W1, requestWhenInUse",
      profiles: modern,
      from: .w1,
      when: .ask(.whenInUse),
      state: "W1 F"
    ),
    Row(
      name: "row A13: A, requestAlways",
      profiles: modern,
      from: .a,
      when: .ask(.always),
      state: "A F"
    ),
    Row(
      name: "row A13: A, requestWhenInUse",
      profiles: modern,
      from: .a,
      when: .ask(.whenInUse),
      state: "A F"
    ),
    Row(
      name: "row A13: DN, requestWhenInUse",
      profiles: modern,
      from: .dn,
      when: .ask(.whenInUse),
      then: [.diagnostic(.authorizationDenied)],
      state: "DN F"
    ),
    Row(
      name: "row A13: RS, requestAlways",
      profiles: modern,
      from: .rs,
      when: .ask(.always),
      then: [.diagnostic(.authorizationRestricted)],
      state: "RS/ND F"
    ),
  ]

  static let holding: [Row] = [
    Row(
      name: "row A15: P, an event out of use is held",
      profiles: modern,
      given: becomeProvisional + Step.leaveUse,
      when: .hold(1),
      state: "P[1] F"
    ),
    Row(
      name: "row A16: a newer event displaces it",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .hold(2),
      then: [.dropHeld(id: 1)],
      state: "P[2] F"
    ),
    Row(
      name: "row A17: a stale event is dropped",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .pass(300),
      then: [.dropHeld(id: 1)],
      state: "P F"
    ),
    Row(
      name: "row A17: at its age's last instant it is not",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .passUntilJustBefore(300),
      state: "P[1] F"
    ),
    Row(
      name: "row A17: the prompt may still come",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.pass(301)],
      when: .quiet,
      then: [.prompt(.second)],
      state: "P F"
    ),
    Row(
      name: "row A18: a quiet moment shows the second prompt",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .quiet,
      then: [.prompt(.second)],
      state: "P[1] F"
    ),
    Row(
      name: "row A18: not where nothing was held",
      profiles: modern,
      from: .p,
      when: .quiet,
      state: "P F"
    ),
    Row(
      name: "row A18: and only once",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet],
      when: .quiet,
      state: "P[1] F"
    ),
    Row(
      name: "row A19: Change delivers, no callback",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet, .pass(10)],
      when: .answer(.changeToAlways),
      then: [.deliverHeld(id: 1)],
      state: "A F"
    ),
    Row(
      name: "row A19: at exactly the stale age it is fresh",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet, .passUntilJustBefore(300)],
      when: .answer(.changeToAlways),
      then: [.deliverHeld(id: 1)],
      state: "A F"
    ),
    Row(
      name: "row A19: not when stale",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet, .pass(301)],
      when: .answer(.changeToAlways),
      state: "A F"
    ),
    Row(
      name: "row A20: Keep drops, callback",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet],
      when: .answer(.keepWhileUsing),
      then: [.dropHeld(id: 1), .whenInUse],
      state: "W1 F"
    ),
    Row(
      name: "row A21: an event under the prompt displaces",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet],
      when: .hold(2),
      then: [.dropHeld(id: 1)],
      state: "P[2] F"
    ),
    Row(
      name: "row A21: and is the one delivered",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet, .hold(2)],
      when: .answer(.changeToAlways),
      then: [.deliverHeld(id: 2)],
      state: "A F"
    ),
    Row(
      name: "row A22: P, requestAlways",
      profiles: modern,
      from: .p,
      when: .ask(.always),
      state: "P F"
    ),
    Row(
      name: "row A22: P, requestWhenInUse",
      profiles: modern,
      from: .p,
      when: .ask(.whenInUse),
      state: "P F"
    ),
  ]

  static let choices: [Row] = [
    Row(
      name: "row A24: P, Ask Next Time drops the held event",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .settings(.askNextTime),
      then: [.dropHeld(id: 1), .notDetermined],
      state: "ND F"
    ),
    Row(
      name: "row A24: from ND, Always may be asked for although spent",
      profiles: modern,
      from: .w1,
      given: [.settings(.askNextTime), .ask(.always)],
      when: .answer(.whileUsing),
      then: [.always],
      state: "P F"
    ),
    Row(
      name: "row A25: a restriction drops the held event",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .user(.restriction(on: true)),
      then: [.dropHeld(id: 1), .restricted],
      state: "RS/P F"
    ),
    Row(
      name: "row A26: App Clip, Settings have no Always",
      profiles: modern,
      manifest: .clip,
      from: .clip,
      when: .settings(.always),
      then: [.diagnostic(.settingNotOffered)],
      state: "C F"
    ),
    Row(
      name: "row A26: App Clip, Settings grant until the morning",
      profiles: modern,
      manifest: .clip,
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "C F"
    ),
  ]

  static let settings: [Row] = [
    Row(
      name: "row A23: P, While Using",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .settings(.whileUsing),
      then: [.dropHeld(id: 1), .whenInUse],
      state: "W1 F"
    ),
    Row(
      name: "row A23: P, Always delivers, no callback",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .settings(.always),
      then: [.deliverHeld(id: 1)],
      state: "A F"
    ),
    Row(
      name: "row A23: P, Never",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .settings(.never),
      then: [.dropHeld(id: 1), .denied],
      state: "DN F"
    ),
    Row(
      name: "row A23: under the showing prompt",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      given: [.quiet],
      when: .settings(.always),
      then: [.promptWithdrawn, .deliverHeld(id: 1)],
      state: "A F"
    ),
    Row(
      name: "row A24: W0, Never",
      profiles: modern,
      from: .w0,
      when: .settings(.never),
      then: [.denied],
      state: "DN F"
    ),
    Row(
      name: "row A24: W0, Always",
      profiles: modern,
      from: .w0,
      when: .settings(.always),
      then: [.always],
      state: "A F"
    ),
    Row(
      name: "row A24: W0, Ask Next Time",
      profiles: modern,
      from: .w0,
      when: .settings(.askNextTime),
      then: [.notDetermined],
      state: "ND F"
    ),
    Row(
      name: "row A24: W1 keeps the spent bit through ND",
      profiles: modern,
      from: .w1,
      given: [.settings(.askNextTime), .ask(.whenInUse)],
      when: .answer(.whileUsing),
      then: [.whenInUse],
      state: "W1 F"
    ),
    Row(
      name: "row A24: A to While Using",
      profiles: modern,
      from: .a,
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row A24: DN to While Using",
      profiles: modern,
      from: .dn,
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row A24: T to While Using, no callback",
      profiles: modern,
      given: [.ask(.whenInUse), .answer(.once)],
      when: .settings(.whileUsing),
      state: "W0 F"
    ),
    Row(
      name: "row A24: T to Ask Next Time",
      profiles: modern,
      given: [.ask(.whenInUse), .answer(.once)],
      when: .settings(.askNextTime),
      then: [.notDetermined],
      state: "ND F"
    ),
  ]

  static let overlays: [Row] = [
    Row(
      name: "row A25: W0, off",
      profiles: modern,
      from: .w0,
      when: .user(.services(on: false)),
      then: [.denied],
      state: "off/W0 F"
    ),
    Row(
      name: "row A25: W0, on again",
      profiles: modern,
      from: .w0,
      given: [.user(.services(on: false))],
      when: .user(.services(on: true)),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "row A25: P, off drops the held event",
      profiles: modern,
      from: .p(holding: 1),
      isForeground: false,
      when: .user(.services(on: false)),
      then: [.dropHeld(id: 1), .denied],
      state: "off/P F"
    ),
    Row(
      name: "row A25: T lapses beneath it, unseen",
      profiles: modern,
      given: [.ask(.whenInUse), .answer(.once), .user(.services(on: false)), .background],
      when: .pass(5),
      state: "off/ND F"
    ),
    Row(
      name: "row A25: Settings move what lies beneath, unseen",
      profiles: modern,
      from: .w0,
      given: [.user(.services(on: false))],
      when: .settings(.always),
      state: "off/A F"
    ),
    Row(
      name: "row A25: RS, off",
      profiles: modern,
      from: .rs,
      when: .user(.services(on: false)),
      then: [.denied],
      state: "off/ND F"
    ),
    Row(
      name: "row A26: App Clip, the prompt",
      profiles: [.iOS14],
      manifest: .clip,
      when: .ask(.whenInUse),
      then: [
        .prompt(
          Prompt(
            kind: .whenInUse,
            choices: [.untilTomorrow, .once, .dontAllow],
            text: "when",
            offersPrecise: true
          )
        )
      ],
      state: "ND F"
    ),
    Row(
      name: "row A26: App Clip, Allow While Using Until Tomorrow",
      profiles: modern,
      manifest: .clip,
      given: [.ask(.whenInUse)],
      when: .answer(.untilTomorrow),
      then: [.whenInUse],
      state: "C F"
    ),
    Row(
      name: "row A26: App Clip, requestAlways from ND",
      profiles: modern,
      manifest: .clip,
      when: .ask(.always),
      state: "ND F"
    ),
    Row(
      name: "row A26: App Clip, requestAlways from C",
      profiles: modern,
      manifest: .clip,
      from: .clip,
      when: .ask(.always),
      state: "C F"
    ),
    Row(
      name: "row A27: the morning comes",
      profiles: modern,
      manifest: .clip,
      from: .clip,
      when: .pass(4 * 3600),
      then: [.notDetermined],
      state: "ND F"
    ),
    Row(
      name: "row A27: not before",
      profiles: modern,
      manifest: .clip,
      from: .clip,
      when: .passUntilJustBefore(4 * 3600),
      state: "C F"
    ),
    Row(
      name: "row A27: the morning of the next day of an answer at midnight",
      profiles: modern,
      manifest: .clip,
      given: [.ask(.whenInUse), .answer(.untilTomorrow)],
      when: .pass(28 * 3600),
      then: [.notDetermined],
      state: "ND F"
    ),
  ]

  @Test(arguments: Row.each(asking + raising + holding + settings + overlays + choices))
  func `rows A1 to A27 hold`(_ row: Row) throws {
    try row.check()
  }

  @Test(arguments: modern)
  func `row A14: a provisional client in use gets deliveries, its held event stays`(
    _ profile: AuthorizationProfile
  ) {
    var visit = Visit(profile, from: .p(holding: 1), isForeground: false)
    #expect(visit.client.rules(at: visit.now).crossing == .hold)
    visit.perform(.foreground)
    #expect(visit.client.rules(at: visit.now).crossing == .deliver)
    #expect(visit.symbol == "P[1] F")
  }

  /// Symbol, what is reported, what Settings show.
  static let shown: [(SavedAuthorization, Manifest, AuthorizationStatus, SettingsValue)] = [
    (SavedAuthorization(), .whole, .notDetermined, .askNextTime),
    (.w0, .whole, .authorizedWhenInUse, .whileUsing),
    (.w1, .whole, .authorizedWhenInUse, .whileUsing),
    (.clip, .clip, .authorizedWhenInUse, .whileUsing),
    (.p, .whole, .authorizedAlways, .whileUsing),
    (.p(holding: 1), .whole, .authorizedAlways, .whileUsing),
    (.a, .whole, .authorizedAlways, .always),
    (.dn, .whole, .denied, .never),
  ]

  /// Rows V2 to V5, U13.
  @Test(arguments: shown)
  func `Settings may differ from the reported authorization`(
    _ saved: SavedAuthorization,
    _ manifest: Manifest,
    _ status: AuthorizationStatus,
    _ value: SettingsValue
  ) {
    let visit = Visit(.iOS14, manifest: manifest, from: saved)
    #expect(visit.client.status == status)
    #expect(visit.client.settingsShows.authorization == value)
  }

  /// Rows V1 and U11.
  @Test func `Allow Once shows as Ask Next Time`() {
    var visit = Visit()
    visit.perform(.ask(.whenInUse))
    visit.perform(.answer(.once))
    #expect(visit.client.status == .authorizedWhenInUse)
    #expect(visit.client.settingsShows.authorization == .askNextTime)
  }

  /// Row U30: UTC offset in hours, the answer's UTC hour, hours until the morning of the next day.
  @Test(arguments: [
    (0, 3.5, 24.5), (0, 4, 24), (1, 21, 6), (-8, 13, 23), (-8, 12, 24), (14, 13, 25),
  ])
  func `an App Clip's morning is local`(_ offset: Int64, _ hour: Double, _ hours: Double) {
    var visit = Visit(manifest: .clip, utcOffset: .seconds(offset * 3600))
    visit.at(hour * 3600, .ask(.whenInUse))
    visit.perform(.answer(.untilTomorrow))
    #expect(visit.client.nextDeadline == visit.now + TimeSpan(seconds: hours * 3600))
  }
}
