// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconScenarios
import BeaconCore
import BeaconFormats
import Testing

/// All faults of a scenario are reported at once, each with its line and column.
@Suite struct ScenarioReaderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let faults: [String]
  }

  private static func scenario(_ timeline: String, _ expect: String = "", _ more: String = "")
    -> String
  {
    "{ name: 'x', clients: { guide: {} },\n timeline: [\n\(timeline)\n],\n"
      + " expect: [\n\(expect)\n],\n \(more) }"
  }

  static let cases: [Case] = [
    Case(
      testDescription: "a file without what it needs",
      text: "{}",
      faults: ["1:1: a scenario needs 'name'", "1:1: a scenario needs 'timeline'"]
    ),
    Case(
      testDescription: "unknown keys in several places",
      text: scenario(
        "{ at: 0, input: 'background', clint: 'guide' },",
        "{ at: 1, event: 'prompt', client: 'guide', kinds: 1 }",
        "untill: 3"
      ),
      faults: [
        "3:31: an entry of timeline has no key 'clint'; did you mean 'client'?",
        "6:44: an entry of expect has no key 'kinds'; did you mean 'kind'?",
        "8:2: a scenario has no key 'untill'; did you mean 'until'?",
      ]
    ),
    Case(
      testDescription: "an input that is none",
      text: scenario("{ at: 0, input: 'reqest.always', client: 'guide' }"),
      faults: ["3:17: input 'reqest.always' is not known; did you mean 'request.always'?"]
    ),
    Case(
      testDescription: "a client that is none",
      text: scenario("{ at: 0, input: 'quiet', client: 'gide' }"),
      faults: ["3:34: no client is named 'gide'; did you mean 'guide'?"]
    ),
    Case(
      testDescription: "a notification of a region nobody knows",
      text: scenario("{ at: 0, input: 'notify', region: 'museum' }"),
      faults: [
        "3:1: 'museum' is not monitored before this, so 'notify' needs 'constraint'"
      ]
    ),
    Case(
      testDescription: "a zone with one distance",
      text: scenario(
        "{ at: 0, input: 'monitor', region: 'a', enterWithin: 1,"
          + " constraint: 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E' }"
      ),
      faults: ["3:1: 'enterWithin' and 'leaveBeyond' need each other"]
    ),
    Case(
      testDescription: "a report that never ends",
      text: scenario(
        "{ at: 0, input: 'report', beacon: 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1',"
          + " rssi: -60, every: 1 }"
      ),
      faults: ["3:1: 'every' needs either 'until' or 'count'"]
    ),
    Case(
      testDescription: "more inputs than there may be",
      text: scenario("{ at: 0, input: 'raw', ad: '00', rssi: null, every: 0.001, until: 600000 }"),
      faults: ["3:1: these are more than 1000000 inputs in one file"]
    ),
    Case(
      testDescription: "inputs that go on for years",
      text: scenario("{ at: 1, input: 'raw', ad: '00', rssi: null, every: 604800, count: 2 }"),
      faults: ["3:1: 'every' times 'count' goes on for longer than 604800 s, a week"]
    ),
    Case(
      testDescription: "a constant that is none",
      text: scenario("", "", "set: { 'inUse.grase': 5 }"),
      faults: ["8:24: no constant is named 'inUse.grase'; did you mean 'inUse.grace'?"]
    ),
    Case(
      testDescription: "a type of event that is none",
      text: scenario("", "", "only: ['prompts']"),
      faults: ["8:9: an entry of only 'prompts' is not known; did you mean 'prompt'?"]
    ),
  ]

  @Test(arguments: cases)
  func `faults`(_ example: Case) {
    let error = #expect(throws: JSON5Faults.self) {
      try Scenario(parsing: Array(example.text.utf8))
    }
    #expect(error?.faults.map(\.description) == example.faults)
  }

  @Test func `local time sets the start and the offset from UTC`() throws {
    let text = "{ name: 'x', localTime: '2026-11-21T22:00:00+01:00', timeline: [] }"
    let scenario = try Scenario(parsing: Array(text.utf8))
    #expect(scenario.start == Timestamp(microseconds: 1_795_294_800_000_000))
    #expect(scenario.configuration.authorization.utcOffset == .seconds(3600))
  }
}
