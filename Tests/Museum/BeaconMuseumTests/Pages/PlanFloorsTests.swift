// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@testable import BeaconMuseum

@Suite struct PlanFloorsTests {
  @Test func `rooms and beacons are drawn as they are received, and listed in words`() throws {
    let plan = try PlanTests.fixture()
    let floors = PlanFloors(plan)
    let identities = floors.identities
    let html = floors.html(
      [
        identities[0]: PlanFloors.Spot(.near, text: "near, 0.4 m"),
        identities[1]: PlanFloors.Spot(.received, text: "-70 dBm at hci0"),
      ],
      guests: [:]
    )
    #expect(html.split(separator: "class=\"room\"").count - 1 == 6)
    #expect(html.split(separator: "<g class=\"spot").count - 1 == plan.exhibits.count)
    #expect(html.split(separator: "<g class=\"spot shown\"").count - 1 == 1)
    #expect(html.split(separator: "<g class=\"spot received\"").count - 1 == 1)
    #expect(html.contains("aria-label=\"Floor plan: Ground floor\""))
    #expect(html.contains("<td class=\"name\">near, 0.4 m</td>"))
    #expect(
      html.split(separator: "<tr>").count - 2 == plan.exhibits.count,
      "a row each, and the heads"
    )
  }

  @Test func `who is in a room stands below its name, whatever the language of the place`() throws {
    var plan = try PlanTests.fixture()
    plan.rooms[0].name = LocalizedText([
      LocalizedText.Entry(language: "en", text: "Hall"),
      LocalizedText.Entry(language: "de", text: "Halle"),
    ])
    let floors = PlanFloors(plan)
    #expect(floors.hasRoom("Halle"))
    #expect(!floors.hasRoom("Attic"))
    let html = floors.html([:], guests: ["Halle": ["anna"], "Attic": ["berta"]])
    #expect(html.contains(#"<text class="b halo guest" data-room="Hall" y=""#))
    #expect(html.contains("● anna</tspan></text>"))
    #expect(!html.contains("berta"), "the plan has no such room")
    #expect(html.split(separator: "class=\"room now\"").count - 1 == 1)
  }

  @Test func `names in a room hide no beacon where there is room for that`() throws {
    let plan = try PlanTests.fixture()
    let drawing = try #require(FloorDrawing.all(plan).first)
    let name = plan.rooms[1].name["en"]
    let html = PlanFloors(plan).html([:], guests: [name: ["anna", "berta"]])
    let text = try #require(html.split(separator: "class=\"b halo guest\"").last)
    let top = try #require(
      text.split(separator: "y=\"").dropFirst().first?.split(separator: "\"").first
    )
    let y = try #require(Double(String(top)))
    let discs = plan.exhibits.compactMap { exhibit in
      exhibit.identity.major == 2 ? exhibit.position.map { drawing.place($0).y } : nil
    }
    #expect(discs.count == 5)
    #expect(discs.allSatisfy { $0 + 11 < y - 12 || $0 - 11 > y + 16 }, "\(y) \(discs)")
  }

  @Test func `many and long names in a room are cut`() throws {
    let plan = try PlanTests.fixture()
    let name = plan.rooms[0].name["en"]
    let guests = (1...9).map { "\($0)" + String(repeating: "x", count: 30) }
    let html = PlanFloors(plan).html([:], guests: [name: guests])
    #expect(html.contains("● 6xxxxxxxxxxxxxxxxxxxxxx…</tspan>"))
    #expect(html.contains(">and 3 more</tspan>"))
    #expect(!html.contains("● 7"))
  }

  @Test func `text from outside cannot become markup`() throws {
    var plan = try PlanTests.fixture()
    plan.museum = LocalizedText("<script>alert(1)</script>", in: "en")
    plan.rooms[0].name = LocalizedText("\"><img src=x>", in: "en")
    plan.exhibits[0].title = LocalizedText("\u{202E}<b>", in: "en")
    let identity = plan.exhibits[0].identity
    let html = PlanFloors(plan).html(
      [identity: PlanFloors.Spot(.received, text: "<i>hci0")],
      guests: ["\"><img src=x>": ["<u>anna"]]
    )
    for part in ["<script", "<img", "<b>", "<i>", "<u>", "\u{202E}"] {
      #expect(!html.contains(part), "\(part)")
    }
    #expect(html.contains("&lt;u&gt;anna"))
  }

  @Test func `a plan without a drawing has its list`() throws {
    var plan = try PlanTests.fixture()
    for index in plan.rooms.indices { plan.rooms[index].outline = [] }
    let html = PlanFloors(plan).html([:], guests: [:])
    #expect(html.contains("This plan draws no rooms."))
    #expect(!html.contains("<svg"))
    #expect(html.contains("<td class=\"name\">–</td>"))
  }
}
