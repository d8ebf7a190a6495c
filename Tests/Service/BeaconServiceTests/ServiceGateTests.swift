// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTestSupport
import DBus
import Foundation
import Testing

/// What leaves the service for its programs, as lines of their streams and as signals, while users and programs do
/// anything in any order.
///
/// The received identities are secret: nothing that a program registers contains them, so any trace of them in what a
/// limited client gets is a leak.
private struct WireDrive {
  struct Figures {
    var leaks: [String] = []
    /// Messages to clients that were limited, and traces in messages to others.
    var limited = 0
    var known = 0
    /// Steps in which grants changed, and those of them that the driver's number of changes missed.
    var changes = 0
    var missed = 0
    /// Notifications that were shown, and those that the user opened.
    var shown = 0
    var opened = 0
  }

  private struct Program {
    let peer: ServicePeer
    let session: SessionNumber
    let key: String
    let client: ClientID
  }

  private let engine: TestEngine
  private var machine = ServiceMachine()
  private var streams = StreamTable()
  private var random: SplitMix64
  private var programs: [Program] = []
  /// An agent, and the numbers of the notifications that it shows.
  private let agent = ServicePeer(name: ":1.9", uid: 1000, origin: .account("anna"))
  private var notifications: [UInt32] = []
  private var now = TestScan.start
  private var sequence: UInt64 = 0
  private(set) var figures = Figures()

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    engine = TestEngine(startingAt: TestScan.start)
    let manifest = Manifest(
      whenInUse: "when",
      alwaysAndWhenInUse: "always",
      purposes: [.init(key: "Guide", text: "guide")],
      backgroundLocation: true
    )
    for (number, grant) in [SavedAuthorization.Grant.notDetermined, .whenInUse, .always]
      .enumerated()
    {
      let peer = ServicePeer(name: ":1.\(number)", uid: 1000, origin: .account("anna"))
      machine.identified(peer)
      let options = DBusValue.properties([
        "label": .string("p\(number)"), "signals": .boolean(true),
      ])
      let session = try machine.createSession(by: peer, ServiceOptions(options))
      _ = try machine.openStream(session: session, by: peer)
      let saved = SavedClient(authorization: SavedAuthorization(grant: grant))
      let client = engine.driver.connect(manifest, restoring: saved)
      let key = "user:anna/p\(number)"
      programs.append(Program(peer: peer, session: session, key: key, client: client))
    }
    machine.identified(agent)
    try machine.registerAgent("/agent", by: agent)
    _ = engine.driver.drainDeliveries()
    _ = machine.drainActions()
  }

  mutating func run(inputs: Int) {
    for _ in 0..<inputs where figures.leaks.isEmpty {
      let before = programs.map { isLimited($0.client) }
      let (grants, version) = (grants, engine.driver.grantsVersion)
      let sent = step()
      let after = programs.map { isLimited($0.client) }
      if grants != self.grants {
        figures.changes += 1
        if version == engine.driver.grantsVersion { figures.missed += 1 }
      }
      for (number, text) in sent {
        let traces = SecretBeacons.traces(in: text)
        if before[number], after[number] {
          figures.limited += 1
          if !traces.isEmpty { figures.leaks.append(text) }
        } else {
          figures.known += traces.count
        }
      }
    }
  }

  private var grants: [SavedAuthorization?] { programs.map { engine.driver.grants(of: $0.client) } }

  /// Whether a client may know nothing that is derived from a report.
  private func isLimited(_ client: ClientID) -> Bool {
    guard let snapshot = engine.driver.snapshot(of: client),
      let grants = engine.driver.grants(of: client)
    else { return true }
    let isKept = grants.grant == .always || grants.grant == .provisionalAlways
    return !snapshot.status.isAuthorized || snapshot.accuracy == .reduced
      || !(snapshot.isInUse || isKept)
  }

  // MARK: A step

  /// Does something; returns what was sent to which program.
  private mutating func step() -> [(Int, String)] {
    let spans: [Double] = [0, 0.05, 0.3, 1, 1, 4, 12, 31, 70]
    now = now + TimeSpan(seconds: spans.randomElement(using: &random) ?? 0)
    engine.driver.advance(before: now)
    var sent = deliver()
    now = max(now, engine.driver.now)
    let number = Int.random(in: 0..<programs.count, using: &random)
    switch Int.random(in: 0..<30, using: &random) {
    case 0..<14: receive()
    case 14..<18: engine.driver.supply(ScanBatch(inputs: [.mark(now)]))
    case 18..<24: user(programs[number].client)
    case 24: open()
    default: try? call(programs[number])
    }
    sent += deliver()
    return sent
  }

  private mutating func receive() {
    let beacon = SecretBeacons.beacon(Int.random(in: 0..<3, using: &random))
    var batch = ScanBatch()
    batch.append(
      AdvertisingReport(time: now, rssi: SecretBeacons.rssi, payloadStart: 0, payloadCount: 0),
      payload: BeaconEncoder.advertisingData(beacon, measuredPower: -59)
    )
    engine.driver.supply(batch)
  }

  private mutating func user(_ client: ClientID) {
    let choices = engine.driver.snapshot(of: client)?.prompt?.choices ?? PromptChoice.allCases
    let action: UserAction
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: action = .answer(choices.randomElement(using: &random) ?? .dontAllow)
    case 3, 4:
      action = .settings(authorization: SettingsValue.allCases.randomElement(using: &random))
    case 5: action = .settings(precise: Bool.random(using: &random))
    case 6: action = .services(on: Int.random(in: 0..<3, using: &random) > 0)
    case 7, 8: action = Bool.random(using: &random) ? .foreground : .background
    default: action = .screenOn
    }
    engine.driver.perform(action, by: client, exactlyAt: now)
  }

  /// A call of a program, as it comes over the bus.
  private mutating func call(_ program: Program) throws(ServiceError) {
    let (session, peer) = (program.session, program.peer)
    let constraint = IdentityConstraint.uuid(TestScan.museum)
    let region = ["a", "b"].randomElement(using: &random) ?? "a"
    let none = ServiceOptions(nil)
    switch Int.random(in: 0..<12, using: &random) {
    case 9, 10:
      let repeats = DBusValue.boolean(Bool.random(using: &random))
      let options = ServiceOptions(.properties(["text": .string("hi"), "repeats": repeats]))
      try machine.notify("greeting", constraint, options, session: session, by: peer)
    case 11: try machine.stopNotifying("greeting", session: session, by: peer)
    case 0, 1: try machine.startRanging(constraint, session: session, by: peer)
    case 2:
      try machine.startRanging(constraint, whileInside: region, session: session, by: peer)
    case 3: try machine.stopRanging(constraint, session: session, by: peer)
    case 4, 5: try machine.startMonitoring(region, constraint, none, session: session, by: peer)
    case 6: try machine.requestState(region, session: session, by: peer)
    case 7: try machine.request("whenInUse", none, session: session, by: peer)
    default: try machine.request("always", none, session: session, by: peer)
    }
  }

  /// The user taps one of the notifications.
  private mutating func open() {
    guard let number = notifications.randomElement(using: &random) else { return }
    notifications.removeAll { $0 == number }
    if (try? machine.opened(number, at: now, by: agent)) != nil { figures.opened += 1 }
  }

  /// An agent shows a notification only if the client's grants allow it now.
  private mutating func show(_ question: AgentQuestion) {
    guard case .notification = question.subject else { return }
    figures.shown += 1
    notifications.append(question.number)
    let program = programs.first { $0.key == question.client }
    guard let program, let snapshot = engine.driver.snapshot(of: program.client),
      snapshot.status.isAuthorized, snapshot.accuracy == .full
    else { return figures.leaks.append("\(question)") }
  }

  // MARK: What is sent

  private mutating func deliver() -> [(Int, String)] {
    var sent = perform()
    while case .deliver(let deliveries) = engine.driver.next() {
      sent += pass(deliveries)
    }
    return sent
  }

  private mutating func pass(_ deliveries: [Delivery]) -> [(Int, String)] {
    var sent: [(Int, String)] = []
    for delivery in deliveries {
      guard case .client(let id) = delivery.recipient,
        let program = programs.first(where: { $0.client == id })
      else { continue }
      var number: UInt64?
      switch delivery.event {
      case .regionEntered, .regionExited:
        sequence += 1
        number = sequence
      default: break
      }
      streams.deliver(delivery, to: program.key, sequence: number) { line, stream in
        // Streams were opened in the order of the sessions.
        let text = String(decoding: line.bytes, as: UTF8.self)
        sent.append((Int(stream) - 1, text))
        if text.contains("greeting") { figures.leaks.append(text) }
      }
      // A second later each time, so that no signal is held back for want of a sign of life.
      machine.reads(program.peer.name, at: now)
      machine.delivered(
        delivery,
        to: program.key,
        sequence: number,
        at: Double(now.microseconds) / 1e6
      )
    }
    return sent + perform()
  }

  /// Does what the machine decided; returns what goes to programs.
  private mutating func perform() -> [(Int, String)] {
    var sent: [(Int, String)] = []
    _ = streams.update(machine.streams)
    for action in machine.drainActions() {
      switch action {
      case .request(let key, let request):
        guard let program = programs.first(where: { $0.key == key }) else { continue }
        engine.driver.request(request, by: program.client)
        sent += pass(engine.driver.drainDeliveries())
      case .user(let key, let action):
        guard let program = programs.first(where: { $0.key == key }) else { continue }
        engine.driver.perform(action, by: program.client, exactlyAt: now)
      case .signal(let session, _, let member, let values):
        note(session, member + " " + Self.text(of: values), &sent)
      case .changed(let session, _, let values):
        let entries = values.sorted { $0.key < $1.key }
        note(session, Self.text(of: entries.flatMap { [.string($0.key), $0.value] }), &sent)
      case .ask(let question): show(question)
      default: continue
      }
    }
    // A program learns of a notification only by the user's tap.
    figures.leaks += sent.map(\.1).filter { $0.contains("greeting") && !$0.hasPrefix("Opened") }
    return sent
  }

  /// All that values contain, in words. What reflection would print takes ten times as long.
  private static func text(of values: [DBusValue]) -> String {
    var words: [String] = []
    for value in values { spell(value, &words) }
    return words.joined(separator: " ")
  }

  private static func spell(_ value: DBusValue, _ words: inout [String]) {
    switch value {
    case .byte(let number): words.append("\(number)")
    case .boolean(let isTrue): words.append("\(isTrue)")
    case .int16(let number): words.append("\(number)")
    case .uint16(let number): words.append("\(number)")
    case .int32(let number): words.append("\(number)")
    case .uint32(let number): words.append("\(number)")
    case .int64(let number): words.append("\(number)")
    case .uint64(let number): words.append("\(number)")
    case .double(let number): words.append("\(number)")
    case .string(let text), .objectPath(let text), .signature(let text): words.append(text)
    case .descriptor: words.append("file")
    case .bytes(let bytes): words += bytes.map { "\($0)" }
    case .array(_, let values), .structure(let values): for value in values { spell(value, &words) }
    case .dictionary(_, let entries):
      for entry in entries {
        spell(entry.key, &words)
        spell(entry.value, &words)
      }
    case .variant(let value): spell(value, &words)
    }
  }

  private func note(_ session: SessionNumber, _ text: String, _ sent: inout [(Int, String)]) {
    if let index = programs.firstIndex(where: { $0.session == session }) {
      sent.append((index, text))
    }
  }
}

