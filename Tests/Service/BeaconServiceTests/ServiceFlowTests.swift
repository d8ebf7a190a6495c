// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTestSupport
import Beacons
import DBus
import Testing

/// A service with two accounts, each with a program and an agent: anna's may know of beacons and acts on them,
/// bea's may not.
struct FlowRun {
  enum Limit: CaseIterable {
    case denied, undecided, reduced, background

    var authorization: SavedAuthorization {
      switch self {
      case .denied: SavedAuthorization(grant: .denied)
      case .undecided: SavedAuthorization(grant: .notDetermined)
      case .reduced: SavedAuthorization(grant: .always, accuracy: .reduced)
      case .background: SavedAuthorization(grant: .whenInUse)
      }
    }
  }

  private struct Program {
    let peer: ServicePeer
    let agent: ServicePeer
    let key: String
    let client: ClientID
    let session: SessionNumber
  }

  private static let museum = IdentityConstraint.uuid(TestScan.museum)
  private static let none = ServiceOptions(nil)

  private let engine = TestEngine(startingAt: TestScan.start.wholeSecond)
  private var machine = ServiceMachine()
  private var streams = StreamTable()
  private var programs: [Program] = []
  private var sequence: UInt64 = 0
  private var now = TestScan.start.wholeSecond
  /// The messages and lines to bea's program and agent, in order.
  private(set) var seen: [String] = []
  /// How many crossings and ticks with beacons came to anna's program, which it has not acted on.
  private var events = 0
  /// How often anna's program acted on one.
  private(set) var reactions = 0
  /// How many questions and notifications anna's agent got.
  private(set) var asked = 0

  init(_ limit: Limit) throws {
    engine.driver.roundTimes()
    for (name, uid, authorization) in [
      ("anna", 1000, SavedAuthorization(grant: .always)), ("bea", 1001, limit.authorization),
    ] as [(String, UInt32, SavedAuthorization)] {
      let peer = ServicePeer(name: ":1.\(uid)", uid: uid, origin: .account(name))
      let agent = ServicePeer(name: ":2.\(uid)", uid: uid, origin: .account(name))
      machine.identified(peer)
      machine.identified(agent)
      try machine.registerAgent("/agent", by: agent)
      let isForeground = !(name == "bea" && limit == .background)
      let session = try machine.createSession(by: peer, Self.options(isForeground))
      _ = try machine.openStream(session: session, by: peer)
      let client = engine.driver.connect(
        Manifest(whenInUse: "when", alwaysAndWhenInUse: "always"),
        restoring: SavedClient(authorization: authorization),
        isForeground: isForeground
      )
      programs.append(
        Program(peer: peer, agent: agent, key: "user:\(name)/p", client: client, session: session)
      )
    }
    for number in [2, 4, 8] { try call(number, of: programs[0]) }
    settle()
  }

  private static func options(_ isForeground: Bool) -> ServiceOptions {
    ServiceOptions(
      .properties([
        "label": .string("p"), "signals": .boolean(true), "foreground": .boolean(isForeground),
      ])
    )
  }

  /// Forty seconds, with reports at random times from the twelfth on, when regions are outside, or without any.
  ///
  /// Bea's program does the same in both.
  mutating func run(seed: UInt64, reports: Bool) {
    var random = SplitMix64(seed: seed)
    var radio = SplitMix64(seed: seed &+ 1000)
    for second in 0..<40 {
      now = now + .seconds(1)
      for program in programs { machine.reads(program.peer.name, at: now) }
      engine.driver.supply(ScanBatch(inputs: [.mark(now)]))
      settle()
      if reports, second >= 12, Bool.random(using: &radio) { receive(using: &radio) }
      act(programs[1], using: &random)
      settle()
    }
  }

  private mutating func receive(using random: inout SplitMix64) {
    var batch = ScanBatch()
    let time = now + .milliseconds(Int64.random(in: 1..<900, using: &random))
    batch.append(
      AdvertisingReport(time: time, rssi: -60, payloadStart: 0, payloadCount: 0),
      payload: BeaconEncoder.advertisingData(SecretBeacons.beacon(0), measuredPower: -59)
    )
    engine.driver.supply(batch)
    settle()
  }

  /// Acts three times at random for a program.
  private mutating func act(_ program: Program, using random: inout SplitMix64) {
    for _ in 0..<3 {
      let number = Int.random(in: 0..<12, using: &random)
      var answer = "done"
      do throws(ServiceError) { try call(number, of: program) } catch { answer = "\(error)" }
      if program.key == programs[1].key { seen.append("\(number) \(answer)") }
      settle()
    }
  }

