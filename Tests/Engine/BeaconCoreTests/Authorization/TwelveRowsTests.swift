// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Rows E1 to E15: the transitions of iOS 11 and 12.
@Suite struct TwelveRowsTests {
  static let allow = Prompt(kind: .whenInUse, choices: [.allow, .dontAllow], text: "when")
  static let three = Prompt(
    kind: .always,
    choices: [.whileUsing, .alwaysAllow, .dontAllow],
    text: "always"
  )
  static let transition = Prompt(
    kind: .transition,
    choices: [.keepWhileUsing, .alwaysAllow],
    text: "always"
  )

  static let requests: [Row] = [
    Row(
      name: "ND, requestWhenInUse: two options",
      when: .ask(.whenInUse),
      then: [.prompt(allow)],
      state: "ND F"
    ),
    Row(
      name: "ND, Allow",
      given: [.ask(.whenInUse)],
      when: .answer(.allow),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "ND, Don't Allow",
      given: [.ask(.whenInUse)],
      when: .answer(.dontAllow),
      then: [.denied],
      state: "DN F"
    ),
    Row(
      name: "ND, requestAlways: three options",
      when: .ask(.always),
      then: [.prompt(three)],
      state: "ND F"
    ),
    Row(
      name: "ND, Always Allow",
      given: [.ask(.always)],
      when: .answer(.alwaysAllow),
      then: [.always],
      state: "A F"
    ),
    Row(
      name: "ND, Only While Using loses the upgrade",
      given: [.ask(.always)],
      when: .answer(.whileUsing),
      then: [.whenInUse],
      state: "W1 F"
    ),
    Row(
      name: "ND, Don't Allow of three",
      given: [.ask(.always)],
      when: .answer(.dontAllow),
      then: [.denied],
      state: "DN F"
    ),
    Row(
      name: "W0, requestAlways: transition",
      from: .w0,
      when: .ask(.always),
      then: [.prompt(transition)],
      state: "W1 F"
    ),
    Row(
      name: "W0, transition, Always",
      from: .w0,
      given: [.ask(.always)],
      when: .answer(.alwaysAllow),
      then: [.always],
      state: "A F"
    ),
    Row(
      name: "W0, transition, keep: no callback",
      from: .w0,
      given: [.ask(.always)],
      when: .answer(.keepWhileUsing),
      state: "W1 F"
    ),
    Row(name: "W1, requestAlways: nothing", from: .w1, when: .ask(.always), state: "W1 F"),
    Row(name: "W1, requestWhenInUse: nothing", from: .w1, when: .ask(.whenInUse), state: "W1 F"),
    Row(name: "W0, requestWhenInUse: nothing", from: .w0, when: .ask(.whenInUse), state: "W0 F"),
    Row(name: "A, requestAlways: nothing", from: .a, when: .ask(.always), state: "A F"),
    Row(
      name: "DN, requestAlways: nothing",
      from: .dn,
      when: .ask(.always),
      then: [.diagnostic(.authorizationDenied)],
      state: "DN F"
    ),
    Row(
      name: "RS, requestWhenInUse: nothing",
      from: .rs,
      when: .ask(.whenInUse),
      then: [.diagnostic(.authorizationRestricted)],
      state: "RS/ND F"
    ),
  ]

  static let user: [Row] = [
    Row(
      name: "W0, Settings Never",
      from: .w0,
      when: .settings(.never),
      then: [.denied],
      state: "DN F"
    ),
    Row(
      name: "W0, Settings Always",
      from: .w0,
      when: .settings(.always),
      then: [.always],
      state: "A F"
    ),
    Row(
      name: "A, Settings While Using, unspent",
      from: .a,
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "A, Settings While Using keeps the asked bit",
      given: [.ask(.always), .answer(.alwaysAllow)],
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W1 F"
    ),
    Row(
      name: "W0, Settings While Using: no change",
      from: .w0,
      when: .settings(.whileUsing),
      state: "W0 F"
    ),
    Row(
      name: "ND, Settings While Using",
      when: .settings(.whileUsing),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "RS, Settings: nothing",
      from: .rs,
      when: .settings(.always),
      then: [.diagnostic(.authorizationRestricted)],
      state: "RS/ND F"
    ),
    Row(
      name: "Settings have no Ask Next Time",
      from: .a,
      when: .settings(.askNextTime),
      then: [.diagnostic(.settingNotOffered)],
      state: "A F"
    ),
    Row(
      name: "A, location off",
      from: .a,
      when: .user(.services(on: false)),
      then: [.denied],
      state: "off/A F"
    ),
    Row(
      name: "overlay, location on",
      from: .a,
      given: [.user(.services(on: false))],
      when: .user(.services(on: true)),
      then: [.always],
      state: "A F"
    ),
    Row(
      name: "DN, location off: no callback",
      from: .dn,
      when: .user(.services(on: false)),
      state: "off/DN F"
    ),
    Row(
      name: "W0, restriction on",
      from: .w0,
      when: .user(.restriction(on: true)),
      then: [.restricted],
      state: "RS/W0 F"
    ),
    Row(
      name: "RS, restriction off",
      from: .w0,
      given: [.user(.restriction(on: true))],
      when: .user(.restriction(on: false)),
      then: [.whenInUse],
      state: "W0 F"
    ),
    Row(
      name: "there is no precise switch",
      from: .w0,
      when: .precise(false),
      then: [.diagnostic(.settingNotOffered)],
      state: "W0 F"
    ),
    Row(
      name: "accuracy is full: row Ah",
      from: .w0,
      when: .ask(.guide),
      then: [.completion(.promptDeclined)],
      state: "W0 F"
    ),
  ]

  @Test(arguments: requests + user)
  func `rows E1 to E15 hold`(_ row: Row) throws {
    var row = row
    row.profiles = [.iOS12]
    try row.check()
  }
}