/// `BEACON_GATE_INPUTS` sets the number of random inputs; the default is 4,000.
@Suite(.slow) struct ServiceGateTests {
  static let inputs: Int = {
    let environment = ProcessInfo.processInfo.environment
    let usual = environment["BEACON_QUICK"] == nil ? 4000 : 400
    return environment["BEACON_GATE_INPUTS"].flatMap { Int($0) } ?? usual
  }()

  /// Rows L3 and P6.
  @Test func `on the wire a limited client learns nothing about received reports`() throws {
    var (limited, known, changes, shown, opened) = (0, 0, 0, 0, 0)
    let life = min(2000, Self.inputs)
    for seed in 0..<UInt64(max(1, Self.inputs / life)) {
      var drive = try WireDrive(seed: seed)
      drive.run(inputs: life)
      #expect(drive.figures.leaks.isEmpty, "seed \(seed): \(drive.figures.leaks)")
      limited += drive.figures.limited
      known += drive.figures.known
      #expect(drive.figures.missed == 0)
      changes += drive.figures.changes
      (shown, opened) = (shown + drive.figures.shown, opened + drive.figures.opened)
      if !drive.figures.leaks.isEmpty { return }
    }
    // A drive in which nobody is limited, or nobody learns anything, proves nothing.
    #expect(limited > 100)
    #expect(known > 100)
    #expect(changes > 100)
    #expect(shown > 10 && opened > 5, "\(shown), \(opened)")
  }
}
