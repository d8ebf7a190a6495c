// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import Pages
import Testing

@testable import BeaconMuseum

/// Every value of a plan's format is in the editor's draft and on its page.
@Suite struct PlanDraftFieldsTests {
  /// A plan with each key of the format, and a key in each object that the format does not have.
  private static let every = """
    {
      museum: "M", uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", languages: ["en"], QQQQQQQQQQ: 1,
      manifest: { whenInUse: "W", alwaysAndWhenInUse: "A", purposes: { Key: "P" }, appClip: true, QQQQQQQQQQ: 1 },
      calibration: { power: -61, exponent: 2.2, QQQQQQQQQQ: 1 },
      floors: [{ level: 0, name: "Ground", entrance: [0, 3], doors: [[1, 0]], QQQQQQQQQQ: 1 }],
      rooms: [
        { major: 1, name: "Hall", floor: 0, outline: [[0, 0], [8, 0], [8, 6]], desk: true, QQQQQQQQQQ: 1 },
      ],
      exhibits: [
        { room: 1, minor: 5, number: 7, title: "A", text: "T", image: "a.png", at: [3, 1],
          power: -63, viewing: 40, audio: "a.mp3", QQQQQQQQQQ: 1 },
      ],
    }
    """
  private static let plan = every.replacing(", QQQQQQQQQQ: 1", with: "")
    .replacing(" QQQQQQQQQQ: 1,", with: "")

  /// The keys of the format's objects, as its reader knows them.
  private static func keys() throws -> [Set<String>] {
    do {
      _ = try Plan(reading: Array(every.utf8))
      return []
    } catch {
      return error.faults.compactMap { fault in
        fault.message.split(separator: "; known are ").last.map {
          Set($0.split(separator: ", ").map(String.init))
        }
      }
    }
  }

  private static func members(_ value: JSON5Value?) -> Set<String> {
    guard case .object(let members)? = value?.content else { return [] }
    return Set(members.filter { $0.value.content != .null }.map(\.key))
  }

  private static func first(_ value: JSON5Value?) -> JSON5Value? {
    guard case .array(let values)? = value?.content else { return nil }
    return values.first
  }

  private static func json(_ draft: PlanDraft) throws -> JSON5Value {
    var writer = JSONLineWriter()
    writer.beginObject()
    draft.write(to: &writer)
    writer.endObject()
    return try JSON5.parse(writer.bytes)
  }

  @Test func `each key of the format is in the draft, and on the page`() throws {
    let all = try Self.keys()
    #expect(all.count == 6)
    let draft = try Self.json(PlanDraft(of: try Plan(reading: Array(Self.plan.utf8))))
    let found = [
      Self.members(draft), Self.members(Self.first(draft["floors"])),
      Self.members(Self.first(draft["rooms"])), Self.members(Self.first(draft["exhibits"])),
    ]
    // Keys that have another name, or no object around them, in the draft.
    let names = ["floor": "level", "purposes": "purpose"]
    let nested: Set = ["manifest", "calibration"]
    // Keys with other controls than a field by that name.
    let drawn: Set = ["languages", "floors", "rooms", "exhibits", "level", "entrance", "doors"]
    let drawnToo: Set = ["outline", "at", "room", "was"]
    for keys in all {
      for key in keys.subtracting(nested) {
        let name = names[key] ?? key
        #expect(found.contains { $0.contains(name) }, "the draft has no '\(key)'")
        guard !drawn.union(drawnToo).contains(name) else { continue }
        let isField = Texts.editorScript.contains(", '\(name)'")
        #expect(isField, "the page has no field of '\(key)'")
      }
    }
  }

  @Test func `each value is changed, removed, and read again`() throws {
    let bytes = Array(Self.plan.utf8)
    let plan = try Plan(reading: bytes)
    var draft = PlanDraft(of: plan)
    #expect(try draft.applied(to: bytes) == bytes)
    (draft.power, draft.exponent, draft.appClip) = (-60.5, 3, false)
    draft.rooms[0].isDesk = false
    (draft.exhibits[0].power, draft.exhibits[0].viewingTime) = (-70, 12.5)
    draft.exhibits[0].audio = LocalizedText("b.ogg", in: "en")
    var edited = try draft.applied(to: bytes)
    #expect(try PlanDraft(of: Plan(reading: edited)) == draft)
    #expect(try PlanDraft(Self.json(draft), of: plan) == draft)
    (draft.power, draft.exponent, draft.appClip) = (nil, nil, true)
    draft.rooms[0].isDesk = true
    (draft.exhibits[0].power, draft.exhibits[0].viewingTime) = (nil, nil)
    draft.exhibits[0].audio = nil
    edited = try draft.applied(to: edited)
    #expect(try PlanDraft(of: Plan(reading: edited)) == draft)
    #expect(try PlanDraft(Self.json(draft), of: plan) == draft)
  }

