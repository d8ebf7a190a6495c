// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconScenarios
import Beacons

/// A scenario's scan source, which lets its programs and users act at their times.
actor RoomSource: ScanSource {
  nonisolated var isLive: Bool { false }
  nonisolated let receiverNames: [String]
  nonisolated let now: Timestamp

  private enum Entry {
    case scan(ScanInput, [UInt8])
    case step(ScenarioStep, at: Timestamp)
    /// Settings are checked when everything at their time has been delivered.
    case look(expectation: Int, at: Timestamp)
  }

  private var entries: ArraySlice<Entry> = []
  private var hasArrived = false
  private let act: @Sendable (ScenarioStep) async -> Void
  private let look: @Sendable (_ expectation: Int) async -> Void

  /// Creates the source.
  ///
  /// - Parameters:
  ///   - scenario: The scenario that gives the inputs.
  ///   - act: Performs a step of a user or a program.
  ///   - look: Checks the Settings that an expectation names.
  init(
    _ scenario: Scenario,
    act: @escaping @Sendable (ScenarioStep) async -> Void,
    look: @escaping @Sendable (_ expectation: Int) async -> Void
  ) {
    receiverNames = scenario.receivers
    now = scenario.start
    (self.act, self.look) = (act, look)
    entries = Self.entries(of: scenario)[...]
  }

  private static func entries(of scenario: Scenario) -> [Entry] {
    func at(_ time: TimeSpan) -> Timestamp { scenario.start + time }
    // A session performs a user action a microsecond after everything that was admitted, so that what comes before it
    // at its time comes a microsecond early.
    var lastActions: [TimeSpan: Int] = [:]
    for (index, step) in scenario.steps.enumerated() {
      if case .user = step.action { lastActions[step.time] = index }
    }
    func place(of step: ScenarioStep, _ index: Int) -> Timestamp {
      let isBeforeAction = lastActions[step.time].map { $0 >= index } ?? false
      return isBeforeAction ? at(step.time) - TimeSpan(microseconds: 1) : at(step.time)
    }
    var timed: [(time: TimeSpan, rank: Int, entry: Entry)] = [
      (.zero, -1, .scan(.radio(receiver: 0, .listening, scenario.start), []))
    ]
    for (index, step) in scenario.steps.enumerated() where step.time <= scenario.end {
      switch step.action {
      case .report(let payload, let rssi, let address, let receiver):
        let report = AdvertisingReport(
          time: place(of: step, index),
          rssi: rssi,
          receiver: receiver,
          address: address,
          payloadStart: 0,
          payloadCount: UInt16(clamping: payload.count)
        )
        timed.append((step.time, 0, .scan(.report(report), payload)))
      case .radio(let state, let receiver):
        let input = ScanInput.radio(receiver: receiver, state, place(of: step, index))
        timed.append((step.time, 0, .scan(input, [])))
      default: timed.append((step.time, 0, .step(step, at: place(of: step, index))))
      }
    }
    var mark = ScenarioRunner.markInterval
    while mark <= scenario.end {
      if !scenario.gaps.contains(where: { $0.lowerBound < mark && mark < $0.upperBound }) {
        timed.append((mark, 1, .scan(.mark(at(mark)), [])))
      }
      mark = mark + ScenarioRunner.markInterval
    }
    for (index, expectation) in scenario.expectations.enumerated() {
      guard case .settings = expectation.subject, expectation.time <= scenario.end else { continue }
      timed.append((expectation.time, 2, .look(expectation: index, at: at(expectation.time))))
    }
    // The due deadlines at the end is delivered; anything later is not checked.
    let end = at(scenario.end) + TimeSpan(microseconds: 1)
    return timed.enumerated()
      .sorted { first, second in
        (first.element.time, first.element.rank, first.offset)
          < (second.element.time, second.element.rank, second.offset)
      }
      .map(\.element.entry) + [.scan(.mark(end), [])]
  }

  func next(until deadline: Timestamp?) async -> ScanBatch? {
    while let entry = entries.first {
      switch entry {
      case .scan(let input, let payload):
        entries.removeFirst()
        return ScanBatch(bytes: payload, inputs: [input])
      case .step(let step, let time):
        // The timeline first advances to the step's time, so that the due deadlines before is delivered before.
        if !hasArrived {
          hasArrived = true
          return ScanBatch(bytes: [], inputs: [.mark(time)])
        }
        hasArrived = false
        entries.removeFirst()
        await act(step)
      case .look(let expectation, let time):
        if !hasArrived {
          hasArrived = true
          return ScanBatch(bytes: [], inputs: [.mark(time + TimeSpan(microseconds: 1))])
        }
        hasArrived = false
        entries.removeFirst()
        await look(expectation)
      }
    }
    return nil
  }
}
