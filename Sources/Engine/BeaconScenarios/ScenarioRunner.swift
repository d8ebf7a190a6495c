// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Passes a scenario's inputs to an engine, each at its time, and keeps the events.
struct ScenarioRunner: ~Copyable {
  /// The interval of marks, which show that the radio receives during a silence.
  static let markInterval = TimeSpan.seconds(10)

  /// The most events that are kept, in 100 MB: more than three days of one constraint.
  static let mostEvents = 300_000

  /// An event as it was delivered.
  struct Delivered {
    let time: TimeSpan
    let client: Int?
    let record: EventRecord
  }

  private let scenario: Scenario
  private let limit: Int
  private var run: RunCore
  private var clients: [ClientID] = []
  private var delivered: [Delivered] = []
  private var settings: [Int: SettingsView] = [:]
  /// The time of the radio's next input.
  private var nextInput: Timestamp?

  init(_ scenario: Scenario, limit: Int = mostEvents) {
    self.scenario = scenario
    self.limit = limit
    run = RunCore(
      RunEngine(EngineDriver(scenario.configuration, startingAt: scenario.start)),
      policy: .scripted
    )
  }

  mutating func run(until isInterrupted: () -> Bool) -> ScenarioResult {
    begin()
    var steps = scenario.steps
    // Actions and requests before the next input of the radio may lie in a gap.
    var inputs = ScenarioSteps(scenario.entries.filter(\.action.isScanInput))
    var mark = nextMark(after: .zero)
    var looks = looks()[...]
    while !isInterrupted(), delivered.count <= limit {
      let times = [steps.nextTime, mark, looks.first?.time]
      guard let time = times.compactMap(\.self).min(), time <= scenario.end else { break }
      let input = [inputs.nextTime, mark].compactMap(\.self).min()
      nextInput = input.flatMap { $0 <= scenario.end ? at($0) : nil }
      // At one time the steps come first, and then the mark; the settings that follow from all of them are last.
      if time == times[0], let step = steps.next() {
        if step.action.isScanInput { _ = inputs.next() }
        put(step)
      } else if time == mark {
        process(.mark(at(time)))
        mark = nextMark(after: time)
      } else if let look = looks.popFirst() {
        self.look(look.expectation, at: time)
      }
    }
    nextInput = nil
    if delivered.count <= limit { passTime(to: scenario.end) }
    if delivered.count > limit { return tooMany(at: delivered.last?.time ?? .zero) }
    return ScenarioVerdict(scenario, delivered: delivered, settings: settings)
      .result(until: isInterrupted)
  }

  /// The result of a scenario with more events than are kept.
  private func tooMany(at time: TimeSpan) -> ScenarioResult {
    let text =
      "  at \(DecimalText.seconds(time)) s: these are more than \(limit) events; let the scenario end earlier, or in several files"
    return ScenarioResult(
      name: scenario.name,
      expectationCount: scenario.expectations.count,
      failures: [ScenarioResult.Failure(seconds: time.seconds, line: nil, text: text)]
    )
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

  /// The time of the next mark outside of a gap.
  private func nextMark(after time: TimeSpan) -> TimeSpan {
    var mark = time + Self.markInterval
    while let gap = scenario.gaps.first(where: { $0.lowerBound < mark && mark < $0.upperBound }) {
      let rest = (gap.upperBound - mark).microseconds
      let interval = Self.markInterval.microseconds
      mark = mark + TimeSpan(microseconds: (rest + interval - 1) / interval * interval)
    }
    return mark
  }

  /// When settings are compared, in order.
  private func looks() -> [(time: TimeSpan, expectation: Int)] {
    scenario.expectations.indices.compactMap { index in
      let expectation = scenario.expectations[index]
      guard case .settings = expectation.subject else { return nil }
      return (expectation.time, index)
    }
    .sorted { $0 < $1 }
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
