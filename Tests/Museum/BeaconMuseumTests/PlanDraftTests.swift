// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconMuseum

/// What an editor changes of a plan's file, and the rest.
@Suite struct PlanDraftTests {
  private let file: [UInt8]
  private let plan: Plan
  private var draft: PlanDraft

  init() throws {
    file = Array(
      try Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5"))
    )
    plan = try Plan(reading: file)
    draft = PlanDraft(of: plan)
  }

  private static func text(_ text: String) -> LocalizedText {
    LocalizedText(["en", "de"].map { LocalizedText.Entry(language: $0, text: text) })
  }

  /// The lines that differ, those of the file first.
  private func differences(_ edited: [UInt8]) -> (old: [Substring], new: [Substring]) {
    let (old, new) = (
      String(decoding: file, as: UTF8.self).split(separator: "\n"),
      String(decoding: edited, as: UTF8.self).split(separator: "\n")
    )
    let changes = new.difference(from: old)
    return (
      changes.removals.map { if case .remove(_, let line, _) = $0 { line } else { "" } },
      changes.insertions.map { if case .insert(_, let line, _) = $0 { line } else { "" } }
    )
  }

  @Test func `nothing changed is the same file, byte for byte`() throws {
    #expect(try draft.applied(to: file) == file)
  }

  @Test mutating func `only changed values differ, comments stay`() throws {
    draft.rooms[0].outline[2] = Plan.Point(10.25, 7)
    draft.exhibits[1].position = Plan.Point(4.5, 1.5)
    draft.exhibits[2].title.entries[0].text = "Hour \"glass\""
    draft.floors[0].doors[0] = Plan.Point(10, 3)
    let edited = try draft.applied(to: file)
    let (old, new) = differences(edited)
    #expect(old.count == 4 && new.count == 4, "\(new)")
    let changed = try Plan(reading: edited)
    #expect(changed.rooms[0].outline[2] == Plan.Point(10.25, 7))
    #expect(changed.exhibits[1].position == Plan.Point(4.5, 1.5))
    #expect(changed.exhibits[2].title["en"] == "Hour \"glass\"")
    #expect(changed.exhibits[2].title["de"] == "Sanduhr")
    #expect(changed.floors[0].doors[0] == Plan.Point(10, 3))
    // The rest of the plan is as it was.
    var expected = plan
    expected.rooms[0].outline[2] = Plan.Point(10.25, 7)
    expected.exhibits[1].position = Plan.Point(4.5, 1.5)
    expected.exhibits[2].title = changed.exhibits[2].title
    expected.floors[0].doors[0] = Plan.Point(10, 3)
    #expect(changed == expected)
  }

  /// A number is in the file only if it is not the minor.
  @Test mutating func `an exhibit's number is its minor until it gets another`() throws {
    #expect(draft.exhibits[0].number == draft.exhibits[0].minor)
    (draft.exhibits[0].minor, draft.exhibits[0].number) = (150, 150)
    var edited = try draft.applied(to: file)
    #expect(!String(decoding: edited, as: UTF8.self).contains("number:"))
    draft.exhibits[0].number = 7
    edited = try draft.applied(to: file)
    #expect(String(decoding: edited, as: UTF8.self).contains("number: 7"))
    #expect(try Plan(reading: edited).exhibits[0].number == 7)
    draft.exhibits[1].number = 7
    #expect(throws: (any Error).self) { try Plan(reading: draft.applied(to: file)) }
  }

  @Test mutating func `rooms and exhibits are added and removed`() throws {
    let outline = [(30, 0), (40, 0), (40, 7), (30, 7)].map {
      Plan.Point(Double($0.0), Double($0.1))
    }
    draft.rooms.append(
      PlanDraft.Room(was: nil, major: 9, name: Self.text("New hall"), level: 0, outline: outline)
    )
    draft.exhibits.append(
      PlanDraft.Exhibit(
        was: nil,
        room: 9,
        minor: 1,
        number: 77,
        title: Self.text("Comet"),
        position: Plan.Point(31, 1)
      )
    )
    draft.exhibits.removeAll { $0.title["en"] == "Sundial" }
    let edited = try Plan(reading: draft.applied(to: file))
    #expect(edited.rooms.count == plan.rooms.count + 1)
    #expect(edited.rooms.last?.outline == outline && edited.rooms.last?.name["de"] == "New hall")
    #expect(edited.exhibits.count == plan.exhibits.count)
    #expect(edited.exhibits.last?.number == 77)
    #expect(edited.exhibits.last?.title["en"] == "Comet")
    #expect(Array(edited.exhibits.dropLast()) == Array(plan.exhibits.dropFirst()))
  }

