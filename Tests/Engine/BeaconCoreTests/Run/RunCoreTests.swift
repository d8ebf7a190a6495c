// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// The order in which a run's participants and its program see its moments.
@Suite struct RunCoreTests {
  private struct Refused: Error {}

  /// What was seen, in order.
  private final class Log {
    var lines: [String] = []
  }

  /// Notes each moment under its name.
  private final class Witness: RunParticipant {
    private let name: String
    private let log: Log
    private let act: (RunMoment, inout RunContext) throws -> Void

    init(
      _ name: String,
      _ log: Log,
      act: @escaping (RunMoment, inout RunContext) throws -> Void = { _, _ in }
    ) {
      (self.name, self.log, self.act) = (name, log, act)
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
      log.lines.append("\(name) \(Self.text(moment))")
      try act(moment, &run)
    }

    private static func text(_ moment: RunMoment) -> String {
      switch moment {
      case .willBegin: "willBegin"
      case .begins: "begins"
      case .received: "received"
      case .delivered(let deliveries): "delivered \(deliveries.count)"
      case .noticed: "noticed"
      case .recorded: "recorded"
      case .recordedAction: "recordedAction"
      case .settled: "settled"
      case .willWait: "willWait"
      case .user: "user"
      case .sourceEnded: "sourceEnded"
      case .ended(let isComplete): "ended \(isComplete)"
      }
    }
  }

  private static func core(
    policy: EndPolicy = .replay,
    _ participants: [any RunParticipant],
    program: (any RunParticipant)? = nil
  ) -> RunCore {
    RunCore(
      RunEngine(EngineDriver(startingAt: TestScan.start)),
      receivers: ["hci0"],
      policy: policy,
      participants: participants,
      program: program
    )
  }

  /// Gives a run its batches, then its end; users are asked as often as the run wants.
  private static func follow(_ core: inout RunCore, _ batches: [ScanBatch]) throws {
    var rest = batches[...]
    try core.begin()
    while true {
      switch try core.advance() {
      case .batch:
        if let batch = rest.popFirst() {
          try core.supply(batch, receivers: ["hci0"])
        } else {
          try core.end(.sourceEnded)
        }
      case .user: try core.waitForUser(within: .seconds(1))
      case .programs, .deliveries, .draining: continue
      case .ended: return try core.finish(isComplete: true)
      }
    }
  }

  /// A report at half a second, and a mark at one second.
  private static var batch: ScanBatch {
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    scan.mark(at: 1)
    return scan.inOrder
  }

  private static func monitor(_ moment: RunMoment, _ run: inout RunContext) {
    guard case .begins = moment else { return }
    let client = run.driver?.connect()
    run.client = client
    run.engine.request(.monitor(Region("hall", .uuid(TestScan.museum))), by: client)
  }