  private mutating func call(_ number: Int, of program: Program) throws(ServiceError) {
    let (session, peer) = (program.session, program.peer)
    switch number {
    case 0:
      let own = try machine.createSession(by: peer, Self.options(false))
      if peer == programs[1].peer { seen.append(ServiceName.path(ofSession: own)) }
      try machine.closeSession(own, by: peer)
    case 1: try machine.request("always", Self.none, session: session, by: peer)
    case 2, 3:
      let options = ServiceOptions(.properties(["text": .string("hi")]))
      try machine.notify("greeting", Self.museum, options, session: session, by: peer)
    case 4, 5:
      try machine.startMonitoring("hall", Self.museum, Self.none, session: session, by: peer)
    case 6: try machine.stopMonitoring("hall", session: session, by: peer)
    case 7: try machine.requestState("hall", session: session, by: peer)
    case 8: try machine.startRanging(Self.museum, session: session, by: peer)
    case 9: try machine.stopRanging(Self.museum, session: session, by: peer)
    case 10:
      engine.driver.perform(.services(on: false), by: program.client, exactlyAt: engine.driver.now)
    default:
      engine.driver.perform(.services(on: true), by: program.client, exactlyAt: engine.driver.now)
    }
  }

  // MARK: Sending

  /// Passes all that follows on, and lets anna's program act on it.
  private mutating func settle() {
    perform()
    while case .deliver(let deliveries) = engine.driver.next() { pass(deliveries) }
    for program in programs { machine.changed(reading(of: program.client), of: program.key) }
    perform()
    while events > 0 {
      events -= 1
      reactions += 1
      for number in [0, 1, 2, 4] { try? call(number, of: programs[0]) }
      perform()
    }
  }

  private func reading(of client: ClientID) -> ClientReading {
    guard let snapshot = engine.driver.snapshot(of: client),
      let grants = engine.driver.grants(of: client)
    else { return ClientReading() }
    return ClientReading(
      effective: snapshot.effective,
      accuracy: snapshot.accuracy,
      isInUse: snapshot.isInUse,
      lacksSession: snapshot.lacksSession,
      grants: grants
    )
  }

  private mutating func pass(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      guard case .client(let id) = delivery.recipient,
        let program = programs.first(where: { $0.client == id })
      else { continue }
      var number: UInt64?
      switch delivery.event {
      case .regionEntered, .regionExited:
        sequence += 1
        number = sequence
        if id == programs[0].client { events += 1 }
      case .ranged(let entries):
        let isReceived = entries.contains { !$0.beacons.isEmpty }
        if id == programs[0].client, isReceived { events += 1 }
      default: break
      }
      var lines: [String] = []
      streams.deliver(delivery, to: program.key, sequence: number) { line, _ in
        lines.append(String(decoding: line.bytes, as: UTF8.self))
      }
      if id == programs[1].client { seen += lines }
      machine.delivered(
        delivery,
        to: program.key,
        sequence: number,
        at: Double(now.microseconds) / 1e6
      )
    }
  }

  private mutating func perform() {
    _ = streams.update(machine.streams)
    for action in machine.drainActions() {
      switch action {
      case .request(let key, let request):
        guard let program = programs.first(where: { $0.key == key }) else { continue }
        engine.driver.request(request, by: program.client)
        machine.did(request, of: key)
        pass(engine.driver.drainDeliveries())
      case .user(let key, let action):
        guard let program = programs.first(where: { $0.key == key }) else { continue }
        engine.driver.perform(action, by: program.client, exactlyAt: engine.driver.now)
      case .signal(_, let owner, let member, let values): see(owner, "\(member) \(values)")
      case .changed(_, let owner, let values):
        see(owner, "\(values.sorted { $0.key < $1.key })")
      case .ask(let question):
        if question.agent == programs[0].agent.name { asked += 1 }
        see(question.agent, "\(question)")
      case .cancel(let agent, let path, let number): see(agent, "cancel \(path) \(number)")
      case .publish(let session, let owner): see(owner, "publish \(session)")
      default: continue
      }
    }
  }

  private mutating func see(_ owner: String, _ text: String) {
    if [programs[1].peer.name, programs[1].agent.name].contains(owner) { seen.append(text) }
  }
}

/// Two runs that differ only in received reports look equal to a program, and an agent, that may not know of them.
@Suite(.slow) struct ServiceFlowTests {
  /// Rows L3 and P6.
  @Test(arguments: FlowRun.Limit.allCases)
  func `a limited account sees nothing of reports, nor of others' acts on them`(
    _ limit: FlowRun.Limit
  ) throws {
    var (reactions, asked) = (0, 0)
    for seed in UInt64(0)..<20 {
      var (with, without) = (try FlowRun(limit), try FlowRun(limit))
      with.run(seed: seed, reports: true)
      without.run(seed: seed, reports: false)
      let difference = zip(with.seen, without.seen).first { $0 != $1 }
      #expect(difference == nil && with.seen.count == without.seen.count, "seed \(seed)")
      #expect(with.seen.count > 90)
      reactions += with.reactions - without.reactions
      asked += with.asked - without.asked
    }
    // A run in which no program acts on reports proves nothing.
    #expect(reactions > 10 && asked > 10, "\(reactions), \(asked)")
  }
}
