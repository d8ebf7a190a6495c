// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Compares the events of a run with the expected ones.
struct ScenarioVerdict {
  /// How far before and after a failure events are shown.
  static let surroundings = TimeSpan.seconds(2)
  /// The most lines of a timeline shown around a failure.
  static let mostLines = 24
  /// The most failures with a timeline: more are not useful, and they would fill the memory.
  static let mostTimelines = 100

  /// The most comparisons of an event with an expectation: a scenario of a thousand events and expectations needs a million.
  static let mostComparisons = 20_000_000

  private let scenario: Scenario
  private let delivered: [ScenarioRunner.Delivered]
  private let settings: [Int: SettingsView]

  init(
    _ scenario: Scenario,
    delivered: [ScenarioRunner.Delivered],
    settings: [Int: SettingsView]
  ) {
    self.scenario = scenario
    self.delivered = delivered
    self.settings = settings
  }

  /// The result of the scenario.
  var result: ScenarioResult { result { false } }

  /// Returns the result of the scenario; if it was interrupted, the comparison until then.
  ///
  /// - Parameters:
  ///   - isInterrupted: Asked before each comparison.
  ///   - limit: The most comparisons of an event with an expectation.
  /// - Returns: The result.
  func result(
    until isInterrupted: () -> Bool,
    limit: Int = ScenarioVerdict.mostComparisons
  ) -> ScenarioResult {
    var failures: [ScenarioResult.Failure] = []
    var isExpected = Array(repeating: false, count: delivered.count)
    let ordered = scenario.expectations.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    var last: (time: TimeSpan, index: Int) = (TimeSpan(microseconds: -1), -1)
    var comparisons = 0
    for (index, expectation) in ordered {
      if isInterrupted() { break }
      let timelines = Self.mostTimelines - failures.count
      if case .settings(let due, let precise) = expectation.subject {
        if let failure = compare(settings[index], due, precise, expectation, timelines) {
          failures.append(failure)
        }
        continue
      }
      // Expectations with the same time are in order: the search continues after the event that matched the previous
      // one.
      let first = expectation.time == last.time ? last.index + 1 : 0
      guard comparisons < limit else {
        failures.append(tooMany(expectation))
        break
      }
      let found = delivered.indices.dropFirst(first).first { index in
        !isExpected[index] && isNear(delivered[index], expectation)
          && expectation.matches(
            delivered[index].record,
            client: delivered[index].client,
            start: scenario.start
          )
      }
      comparisons += (found ?? delivered.count) - first
      if let found {
        isExpected[found] = true
        last = (expectation.time, found)
      } else {
        failures.append(missing(expectation, timelines))
      }
    }
    for index in delivered.indices {
      if isInterrupted() { break }
      let timelines = Self.mostTimelines - failures.count
      if let failure = unexpected(index, isExpected[index], timelines) { failures.append(failure) }
    }
    return ScenarioResult(
      name: scenario.name,
      expectationCount: scenario.expectations.count,
      failures: failures.enumerated()
        .sorted { ($0.element.seconds, $0.offset) < ($1.element.seconds, $1.offset) }
        .map(\.element)
    )
  }

  private func isNear(
    _ event: ScenarioRunner.Delivered,
    _ expectation: ScenarioExpectation
  ) -> Bool {
    expectation.time - expectation.within <= event.time
      && event.time <= expectation.time + expectation.within
  }

  private func compare(
    _ seen: SettingsView?,
    _ due: SettingsValue,
    _ precise: Bool?,
    _ expectation: ScenarioExpectation,
    _ timelines: Int
  ) -> ScenarioResult.Failure? {
    let isRight =
      seen.map { $0.authorization == due && (precise == nil || $0.precise == precise) } ?? false
    if isRight { return nil }
    let shown = seen.map { "\($0.authorization.rawValue), precise \($0.precise)" } ?? "nothing"
    return failure(
      "expected that Settings show \(describe(expectation)), but they show \(shown)",
      at: expectation.time,
      expectation,
      timelines
    )
  }