  @Test func `all participants prepare before one begins, and the program comes after them`() throws
  {
    let log = Log()
    var core = Self.core(
      [Witness("a", log, act: Self.monitor), Witness("b", log)],
      program: Witness("p", log)
    )
    try core.begin()
    #expect(
      log.lines == [
        "a willBegin", "b willBegin", "p willBegin", "a begins", "b begins", "p begins",
        "a noticed", "b noticed", "p noticed", "p delivered 1", "a delivered 1", "b delivered 1",
        "a noticed", "b noticed", "p noticed",
      ]
    )
  }

  @Test func `the program answers a delivery before the participants see it`() throws {
    let log = Log()
    var core = Self.core([Witness("a", log, act: Self.monitor)], program: Witness("p", log))
    try Self.follow(&core, [Self.batch])
    let first = log.lines.firstIndex(of: "p delivered 1") ?? 0
    #expect(
      Array(log.lines[first...].prefix(4)) == [
        "p delivered 1", "a delivered 1", "a noticed", "p noticed",
      ]
    )
  }

  @Test func `a batch is received, delivered, recorded and settled, in this order`() throws {
    let log = Log()
    let witness = Witness("a", log) { moment, run in
      Self.monitor(moment, &run)
      if case .begins = moment { run.driver?.keepSlices() }
    }
    var core = Self.core(policy: .live, [witness])
    try Self.follow(&core, [Self.batch])
    #expect(
      log.lines == [
        "a willBegin", "a begins", "a delivered 1", "a received", "a delivered 1", "a recorded",
        "a settled", "a willWait", "a received", "a sourceEnded", "a ended true",
      ]
    )
  }

  @Test func `a recording changes nothing of the deliveries`() throws {
    var logs: [[String]] = []
    for isRecorded in [false, true] {
      let log = Log()
      let witness = Witness("a", log) { moment, run in
        Self.monitor(moment, &run)
        if case .begins = moment, isRecorded { run.driver?.keepSlices() }
      }
      var core = Self.core([witness])
      try Self.follow(&core, [Self.batch, ScanBatch(upTo: TestScan.at(40))])
      logs.append(log.lines.filter { $0 != "a recorded" })
    }
    #expect(logs[0] == logs[1] && logs[0].filter { $0 == "a delivered 1" }.count == 2)
  }

  @Test(arguments: [false, true])
  func `the end reaches every participant, also after one throws`(isComplete: Bool) throws {
    let log = Log()
    let faulty = Witness("a", log) { moment, _ in
      if case .ended = moment { throw Refused() }
    }
    var core = Self.core([faulty, Witness("b", log)])
    if isComplete {
      #expect(throws: Refused.self) { try core.finish(isComplete: true) }
    } else {
      try core.finish(isComplete: false)
    }
    #expect(log.lines == ["a ended \(isComplete)", "b ended \(isComplete)"])
  }

  @Test func `a run waits for its user until the participant that asks has its answer`() throws {
    let log = Log()
    var open = 2
    let asking = Witness("a", log) { moment, run in
      switch moment {
      case .begins: run.waitForUser()
      case .user:
        open -= 1
        if open > 0 { run.waitForUser() }
      default: break
      }
    }
    var core = Self.core([asking])
    try Self.follow(&core, [])
    #expect(
      log.lines.dropFirst(3).prefix(5) == [
        "a willWait", "a user", "a willWait", "a user", "a received",
      ]
    )
  }

  @Test func `a run that nobody answers continues`() throws {
    let log = Log()
    let asking = Witness("a", log) { moment, run in
      if case .begins = moment { run.waitForUser() }
    }
    var core = Self.core([asking])
    try core.begin()
    let first = try core.advance()
    try core.waitForUser(within: nil)
    let second = try core.advance()
    #expect(first == .user && second == .batch(until: nil))
    #expect(!log.lines.contains("a user"))
  }

  @Test func `what a user does while the run waits is performed before the next inputs`() throws {
    let log = Log()
    let user = Witness("a", log) { moment, run in
      switch moment {
      case .begins: run.client = run.driver?.connect(Manifest(whenInUse: "To guide you."))
      case .willWait: if !log.lines.contains("a recordedAction") { run.perform(.background) }
      default: break
      }
    }
    var core = Self.core(policy: .live, [user])
    try Self.follow(&core, [ScanBatch(upTo: TestScan.at(1)), ScanBatch(upTo: TestScan.at(2))])
    let waited = log.lines.firstIndex(of: "a willWait") ?? 0
    #expect(
      Array(log.lines[waited...].prefix(5)) == [
        "a willWait", "a settled", "a recordedAction", "a settled", "a received",
      ]
    )
  }

  @Test func `a participant that has what it wants ends the run before more inputs`() throws {
    let log = Log()
    let witness = Witness("a", log) { moment, run in
      if case .recorded = moment { run.end() }
      if case .begins = moment { run.driver?.keepSlices() }
    }
    var core = Self.core([witness])
    try Self.follow(&core, [Self.batch, Self.batch])
    #expect(log.lines.filter { $0 == "a received" }.count == 1)
    let wasCutShort = core.wasCutShort
    #expect(!wasCutShort)
  }

  @Test func `without a client only the time zone is performed`() throws {
    let log = Log()
    var core = Self.core([Witness("a", log)])
    try core.begin()
    core.perform(.background)
    _ = try core.advance()
    core.perform(.zone(utcOffset: .seconds(3600)))
    _ = try core.advance()
    #expect(log.lines.filter { $0 == "a recordedAction" }.count == 1)
  }
}
