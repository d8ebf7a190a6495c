// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Passes a scenario's inputs to an engine, each at its time, and keeps the events.
struct ScenarioRunner: ~Copyable {
  /// The interval of marks, which show that the radio receives during a silence.
  static let markInterval = TimeSpan.seconds(10)

  /// An event as it was delivered.
  struct Delivered {
    let time: TimeSpan
    let client: Int?
    let record: EventRecord
  }

  private let scenario: Scenario
  private var run: RunCore
  private var clients: [ClientID] = []
  private var delivered: [Delivered] = []
  private var settings: [Int: SettingsView] = [:]
  /// The time of the radio's next input.
  private var nextInput: Timestamp?

  init(_ scenario: Scenario) {
    self.scenario = scenario
    run = RunCore(
      RunEngine(EngineDriver(scenario.configuration, startingAt: scenario.start)),
      policy: .scripted
    )
  }

  /// An action at a time; actions of the same time are in the order of the cases.
  private enum Entry {
    case step(ScenarioStep)
    case mark
    /// Settings are checked after everything at the same time has been delivered.
    case look(expectation: Int)
  }

  mutating func run(until isInterrupted: () -> Bool) -> ScenarioResult {
    begin()
    let entries = entries()
    let nextInputs = nextInputs(of: entries.map(\.1), at: entries.map(\.0))
    for (index, (time, entry)) in entries.enumerated() {
      if isInterrupted() { break }
      nextInput = nextInputs[index]
      switch entry {
      case .step(let step): put(step)
      case .mark: process(.mark(at(time)))
      case .look(let expectation): look(expectation, at: time)
      }
    }
    nextInput = nil
    passTime(to: scenario.end)
    return ScenarioVerdict(scenario, delivered: delivered, settings: settings)
      .result(until: isInterrupted)
  }

  private mutating func begin() {
    for program in scenario.programs {
      let client = run.context.driver?.connect(
        program.manifest,
        restoring: SavedClient(authorization: program.state),
        isForeground: program.isForeground
      )
      if let client { clients.append(client) }
    }
    // The initial state at time 0 is not reported.
    _ = run.context.engine.drainDeliveries()
    process(.radio(receiver: 0, .listening, scenario.start))
  }

  private func at(_ time: TimeSpan) -> Timestamp { scenario.start + time }

  private func entries() -> [(TimeSpan, Entry)] {
    var entries: [(time: TimeSpan, rank: Int, entry: Entry)] = []
    for step in scenario.steps where step.time <= scenario.end {
      entries.append((step.time, 0, .step(step)))
    }
    var mark = Self.markInterval
    while mark <= scenario.end {
      if !scenario.gaps.contains(where: { $0.lowerBound < mark && mark < $0.upperBound }) {
        entries.append((mark, 1, .mark))
      }
      mark = mark + Self.markInterval
    }
    for (index, expectation) in scenario.expectations.enumerated() {
      guard case .settings = expectation.subject, expectation.time <= scenario.end else { continue }
      entries.append((expectation.time, 2, .look(expectation: index)))
    }
    return entries.enumerated()
      .sorted { first, second in
        (first.element.time, first.element.rank, first.offset)
          < (second.element.time, second.element.rank, second.offset)
      }
      .map { ($0.element.time, $0.element.entry) }
  }

  /// Returns for each action the time of the next input of the radio; actions and requests before it may lie in a gap.
  private func nextInputs(of entries: [Entry], at times: [TimeSpan]) -> [Timestamp?] {
    var next: Timestamp?
    var all: [Timestamp?] = []
    for (entry, time) in zip(entries, times).reversed() {
      switch entry {
      case .mark: next = at(time)
      case .step(let step) where step.action.isScanInput: next = at(time)
      case .step, .look: break
      }
      all.append(next)
    }
    return all.reversed()
  }

  private mutating func put(_ step: ScenarioStep) {
    switch step.action {
    case .report(let payload, let rssi, let address, let receiver):
      let report = AdvertisingReport(
        time: at(step.time),
        rssi: rssi,
        receiver: receiver,
        address: address,
        payloadStart: 0,
        payloadCount: UInt16(clamping: payload.count)
      )
      process(.report(report), payload)
    case .radio(let state, let receiver):
      process(.radio(receiver: receiver, state, at(step.time)))
    case .user(let action, let client):
      let client = client.map { clients[$0] }
      play(.action(TimedUserAction(time: at(step.time), client: client, action: action)))
    case .request(let request, let client):
      arrive(at: step.time)
      run.context.engine.request(request, by: clients[client])
    case .relaunch(let client):
      arrive(at: step.time)
      run.context.driver?.relaunch(clients[client])
    case .terminate(let client):
      arrive(at: step.time)
      run.context.engine.terminate(clients[client])
    }
    keep(run.context.engine.drainDeliveries())
  }

  private mutating func play(_ input: ScriptedInput) { keep(run.play(input, before: nextInput)) }

  /// Advances the timeline to a time, so that a program's request is made at that time.
  private mutating func arrive(at time: TimeSpan) {
    play(.arrival(at(time)))
  }

  private mutating func process(_ input: ScanInput, _ payload: [UInt8] = []) {
    play(.batch(ScanBatch(bytes: payload, inputs: [input])))
  }

  private mutating func look(_ expectation: Int, at time: TimeSpan) {
    passTime(to: time)
    guard let client = scenario.expectations[expectation].client else { return }
    settings[expectation] = run.context.engine.snapshot(of: clients[client])?.settings
  }

  /// Advances the timeline so that everything due up to and including a time happens.
  private mutating func passTime(to time: TimeSpan) {
    play(.passing(before: at(time) + TimeSpan(microseconds: 1)))
  }

  private mutating func keep(_ deliveries: [Delivery]) {
    let names = EventNames(start: scenario.start)
    for delivery in deliveries {
      guard case .client(let id) = delivery.recipient else { continue }
      for record in EventRecord.records(of: delivery.event, names) {
        delivered.append(
          Delivered(
            time: delivery.time - scenario.start,
            client: clients.firstIndex(of: id),
            record: record
          )
        )
      }
    }
  }
}