  @Test func `a new part is written with each of its values`() throws {
    let bytes = Array(Self.plan.utf8)
    var draft = PlanDraft(of: try Plan(reading: bytes))
    draft.rooms.append(draft.rooms[0])
    (draft.rooms[1].was, draft.rooms[1].major) = (nil, 2)
    draft.exhibits.append(draft.exhibits[0])
    (draft.exhibits[1].was, draft.exhibits[1].minor, draft.exhibits[1].number) = (nil, 9, 9)
    let read = PlanDraft(of: try Plan(reading: draft.applied(to: bytes)))
    var expected = draft
    (expected.rooms[1].was, expected.exhibits[1].was) = (1, 1)
    #expect(read == expected)
    // A plan without a calibration gets one.
    let bare = Array(
      Self.plan.replacing("calibration: { power: -61, exponent: 2.2 },", with: "").utf8
    )
    var second = PlanDraft(of: try Plan(reading: bare))
    #expect(second.power == nil)
    second.exponent = 2.5
    #expect(try Plan(reading: second.applied(to: bare)).calibration.exponent == 2.5)
  }

  @Test func `a sound is one for all languages, or one for each`() throws {
    let file = """
      {
        museum: { en: "M", de: "M" }, uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E",
        languages: ["en", "de"], manifest: { whenInUse: { en: "W", de: "W" } },
        rooms: [{ major: 1, name: { en: "R", de: "R" } }],
        exhibits: [{ room: 1, minor: 1, title: { en: "A", de: "A" }, audio: "a.mp3" }],
      }
      """
    var draft = PlanDraft(of: try Plan(reading: Array(file.utf8)))
    draft.exhibits[0].audio?.entries[0].text = "b.mp3"
    var edited = try draft.applied(to: Array(file.utf8))
    #expect(String(decoding: edited, as: UTF8.self).contains("audio: \"b.mp3\""))
    draft.exhibits[0].audio?.entries.append(LocalizedText.Entry(language: "de", text: "c.mp3"))
    edited = try draft.applied(to: edited)
    #expect(try Plan(reading: edited).exhibits[0].audio == draft.exhibits[0].audio)
    draft.exhibits[0].audio = LocalizedText("d.mp3", in: "de")
    edited = try draft.applied(to: edited)
    #expect(try Plan(reading: edited).exhibits[0].audio?["en"] == "d.mp3")
  }

  // MARK: Order

  @Test func `rooms and exhibits are moved with their comments, and a fault names the moved part`()
    throws
  {
    let file = """
      {
        museum: "M", uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", languages: ["en"],
        manifest: { whenInUse: "W" },
        rooms: [{ major: 1, name: "One" }, { major: 2, name: "Two" }, { major: 3, name: "Three" }],
        exhibits: [
          // The first.
          { room: 1, minor: 1, title: "A" }, // at the door
          { room: 2, minor: 2,
            title: "B" },
          { room: 3, minor: 3, title: "C" }
        ],
      }
      """
    let plan = try Plan(reading: Array(file.utf8))
    var draft = PlanDraft(of: plan)
    draft.rooms.swapAt(0, 2)
    draft.exhibits = [2, 0, 1].map { draft.exhibits[$0] }
    draft.exhibits.insert(
      PlanDraft.Exhibit(
        was: nil,
        room: 1,
        minor: 4,
        number: 4,
        title: LocalizedText("New", in: "en")
      ),
      at: 1
    )
    let edited = try draft.applied(to: Array(file.utf8))
    let read = try Plan(reading: edited)
    #expect(read.rooms.map { $0.name["en"] } == ["Three", "Two", "One"])
    #expect(read.exhibits.map { $0.title["en"] } == ["C", "New", "A", "B"])
    let text = String(decoding: edited, as: UTF8.self)
    #expect(
      text.contains("    // The first.\n    { room: 1, minor: 1, title: \"A\" }, // at the door\n"),
      "\(text)"
    )
    draft.exhibits[3].minor = 70_000
    #expect {
      try draft.applied(to: Array(file.utf8))
    } throws: { error in
      (error as? DraftFaults)?.faults.first?.index == 3
    }
    // Undo: the first order is the file as it was.
    #expect(try PlanDraft(of: plan).applied(to: Array(file.utf8)) == Array(file.utf8))
  }
}