  /// Each change was once a reading of the whole file.
  @Test(.slow)
  mutating func `hundreds of exhibits are added, changed and removed together`() throws {
    draft.exhibits += (0..<900).map {
      PlanDraft.Exhibit(
        was: nil,
        room: 1,
        minor: 1000 + $0,
        number: 1000 + $0,
        title: Self.text("Comet \($0)"),
        position: Plan.Point(1, 1)
      )
    }
    let added = try draft.applied(to: file)
    var second = PlanDraft(of: try Plan(reading: added))
    #expect(second.exhibits.count == plan.exhibits.count + 900)
    for index in second.exhibits.indices { second.exhibits[index].minor += 5000 }
    let changed = try second.applied(to: added)
    var third = PlanDraft(of: try Plan(reading: changed))
    #expect(third.exhibits.map(\.minor) == second.exhibits.map(\.minor))
    third.exhibits.removeAll { $0.minor.isMultiple(of: 2) }
    let rest = try Plan(reading: third.applied(to: changed))
    #expect(rest.exhibits.map { Int($0.identity.minor) } == third.exhibits.map(\.minor))
  }

  @Test mutating func `a change that makes no valid plan is refused with its faults`() throws {
    draft.exhibits[0].position = Plan.Point(25, 12)
    #expect {
      try draft.applied(to: file)
    } throws: { error in
      let fault = (error as? DraftFaults)?.faults.first
      return fault?.message.description.contains("outside the outline") == true
        && fault?.kind == "exhibit" && fault?.index == 0
    }
    draft = PlanDraft(of: plan)
    draft.exhibits[1].minor = draft.exhibits[0].minor
    #expect(throws: DraftFaults.self) { try draft.applied(to: file) }
    draft = PlanDraft(of: plan)
    draft.rooms.removeFirst()
    #expect(throws: DraftFaults.self) { try draft.applied(to: file) }
  }

  @Test func `a plan from nothing gets its first floor, room and exhibit`() throws {
    let empty = Array(
      """
      // My plan.
      {
        museum: { en: "My museum" }, uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E",
        languages: ["en"],
        manifest: { whenInUse: { en: "To show." } },
        rooms: [
        ],
        exhibits: [],
      }
      """.utf8
    )
    var draft = PlanDraft(of: try Plan(reading: empty))
    draft.floors = [
      PlanDraft.Floor(
        was: nil,
        level: 0,
        name: LocalizedText("Ground", in: "en"),
        entrance: nil,
        doors: [Plan.Point(0, 1)]
      )
    ]
    draft.rooms = [
      PlanDraft.Room(
        was: nil,
        major: 1,
        name: LocalizedText("Hall", in: "en"),
        level: 0,
        outline: [Plan.Point(0, 0), Plan.Point(4, 0), Plan.Point(4, 3)]
      )
    ]
    draft.exhibits = [
      PlanDraft.Exhibit(
        was: nil,
        room: 1,
        minor: 1,
        number: 1,
        title: LocalizedText("One", in: "en"),
        position: Plan.Point(3, 1)
      )
    ]
    let edited = try draft.applied(to: empty)
    #expect(String(decoding: edited, as: UTF8.self).hasPrefix("// My plan.\n"))
    let plan = try Plan(reading: edited)
    #expect(plan.floors.map(\.doors) == [[Plan.Point(0, 1)]])
    #expect(plan.rooms.count == 1 && plan.exhibits.count == 1)
    // The written bytes are read as the same draft, which changes nothing more.
    #expect(try PlanDraft(of: plan).applied(to: edited) == edited)
  }

  @Test func `the output as JSON is read as the same draft`() throws {
    var writer = JSONLineWriter()
    writer.beginObject()
    draft.write(to: &writer)
    writer.endObject()
    #expect(PlanDraft(try JSON5.parse(writer.bytes), of: plan) == draft)
  }

  @Test(
    arguments: [
      "{}", "[]", "null", #"{"floors":[],"rooms":[]}"#, #"{"floors":{},"rooms":[],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":0}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":99,"major":1,"level":0,"name":{"en":"x"},"outline":[]}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":-1,"major":1,"level":0,"name":{"en":"x"},"outline":[]}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":1.5,"major":1,"level":0,"name":{"en":"x"},"outline":[]}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":null,"major":1,"level":0,"name":{"en":""},"outline":[]}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":null,"major":1,"level":0,"name":{"en":"x"},"outline":[[1]]}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[{"was":null,"major":1,"level":0,"name":{"en":"x"},"outline":[[1,NaN]]}],"exhibits":[]}"#,
      #"{"floors":[],"rooms":[],"exhibits":[{"was":null,"room":1,"minor":1,"number":1,"title":{"en":"x"},"at":[1e300,1]}]}"#,
    ]
  )
  func `anything else is not a draft`(text: String) throws {
    let text = text.hasPrefix("{\"") ? Self.head + text.dropFirst() : text
    #expect(PlanDraft(try JSON5.parse(text), of: plan) == nil)
  }

  /// The members of a draft before its floors.
  private static let head =
    #"{"languages":["en","de"],"museum":{"en":"M"},"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","#
    + #""whenInUse":null,"#

  @Test func `languages can be added, and no text is copied that is not translated`() throws {
    var draft = draft
    draft.languages.append("fr")
    for index in draft.floors.indices {
      draft.floors[index].name = Self.french(draft.floors[index].name)
    }
    for index in draft.rooms.indices {
      draft.rooms[index].name = Self.french(draft.rooms[index].name)
    }
    for index in draft.exhibits.indices {
      draft.exhibits[index].title = Self.french(draft.exhibits[index].title)
      draft.exhibits[index].text = draft.exhibits[index].text.map(Self.french)
    }
    draft.museum = Self.french(draft.museum)
    draft.whenInUse = draft.whenInUse.map(Self.french)
    draft.alwaysAndWhenInUse = draft.alwaysAndWhenInUse.map(Self.french)
    draft.purpose = draft.purpose.map(Self.french)
    let file = Array(
      String(decoding: file, as: UTF8.self)
        .replacing("purposes: {", with: "purposes: { A: { en: 'More.', de: 'Mehr.' },")
        .utf8
    )
    let edited = try draft.applied(to: file)
    let changed = try Plan(reading: edited)
    #expect(changed.languages == ["en", "de", "fr"])
    #expect(changed.exhibits[0].title["fr"] == "fr: Sundial")
    #expect(changed.manifest.purposes.map { $0.text["fr"].prefix(4) } == ["fr: ", "The "])
    #expect(changed.manifest.purposes[1].text.entries.map(\.language) == ["en", "de"])
    #expect(String(decoding: edited, as: UTF8.self).contains("when the guide asks.\n"))
    #expect(try PlanDraft(of: changed).applied(to: edited) == edited)
  }

  private static func french(_ text: LocalizedText) -> LocalizedText {
    LocalizedText(text.entries + [LocalizedText.Entry(language: "fr", text: "fr: \(text["en"])")])
  }

  @Test mutating func `texts of an exhibit are written, and removed, in each language`() throws {
    draft.exhibits[0].text = nil
    draft.exhibits[1].text?.entries[1].text = "Neu."
    draft.exhibits[2].image = "glass.png"
    let edited = try draft.applied(to: file)
    let changed = try Plan(reading: edited)
    #expect(changed.exhibits[0].text == nil)
    #expect(changed.exhibits[1].text?["de"] == "Neu.")
    #expect(changed.exhibits[1].text?["en"] == plan.exhibits[1].text?["en"])
    #expect(changed.exhibits[2].image == "glass.png")
    #expect(try draft.applied(to: file) == edited)
    // Without a text in the first language the fault names the exhibit and the field.
    draft.exhibits[4].text?.entries.removeLast()
    #expect(try Plan(reading: draft.applied(to: file)).exhibits[4].text?.entries.count == 1)
    draft.exhibits[3].text?.entries.removeFirst()
    #expect {
      try draft.applied(to: file)
    } throws: { error in
      (error as? DraftFaults)?.faults.map { "\($0.kind) \($0.index) \($0.field)" }
        == ["exhibit 3 text-en"]
    }
  }

  /// A plan with each value that may be missing.
  private static let full = Array(
    """
    {
      museum: "M", uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", languages: ["en"],
      manifest: { whenInUse: "W", alwaysAndWhenInUse: "A", purposes: { Key: "P" } },
      floors: [
        { level: -1, name: "Cellar" }, // mine
        { level: 0, name: "Ground", entrance: [0, 3], doors: [[1, 0]] },
      ],
      rooms: [
        { major: 1, name: "Hall", floor: 0, outline: [[0, 0], [8, 0], [8, 6]] },
        { major: 2, name: "Vault", outline: [[0, 0], [8, 0], [8, 6]] },
      ],
      exhibits: [
        { room: 1, minor: 5, number: 5, title: "A", text: "T", image: "a.png", at: [3, 1],
          audio: { en: "a.mp3" } },
      ],
    }
    """.utf8
  )

  @Test func `each value that may be missing can be removed`() throws {
    let full = Self.full
    var draft = PlanDraft(of: try Plan(reading: full))
    (draft.floors[1].entrance, draft.floors[1].doors) = (nil, [])
    (draft.rooms[1].major, draft.rooms[1].outline) = (nil, [])
    (draft.alwaysAndWhenInUse, draft.purpose) = (nil, nil)
    draft.exhibits[0].number = 9
    (draft.exhibits[0].text, draft.exhibits[0].image) = (nil, nil)
    draft.exhibits[0].position = nil
    var edited = try draft.applied(to: full)
    #expect(try PlanDraft(of: Plan(reading: edited)) == draft)
    draft.exhibits[0].number = 5
    edited = try draft.applied(to: edited)
    #expect(try PlanDraft(of: Plan(reading: edited)) == draft)
    let text = String(decoding: edited, as: UTF8.self)
    for key in ["entrance", "number", "text", "image", "at:"] { #expect(!text.contains(key)) }
    #expect(text.contains("// mine"))
    draft.purpose = LocalizedText("Again", in: "en")
    #expect(
      try Plan(reading: draft.applied(to: edited)).manifest.purposes.first?.text["en"] == "Again"
    )
    // The museum's question is needed.
    draft.whenInUse = nil
    #expect(throws: DraftFaults.self) { try draft.applied(to: edited) }
  }

  @Test func `a number that the file gives follows the minor`() throws {
    var draft = PlanDraft(of: try Plan(reading: Self.full))
    (draft.exhibits[0].minor, draft.exhibits[0].number) = (6, 6)
    let edited = try Plan(reading: draft.applied(to: Self.full))
    #expect(edited.exhibits[0].number == 6)
  }

  @Test func `a floor is removed, and rooms stay on theirs`() throws {
    var draft = PlanDraft(of: try Plan(reading: Self.full))
    #expect(draft.rooms.map(\.level) == [0, -1])
    draft.rooms[1].level = 0
    draft.floors.remove(at: 0)
    let edited = try Plan(reading: draft.applied(to: Self.full))
    #expect(edited.floors.map(\.level) == [0] && edited.rooms.map(\.level) == [0, 0])
    draft.rooms[1].level = -1
    #expect(throws: DraftFaults.self) { try draft.applied(to: Self.full) }
  }

  @Test mutating func `a number is at one exhibit, also if it is the minor in another room`() throws
  {
    for _ in 0..<2 {
      let major = draft.exhibits[draft.exhibits.count - 1].room == 1 ? 2 : 1
      draft.exhibits.append(
        PlanDraft.Exhibit(was: nil, room: major, minor: 1, number: 1, title: Self.text("New"))
      )
    }
    #expect {
      try draft.applied(to: file)
    } throws: { error in
      let fault = (error as? DraftFaults)?.faults.first
      return fault?.message.description == "'New' has the number 1 already" && fault?.index == 25
    }
    draft.exhibits[25].number = 2
    let changed = try Plan(reading: draft.applied(to: file))
    #expect(changed.exhibits.suffix(2).map(\.number) == [1, 2])
  }

  @Test mutating func `a language is removed from each text of the file`()
    throws
  {
    draft.languages = ["de"]
    func german(_ text: LocalizedText) -> LocalizedText {
      LocalizedText(text.entries.filter { $0.language == "de" })
    }
    for index in draft.floors.indices {
      draft.floors[index].name = german(draft.floors[index].name)
    }
    for index in draft.rooms.indices { draft.rooms[index].name = german(draft.rooms[index].name) }
    for index in draft.exhibits.indices {
      draft.exhibits[index].title = german(draft.exhibits[index].title)
      draft.exhibits[index].text = draft.exhibits[index].text.map(german)
    }
    draft.museum = german(draft.museum)
    draft.whenInUse = draft.whenInUse.map(german)
    draft.alwaysAndWhenInUse = draft.alwaysAndWhenInUse.map(german)
    draft.purpose = draft.purpose.map(german)
    let edited = try draft.applied(to: file)
    #expect(!String(decoding: edited, as: UTF8.self).contains(" en: \""))
    let changed = try Plan(reading: edited)
    #expect(changed.languages == ["de"] && changed.museum["de"] == plan.museum["de"])
    #expect(changed.manifest.purposes.first?.text["de"] == plan.manifest.purposes.first?.text["de"])
    var writer = JSONLineWriter()
    writer.beginObject()
    draft.write(to: &writer)
    writer.endObject()
    #expect(PlanDraft(try JSON5.parse(writer.bytes), of: plan) == draft)
  }

  @Test func `a plan gets a second language, and nothing in it is translated`() throws {
    var draft = PlanDraft(of: try Plan(reading: Self.full))
    draft.languages = ["en", "de"]
    let changed = try Plan(reading: draft.applied(to: Self.full))
    #expect(changed.languages == ["en", "de"] && changed.exhibits[0].audio?["de"] == "a.mp3")
    #expect(changed.exhibits[0].title.entries.map(\.language) == ["en"])
    let remarks = PlanRemarks(changed, fault: { _ in nil }).all
    let last = try #require(remarks.last)
    #expect("\(last.message)" == "de: 10 texts are missing; visitors see them in en")
    #expect(last.message.text(in: "de") == "Deutsch: 10 Texte fehlen; Gäste sehen sie auf English")
    #expect("\(last.kind) \(last.field ?? "")" == "museum museum-de")
  }

  @Test func `an index that comes twice is not a draft`() throws {
    let room = #"{"was":0,"major":1,"level":0,"name":{"en":"x"},"outline":[]}"#
    let text = { (rooms: String) in
      Self.head + #""floors":[],"rooms":[\#(rooms)],"exhibits":[]}"#
    }
    #expect(PlanDraft(try JSON5.parse(text(room)), of: plan) != nil)
    #expect(PlanDraft(try JSON5.parse(text("\(room),\(room)")), of: plan) == nil)
  }

  @Test func `random changes leave a valid plan with exactly them, or are refused`() throws {
    var random = SplitMix64(seed: 8)
    var applied = 0
    for _ in 0..<200 {
      var draft = draft
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let exhibit = Int.random(in: draft.exhibits.indices, using: &random)
        let (x, y) = (
          Int.random(in: 0...300, using: &random), Int.random(in: 0...140, using: &random)
        )
        switch Int.random(in: 0..<5, using: &random) {
        case 0: draft.exhibits[exhibit].position = Plan.Point(Double(x) / 10, Double(y) / 10)
        case 1: draft.exhibits[exhibit].title.entries[0].text = "a '\\ \u{2028} \" // \(x)"
        case 2: draft.exhibits.remove(at: exhibit)
        case 3: draft.floors[0].doors.append(Plan.Point(Double(x) / 10, Double(y) / 10))
        default: draft.rooms[x % draft.rooms.count].name.entries[0].text = "Room }\(y)"
        }
      }
      guard let edited = try? draft.applied(to: file) else { continue }
      applied += 1
      var read = PlanDraft(of: try Plan(reading: edited))
      for index in read.exhibits.indices { read.exhibits[index].was = draft.exhibits[index].was }
      #expect(read == draft)
    }
    #expect(applied > 50)
  }
}
