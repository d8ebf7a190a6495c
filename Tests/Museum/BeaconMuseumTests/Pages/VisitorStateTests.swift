// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The content of the visitor's page: words in the visitor's language, and no identity.
@Suite struct VisitorStateTests {
  @Test func `an exhibit has its text, its room, and its confidence as word and level`() throws {
    let plan = try PlanTests.fixture()
    let snapshot = GuideSnapshotTests.snapshot(of: plan)
    let text =
      "Water runs out of a vessel with sloping walls, so that its level sinks evenly, at night too."
    #expect(
      VisitorState(snapshot, of: plan, in: "en").json
        == #"{"status":"inside","place":"Time","title":"Water clock","text":"\#(text)","exhibit":true,"#
        + #""level":4,"sure":"almost certain","index":1,"room":0,"note":null,"visit":0,"#
        + #""floor":0,"x":115.33,"y":63.67,"r":20.00,"question":null,"reason":null,"switch":false,"#
        + #""choices":[],"token":null}"#
    )
    let german = VisitorState(snapshot, of: plan, in: "de")
    #expect(german.title == "Wasseruhr")
    #expect(german.confidence?.word == "fast sicher")
  }

  @Test func `no identity reaches the visitor`() throws {
    let plan = try PlanTests.fixture()
    let state = VisitorState(GuideSnapshotTests.snapshot(of: plan), of: plan, in: "en").json
    for identity in ["F7826DA6", "f7826da6", "102", "7777", "near", "minor"] {
      #expect(!state.contains(identity), "\(identity)")
    }
  }

  @Test(arguments: [(0.2, 1), (0.5, 2), (0.75, 3), (0.9, 4), (1, 4)])
  func `confidence has four steps`(confidence: Double, level: Int) throws {
    let plan = try PlanTests.fixture()
    let snapshot = GuideSnapshotTests.snapshot(of: plan, confidence: confidence)
    #expect(VisitorState(snapshot, of: plan, in: "en").confidence?.grade.rawValue == level)
  }

  @Test func `between exhibits, in a room without beacons, and at the end`() throws {
    let plan = try PlanTests.fixture()
    var snapshot = GuideSnapshotTests.snapshot(of: plan)
    snapshot.view.exhibit = nil
    #expect(VisitorState(snapshot, of: plan, in: "en").title == "Come nearer")
    snapshot.view.room = plan.rooms.first { $0.major == nil }
    let state = VisitorState(snapshot, of: plan, in: "en")
    #expect(state.place == "Cafeteria")
    #expect(state.title == "Nothing on show here")
    #expect(state.note == nil)
    snapshot.isOver = true
    #expect(VisitorState(snapshot, of: plan, in: "en").note?.contains("has ended") == true)
    snapshot.origin = .simulated
    #expect(VisitorState(snapshot, of: plan, in: "de").note?.contains("simuliert") == true)
    snapshot.origin = .recording
    snapshot.isOver = false
    let note = "This is the recording of a visit."
    #expect(VisitorState(snapshot, of: plan, in: "en").note == note)
    #expect(OperatorState(snapshot, of: plan, in: "en").json.contains("\"note\":\"\(note)\""))
  }

  @Test func `every language has all texts`() {
    #expect(Set(VisitorPhrases.all.map(\.language)).count == VisitorPhrases.all.count)
    for phrases in VisitorPhrases.all {
      let grades = ConfidenceGrade.allCases.map(phrases.word)
      #expect(Set(grades).count == grades.count && !grades.contains(""))
      let statuses: [GuideStatus] = [.asking, .denied, .reduced, .looking, .outside]
      let messages =
        statuses.compactMap(phrases.message) + [phrases.nothingNear, phrases.emptyRoom]
      #expect(messages.count == 7)
      #expect(Set(messages.map(\.title)).count == messages.count, "\(phrases.language)")
      #expect(messages.allSatisfy { !$0.title.isEmpty && !$0.text.isEmpty })
    }
    #expect(VisitorPhrases.of("de-CH").language == "de")
    #expect(VisitorPhrases.of("ja").language == "en")
  }
}
