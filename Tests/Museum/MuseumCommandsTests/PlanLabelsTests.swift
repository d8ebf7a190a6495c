// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Testing

@testable import BeaconCommands
@testable import MuseumCommands

/// Names typed on a walk, and the resulting plan.
@Suite struct PlanLabelsTests {
  private let clock = BeaconIdentity(uuid: 7, major: 1, minor: 11)
  private let lamp = BeaconIdentity(uuid: 7, major: 1, minor: 12)

  private func type(_ text: String, _ labels: inout PlanLabels, before nearest: BeaconIdentity?)
    -> [String]
  {
    text.utf8.compactMap { labels.process($0, nearest: nearest) }
  }

  @Test func `a line names the exhibit, or its room`() {
    var labels = PlanLabels()
    #expect(type("  Clock \n", &labels, before: clock) == ["1/11 is: Clock"])
    #expect(type("Old lamp\nroom: East\n", &labels, before: lamp).count == 2)
    #expect(labels.titles == [clock: "Clock", lamp: "Old lamp"])
    #expect(labels.rooms == [1: "East"])
    #expect(type("\n", &labels, before: clock) == ["you are in front of 1/11: Clock"])
    #expect(type("room:\n", &labels, before: clock) == ["room 1: East"])
    #expect(type("A better clock\n", &labels, before: clock) == ["1/11 is: A better clock"])
  }

  @Test func `if nothing is received nothing is named`() {
    var labels = PlanLabels()
    let answers = type("Clock\n", &labels, before: nil)
    #expect(answers == ["nothing is received here, so nothing was named"])
    #expect(labels.titles.isEmpty)
  }

  @Test func `the plan is valid whatever was typed`() throws {
    var labels = PlanLabels()
    _ = type("A \"quoted\" \\ back\u{0}slash\u{2028} */ // \n", &labels, before: clock)
    _ = type(String(repeating: "é", count: 4000) + "\n", &labels, before: lamp)
    _ = type("room: \u{1B}[31mEast\n", &labels, before: clock)
    let text = PlanSkeleton.text(uuid: 7, [clock, lamp], labels)
    let plan = try Plan(reading: Array(text.utf8))
    #expect(plan.exhibits.map { $0.title["en"] } == [labels.titles[clock], labels.titles[lamp]])
    #expect(plan.rooms.map { $0.name["en"] } == [labels.rooms[1]])
    #expect(try #require(labels.titles[lamp]).utf8.count <= 510)
  }
}
