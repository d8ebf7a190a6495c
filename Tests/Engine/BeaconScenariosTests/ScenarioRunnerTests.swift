// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconScenarios

/// Times, order and Settings in a scenario.
@Suite struct ScenarioRunnerTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private func run(_ timeline: String, _ expect: String, _ more: String) throws -> ScenarioResult {
    let text = """
      { name: 'x', profile: 'coreLocation14', clients: { guide: {} },
        state: { guide: { authorization: 'whenInUse' } },
        timeline: [\(timeline)], expect: [\(expect)], \(more) }
      """
    return try Scenario(parsing: Array(text.utf8)).run()
  }

  static let monitoring = "{ at: 0, input: 'monitor', region: 'a', constraint: '\(museum)' },"

  @Test func `a repeated report comes up to and including its end`() throws {
    let report = "{ at: 0.1, input: 'report', beacon: '\(Self.museum)/1/1', rssi: -60, "
    for (repetition, reports) in [("every: 0.3, until: 0.7", 3), ("every: 0.3, count: 2", 2)] {
      let result = try run(
        "{ at: 0, input: 'range', constraint: '\(Self.museum)' }, \(report)\(repetition) }",
        "{ at: 1, event: 'ranged', beacons: [{ reports: \(reports) }] }",
        "only: ['ranged']"
      )
      #expect(result.holds, "\(result.report)")
    }
  }

  @Test func `repetitions come in the order that they would have if each stood in the file`() {
    for seed in 0..<UInt64(Effort.rounds(200)) {
      var random = SplitMix64(seed: seed)
      let entries = (0..<Int.random(in: 0...20, using: &random)).map { number in
        ScenarioStep(
          time: .seconds(Int64.random(in: 0...9, using: &random)),
          action: .terminate(client: number),
          summary: "\(number)",
          count: [1, 1, 3, 12].randomElement(using: &random) ?? 1,
          interval: .seconds(Int64.random(in: 1...3, using: &random))
        )
      }
      let each = entries.enumerated().flatMap { index, entry in
        (0..<entry.count).map { (entry.time(of: $0), index) }
      }
      let steps = ScenarioSteps(entries).map { "\($0.time) \($0.summary)" }
      #expect(steps == each.sorted { $0 < $1 }.map { "\($0.0) \($0.1)" }, "seed \(seed)")
    }
  }

  @Test func `a scenario with too many events ends with a failure`() throws {
    let text = """
      { name: 'x', clients: { guide: {} }, state: { guide: { authorization: 'whenInUse' } },
        timeline: [{ at: 0, input: 'range', constraint: '\(Self.museum)' }], until: 604800 }
      """
    let scenario = try Scenario(parsing: Array(text.utf8))
    var runner = ScenarioRunner(scenario, limit: 100)
    let result = runner.run { false }
    #expect(!result.holds && result.failures.count == 1)
    #expect(result.report.contains("more than 100 events"))
  }

  @Test func `more comparisons than a limit end with a failure`() throws {
    let absent = "{ at: 3, within: 60, event: 'region.state', region: 'none' },"
    let text =
      "{ name: 'x', clients: { guide: {} }, timeline: [], expect: [\(String(repeating: absent, count: 9))] }"
    let scenario = try Scenario(parsing: Array(text.utf8))
    let event = ScenarioRunner.Delivered(
      time: .seconds(3),
      client: 0,
      record: EventRecord(type: "region.state", fields: [])
    )
    let verdict = ScenarioVerdict(
      scenario,
      delivered: Array(repeating: event, count: 10),
      settings: [:]
    )
    #expect(verdict.result.failures.count == 9)
    let result = verdict.result(until: { false }, limit: 25)
    #expect(result.failures.count == 4, "\(result.report)")
    #expect(result.report.contains("the rest was not compared"))
  }

  @Test func `a day of repetitions is one entry in the memory`() throws {
    let report =
      "{ at: 0, input: 'report', beacon: '\(Self.museum)/1/1', rssi: -60, every: 0.1, until: 65535 }"
    let text = "{ name: 'x', timeline: [\(report)] }"
    let scenario = try Scenario(parsing: Array(text.utf8))
    #expect(scenario.entries.count == 1 && scenario.end == .seconds(65_535))
    #expect(scenario.steps.reduce(0) { count, _ in count + 1 } == 655_351)
  }

  @Test func `a silence of the scan counts as silence, except in a gap`() throws {
    let outside = "{ at: 10, event: 'region.state', state: 'outside' }"
    #expect(try run(Self.monitoring, outside, "until: 200").holds)
    let gap = Self.monitoring + "{ at: 5, input: 'gap', until: 105 },"
    let late = "{ at: 120, event: 'region.state', state: 'outside' }"
    let result = try run(gap, late, "only: ['region.state', 'diagnostic'], until: 200")
    #expect(result.holds, "\(result.report)")
  }

  @Test func `expectations at one time are in order`() throws {
    let timeline = Self.monitoring + Self.monitoring.replacing("'a'", with: "'b'")
    let first = "{ at: 10, event: 'region.state', region: 'a' },"
    let second = "{ at: 10, event: 'region.state', region: 'b' },"
    #expect(try run(timeline, first + second, "").holds)
    #expect(try !run(timeline, second + first, "").holds)
  }

  @Test func `a time with a tolerance holds within its bounds`() throws {
    let near = "{ at: 10.4, within: 0.4, event: 'region.state' }"
    let far = "{ at: 10.5, within: 0.4, event: 'region.state' }"
    #expect(try run(Self.monitoring, near, "").holds)
    #expect(try !run(Self.monitoring, far, "").holds)
  }

  @Test func `forbidden and unexpected events are failures`() throws {
    let never = try run(Self.monitoring, "", "never: ['region.state'], until: 20")
    #expect(never.failures.map(\.seconds) == [10])
    let only = try run(Self.monitoring, "", "only: ['region.state'], until: 20")
    #expect(only.failures.map(\.seconds) == [10])
    #expect(only.report.contains("delivered and not expected: guide region.state region: a"))
    #expect(try run(Self.monitoring, "", "only: ['prompt'], until: 20").holds)
  }

  @Test func `a failure shows its line and the timeline around it`() throws {
    let result = try run(
      Self.monitoring,
      "\n{ at: 10, event: 'region.state', state: 'inside' }",
      "until: 20"
    )
    let failure = try #require(result.failures.first)
    #expect(failure.line == 4)
    #expect(failure.text.contains("10  expected  guide region.state state: inside"))
    #expect(failure.text.contains("10  delivered guide region.state region: a, state: outside"))
  }

  @Test func `Settings are checked after everything at that time`() throws {
    let result = try run(
      "{ at: 5, input: 'settings', authorization: 'always' },",
      "{ at: 4.9, client: 'guide', settingsShows: 'whileUsing', precise: true },"
        + "{ at: 5, client: 'guide', settingsShows: 'always' }",
      ""
    )
    #expect(result.holds, "\(result.report)")
    let wrong = "{ at: 5, client: 'guide', settingsShows: 'always' }"
    #expect(try run("{ at: 6, input: 'quiet' }", wrong, "").failures.count == 1)
  }
}
