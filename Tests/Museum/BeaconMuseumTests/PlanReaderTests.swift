// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconMuseum
import Testing

/// All faults of a plan are reported together, each with its line and column and what to write instead.
@Suite struct PlanReaderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let faults: [String]
  }

  private static func plan(
    rooms: String = "{ major: 1, name: 'Hall' }",
    exhibits: String = "",
    languages: String = "['en']",
    uuid: String = "'F7826DA6-4FA2-4E98-8024-BC5B71E0893E'",
    more: String = ""
  ) -> String {
    "{ museum: \(languages == "['en']" ? "'M'" : "{ en: 'M', de: 'M' }"), uuid: \(uuid),\n"
      + "languages: \(languages),\nmanifest: { whenInUse: "
      + (languages == "['en']" ? "'W'" : "{ en: 'W', de: 'W' }") + " },\n"
      + "rooms: [\n\(rooms)\n],\nexhibits: [\n\(exhibits)\n],\n\(more) }"
  }

  @Test(arguments: ["{U}", "iBeacon:U", "ibeacon:{u}"])
  func `the UUID of a plan may have any of its forms`(_ form: String) throws {
    let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    let text = form.replacing("U", with: uuid).replacing("u}", with: "\(uuid.lowercased())}")
    let exhibits = "{ room: 1, minor: 7, title: 'A' }"
    let plan = try Plan(reading: Array(Self.plan(exhibits: exhibits, uuid: "'\(text)'").utf8))
    #expect(plan.uuid == 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E)
    #expect(throws: JSON5Faults.self) {
      try Plan(reading: Array(Self.plan(exhibits: exhibits, uuid: "'\(uuid)/1'").utf8))
    }
  }

  static let cases: [Case] = [
    Case(
      testDescription: "a file without what it needs",
      text: "{}",
      faults: ["languages", "museum", "uuid", "rooms", "exhibits", "manifest"]
        .map { "1:1: a plan needs '\($0)'" }
    ),
    Case(
      testDescription: "two exhibits of one identity",
      text: plan(
        exhibits: "{ room: 1, minor: 7, title: 'A' },\n{ room: 1, minor: 7, title: 'B' }"
      ),
      faults: [
        "9:19: 'A' has room 1 and minor 7 already; write 8, and the same into the beacon"
      ]
    ),
    Case(
      testDescription:
        "a number that another exhibit has, before or after it, and numbers out of range",
      text: plan(
        exhibits:
          "{ room: 1, minor: 7, title: 'A' },\n{ room: 1, minor: 8, number: 7, title: 'B' },"
          + "\n{ room: 1, minor: 9, number: 100000, title: 'C' }"
          + ",\n{ room: 1, minor: 10, number: 11, title: 'D' }, { room: 1, minor: 11, title: 'E' }"
      ),
      faults: [
        "9:30: 'A' has the number 7 already",
        "10:30: number must be a whole number from 0 to 99999",
        "11:67: 'D' has the number 11 already",
      ]
    ),
    Case(
      testDescription: "an exhibit without a room, and one in a room that is none",
      text: plan(exhibits: "{ minor: 7, title: 'A' },\n{ room: 2, minor: 7, title: 'B' }"),
      faults: [
        "8:1: an entry of exhibits needs 'room'", "9:9: no room has major 2; known are 1",
      ]
    ),
    Case(
      testDescription:
        "an exhibit in a room with an unknown name, with the name of two, or without a major",
      text: plan(
        rooms:
          "{ major: 1, name: 'Hall' }, { major: 2, name: 'Twin' }, { major: 3, name: 'Twin' }, { name: 'Attic' }",
        exhibits:
          "{ room: 'Hal', minor: 7, title: 'A' },\n{ room: 'Twin', minor: 7, title: 'B' },\n"
          + "{ room: 'Attic', minor: 7, title: 'C' }"
      ),
      faults: [
        "8:9: no room is named 'Hal'; known are 'Hall', 'Twin', 'Twin'",
        "9:9: 2 rooms are named 'Twin'; write the major of one",
        "10:9: room 'Attic' has no major; give it one",
      ]
    ),
    Case(
      testDescription: "a text that is too long for a page",
      text: plan(
        exhibits:
          "{ room: 1, minor: 7, title: 'A', text: '\(String(repeating: "x", count: 8001))' }"
      ),
      faults: ["8:40: text has 8001 bytes; a text may have 8000"]
    ),
    Case(
      testDescription: "no text in the first language, and one language too many",
      text: plan(
        rooms: "{ major: 1, name: { de: 'Halle' } }",
        exhibits: "{ room: 1, minor: 7, title: { en: 'A', de: 'A', fr: 'A' } },\n"
          + "{ room: 1, minor: 8, title: 8 }",
        languages: "['en', 'de']"
      ),
      faults: [
        "5:19: name is missing in en; write { en: \"…\", de: \"…\" }",
        "8:49: title has no key 'fr'; known are en, de",
        "9:29: title must be in en, de; write { en: \"…\", de: \"…\" }",
      ]
    ),
    Case(
      testDescription: "unknown keys",
      text: plan(exhibits: "{ room: 1, minor: 7, titel: 'A' }", more: "colour: 'red'"),
      faults: [
        "8:1: an entry of exhibits needs 'title'",
        "8:22: an entry of exhibits has no key 'titel'; did you mean 'title'?",
        "10:1: a plan has no key 'colour'; known are languages, museum, uuid, floors, rooms,"
          + " exhibits, calibration, manifest",
      ]
    ),
    Case(
      testDescription: "two rooms of one major",
      text: plan(rooms: "{ major: 1, name: 'Hall' },\n{ major: 1, name: 'Attic' }"),
      faults: ["6:10: room 'Hall' has major 1 already; give each room one of its own"]
    ),
    Case(
      testDescription: "places that are none",
      text: plan(
        rooms: "{ major: 1, name: 'Hall', outline: [[0, 0], [8, 0], [8, 6], [0, 6]] },\n"
          + "{ name: 'Attic', floor: 2, outline: [[0, 0], [1, 1]] }",
        exhibits: "{ room: 1, minor: 7, title: 'A', at: [9.5, 3] },\n"
          + "{ room: 1, minor: 8, title: 'B', at: [3] },\n"
          + "{ room: 1, minor: 9, title: 'C', at: [8.4, 3] }"
      ),
      faults: [
        "6:25: the plan has no 'floors'; add { level: 2, name: … } there",
        "6:37: an outline needs 3 corners or more, in order, such as [[0, 0], [8, 0], [8, 6]]",
        "9:38: this is 1.5 m outside the outline of 'Hall'; write a place in the room, or"
          + " another 'room'",
        "10:38: at must be a place in meters such as [3.5, 1]: right, down",
      ]
    ),
    Case(
      testDescription: "numbers out of range",
      text: plan(
        rooms: "{ major: 70000, name: 'Hall' }",
        exhibits: "{ room: 1.5, minor: -1, title: 'A', power: 4 }",
        uuid: "'F7826DA6'",
        more: "calibration: { power: -200, exponent: 0 }"
      ),
      faults: [
        "1:22: 'F7826DA6' is not a UUID; write 32 hexadecimal digits as 8-4-4-4-12",
        "5:10: major must be a whole number from 0 to 65535",
        "8:9: room must be a whole number",
        "8:21: minor must be a whole number from 0 to 65535",
        "8:44: power must be a number from -127 to -1",
        "10:23: power must be a number from -127 to -1",
        "10:39: exponent must be a number from 1 to 8",
      ]
    ),
    Case(
      testDescription: "languages that are none",
      text: plan(languages: "['en', 'english language', 'en', 'de']"),
      faults: [
        "2:19: 'english language' is no language tag; write one such as \"en\" or \"de-CH\"",
        "2:39: 'en' stands here twice; remove one",
      ]
    ),
  ]

  @Test(arguments: cases) func `every fault is reported`(_ example: Case) {
    do {
      _ = try Plan(reading: Array(example.text.utf8))
      Issue.record("this plan was taken")
    } catch {
      #expect(error.faults.map(\.description) == example.faults)
    }
  }

  @Test func `an exhibit can name its room in each language of the plan`() throws {
    let text = Self.plan(
      rooms: "{ major: 7, name: { en: 'Sky', de: 'Himmel' } }",
      exhibits: "{ room: 'Himmel', minor: 1, title: { en: 'A', de: 'B' } },"
        + " { room: 'Sky', minor: 2, title: { en: 'A', de: 'B' } }",
      languages: "['en', 'de']"
    )
    let plan = try Plan(reading: Array(text.utf8))
    #expect(plan.exhibits.map(\.identity.major) == [7, 7])
    var draft = PlanDraft(of: plan)
    draft.rooms[0].name.entries[0].text = "Heaven"
    let renamed = try Plan(reading: draft.applied(to: Array(text.utf8)))
    #expect(renamed.rooms[0].name["en"] == "Heaven")
    #expect(renamed.exhibits.map(\.identity.major) == [7, 7], "the exhibits stay in their room")
  }
}