  private func missing(
    _ expectation: ScenarioExpectation,
    _ timelines: Int
  ) -> ScenarioResult.Failure {
    failure(
      "expected and not delivered: \(describe(expectation))",
      at: expectation.time,
      expectation,
      timelines
    )
  }

  private func tooMany(_ expectation: ScenarioExpectation) -> ScenarioResult.Failure {
    failure(
      "the rest was not compared: so many events and expectations take too long; give a shorter 'until' or fewer expectations",
      at: expectation.time,
      expectation,
      0
    )
  }

  /// Returns the failure of an event that must not occur, or that no expectation names although one must.
  private func unexpected(
    _ index: Int,
    _ isExpected: Bool,
    _ timelines: Int
  ) -> ScenarioResult.Failure? {
    let event = delivered[index]
    let fault: String
    if scenario.never.contains(event.record.type) {
      fault = "delivered and must never be"
    } else if !isExpected, scenario.only.contains(event.record.type) {
      fault = "delivered and not expected"
    } else {
      return nil
    }
    return failure("\(fault): \(describe(event))", at: event.time, nil, timelines)
  }

  // MARK: Text

  private func failure(
    _ message: String,
    at time: TimeSpan,
    _ expectation: ScenarioExpectation?,
    _ timelines: Int
  ) -> ScenarioResult.Failure {
    let place = expectation.map { "line \($0.position.line), " } ?? ""
    let head = "  \(place)at \(DecimalText.seconds(time)) s: \(message.printable)"
    return ScenarioResult.Failure(
      seconds: time.seconds,
      line: expectation?.position.line,
      text: ([head] + (timelines > 0 ? timeline(around: time) : [])).joined(separator: "\n")
    )
  }

  /// Returns the inputs, expectations and events around a time, in order.
  private func timeline(around time: TimeSpan) -> [String] {
    let range = (time - Self.surroundings)...(time + Self.surroundings)
    var lines: [(time: TimeSpan, rank: Int, text: String)] = []
    for step in scenario.steps where range.contains(step.time) {
      lines.append((step.time, 0, "input     " + step.summary))
    }
    for expectation in scenario.expectations where range.contains(expectation.time) {
      lines.append((expectation.time, 1, "expected  " + describe(expectation)))
    }
    for event in delivered where range.contains(event.time) {
      lines.append((event.time, 2, "delivered " + describe(event)))
    }
    var ordered = lines.enumerated()
      .sorted { first, second in
        (first.element.time, first.element.rank, first.offset)
          < (second.element.time, second.element.rank, second.offset)
      }
      .map(\.element)
    if ordered.count > Self.mostLines {
      // The lines nearest to the failure explain it best.
      let middle = ordered.firstIndex { $0.time >= time } ?? 0
      let first = min(max(0, middle - Self.mostLines / 2), ordered.count - Self.mostLines)
      ordered = Array(ordered[first..<first + Self.mostLines])
    }
    return ordered.map { line in
      let stamp = DecimalText.seconds(line.time)
      return "    " + String(repeating: " ", count: max(0, 9 - stamp.utf8.count)) + stamp + "  "
        + line.text.printable
    }
  }

  private func describe(_ expectation: ScenarioExpectation) -> String {
    let who = expectation.client.map { "\(scenario.programs[$0].name) " } ?? ""
    switch expectation.subject {
    case .event(let type, let fields): return "\(who)\(type) \(ScenarioValue.text(fields))"
    case .settings(let value, let precise):
      return "\(who)\(value.rawValue)" + (precise.map { ", precise \($0)" } ?? "")
    }
  }

  private func describe(_ event: ScenarioRunner.Delivered) -> String {
    let who = event.client.map { "\(scenario.programs[$0].name) " } ?? ""
    let fields = event.record.fields.map { field in
      "\(field.name): \(ScenarioValue.text(field.value, start: scenario.start))"
    }
    return "\(who)\(event.record.type) " + fields.joined(separator: ", ")
  }
}
