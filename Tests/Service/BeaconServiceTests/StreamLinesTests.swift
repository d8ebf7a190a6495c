// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconService
import BeaconTestSupport
import DBus
import Testing

struct StreamLinesTests {
  static let constraints: [IdentityConstraint] = [
    .uuid(TestScan.museum), .major(TestScan.museum, 1), .uuid(7),
  ]

  /// Deliveries of some seconds to clients that range all constraints; the last client begins a second later.
  static func deliveries(clients count: Int) -> [Delivery] {
    let engine = TestEngine()
    var clients: [ClientID] = []
    func connect() {
      let saved = SavedClient(authorization: SavedAuthorization(grant: .always))
      clients.append(engine.driver.connect(Manifest(), restoring: saved))
      for constraint in constraints {
        engine.driver.request(.range(constraint), by: clients[clients.count - 1])
      }
    }
    for _ in 1..<count { connect() }
    var all: [Delivery] = []
    for second in 0..<3 {
      var scan = TestScan()
      for minor in 0..<5 as Range<UInt16> {
        let time = Double(second) + 0.1 * Double(minor + 1)
        scan.report(TestScan.beacon(minor % 2, minor), -60 - Int8(minor), at: time)
      }
      var batch = scan.batch
      batch.upTo = TestScan.at(Double(second) + 0.95)
      all += engine.run(batch, ending: false)
      if second == 0 { connect() }
    }
    return all + engine.run(ScanBatch(upTo: TestScan.at(4)), ending: false)
  }

  @Test func `a client's lines are those of a stream of its own`() {
    var lines = StreamLines()
    var ticks = 0
    for delivery in Self.deliveries(clients: 4) {
      guard case .client(let id) = delivery.recipient else { continue }
      let names = EventNames(clients: (0...id.number).map { "user:anna/\"\($0)" })
      var own = EventLineWriter(names)
      own.append(delivery)
      let written = lines.lines(of: delivery, to: names.clients[Int(id.number)])
      #expect(written.flatMap(\.bytes) == own.bytes)
      guard case .ranged(let entries) = delivery.event else { continue }
      ticks += 1
      #expect(written.map(\.kind) == entries.map { .tick($0.constraint.description) })
    }
    #expect(ticks > 8)
  }

  @Test func `what clients of a second get alike is encoded once`() {
    func encoded(clients: Int) -> Int {
      var lines = StreamLines()
      for delivery in Self.deliveries(clients: clients) {
        _ = lines.lines(of: delivery, to: "user:anna/guide")
      }
      return lines.encoded
    }
    // The last client's first tick has other beacons than the others' tick.
    #expect(encoded(clients: 30) == encoded(clients: 3))
    #expect(encoded(clients: 3) > 6)
  }

  @Test func `a crossing has its number`() throws {
    let engine = TestEngine()
    let saved = SavedClient(authorization: SavedAuthorization(grant: .always))
    let client = engine.driver.connect(Manifest(), restoring: saved)
    engine.driver.request(.monitor(Region("hall", .uuid(7))), by: client)
    engine.driver.request(.requestState("hall"), by: client)
    let delivery = try #require(engine.driver.drainDeliveries().last)
    var lines = StreamLines()
    let line = try #require(lines.lines(of: delivery, to: "user:anna/guide", sequence: 41).first)
    let text = String(decoding: line.bytes, as: UTF8.self)
    #expect(line.kind == .kept)
    #expect(text.hasSuffix(",\"sequence\":41}\n"))
    #expect(text.contains("\"client\":\"user:anna/guide\""))
  }

  @Test func `a session's streams get the constraints that it ranges`() throws {
    let peer = ServiceMachineTests.anna
    var machine = ServiceMachineTests.machine()
    var streams: [UInt32] = []
    for constraint in Self.constraints.prefix(2) {
      let session = try machine.createSession(by: peer, ServiceMachineTests.options("a"))
      try machine.startRanging(constraint, session: session, by: peer)
      for _ in 0..<2 {
        streams.append(try machine.openStream(session: session, by: peer).stream)
      }
    }
    let idle = try machine.createSession(by: peer, ServiceMachineTests.options("a"))
    _ = try machine.openStream(session: idle, by: peer)
    _ = machine.drainActions()
    let tick = try #require(
      Self.deliveries(clients: 2).first { if case .ranged = $0.event { true } else { false } }
    )
    var table = StreamTable()
    _ = table.update(machine.streams)
    var written: [UInt32: [StreamLine]] = [:]
    table.deliver(tick, to: "user:anna/a", sequence: nil) { line, stream in
      written[stream, default: []].append(line.kind)
    }
    let kinds = Self.constraints.map { [StreamLine.tick($0.description)] }
    #expect(
      written == [
        streams[0]: kinds[0], streams[1]: kinds[0], streams[2]: kinds[1], streams[3]: kinds[1],
      ]
    )
  }

  @Test func `a crossing is rendered once, for the journal and for every stream`() throws {
    let why = Explanation(identity: nil, reports: 1, threshold: .reports(1), rule: .firstReport)
    let crossing = Delivery(
      ofService: .regionEntered("hall", .received, why),
      to: .client(ClientID(number: 0)),
      at: TestScan.start
    )
    let open = (1...3 as ClosedRange<UInt32>).map {
      RequestLine.Stream(number: $0, constraints: [], goals: [:])
    }
    var table = StreamTable()
    let opened = table.update(
      Dictionary(uniqueKeysWithValues: open.map { ($0.number, ("user:anna/a", $0)) })
    )
    #expect(opened.map(\.content) == open.map { .stream($0) })
    var kept: [[UInt8]] = []
    var written: [[UInt8]] = []
    table.deliver(crossing, to: "user:anna/a", sequence: 41) { line in
      // The journal has it before any stream.
      #expect(written.isEmpty)
      kept.append(line)
    } writing: { line, _ in
      written.append(line.bytes)
    }
    #expect(kept.count == 1)
    #expect(written == [[UInt8]](repeating: kept[0], count: 3))
    // What a stream is no longer open for is recorded after what it got.
    let closed = table.update([:])
    #expect(closed.map(\.content) == open.map { .streamEnd(number: $0.number, after: 1) })
  }
}
