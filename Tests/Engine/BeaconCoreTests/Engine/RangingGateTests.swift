// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// Ticks contain only what was received while the client ranged and was allowed to know it.
@Suite struct RangingGateTests {
  static let museum = IdentityConstraint.uuid(TestScan.museum)

  /// The ticks of a client: the seconds, and each beacon's minor with its reports and RSSI.
  static func ticks(_ delivered: [Delivery], of client: ClientID) -> [String] {
    delivered.compactMap { delivery in
      guard delivery.recipient == .client(client), let entries = delivery.ranged else { return nil }
      let beacons = entries.flatMap(\.beacons).map {
        "\($0.identity.minor):\($0.reports)x\($0.rssi.map { "\(Int($0))" } ?? "-")"
      }
      return "\(Int(delivery.seconds)) \(beacons.joined(separator: " "))"
    }
  }

  @Test func `reports received before ranging began are not in the first tick`() {
    var engine = Engine(startingAt: TestScan.start)
    let operatorID = engine.connect()
    var out: [Delivery] = []
    // Monitoring alone also keeps tracks, so the engine knows what was received before.
    engine.request(.monitor(Region("all", Self.museum)), by: operatorID, into: &out)
    var before = TestScan()
    before.report(TestScan.beacon(1, 1), -50, at: 0.2)
    before.report(TestScan.beacon(1, 2), -50, at: 0.3)
    _ = engine.run(before.batch, ending: false)
    engine.request(.range(Self.museum), by: operatorID, into: &out)
    var after = TestScan()
    after.report(TestScan.beacon(1, 1), -70, at: 0.6)
    after.mark(at: 1.5)
    let delivered = engine.run(after.batch, ending: false)
    #expect(Self.ticks(delivered, of: operatorID) == ["1 1:1x-70"])
  }

  @Test func `nor if another client had ranged them already`() {
    var engine = Engine(startingAt: TestScan.start)
    let (first, second) = (engine.connect(), engine.connect())
    var out: [Delivery] = []
    engine.request(.range(Self.museum), by: first, into: &out)
    var before = TestScan()
    before.report(TestScan.beacon(1, 1), -50, at: 0.2)
    before.report(TestScan.beacon(1, 2), -50, at: 0.3)
    _ = engine.run(before.batch, ending: false)
    engine.request(.range(Self.museum), by: second, into: &out)
    var after = TestScan()
    after.report(TestScan.beacon(1, 1), -70, at: 0.6)
    after.report(TestScan.beacon(1, 3), -80, at: 0.7)
    after.report(TestScan.beacon(1, 1), -90, at: 1.6)
    after.mark(at: 2.5)
    let delivered = engine.run(after.batch, ending: false)
    // The mean of the first second is -60 for the first client; the second client receives nothing of the reports at
    // -50.
    #expect(
      Self.ticks(delivered, of: second).map { Set($0.split(separator: " ")) } == [
        ["1", "1:1x-70", "3:1x-80"], ["2", "1:1x-90", "3:0x-"],
      ]
    )
    #expect(Self.ticks(delivered, of: first).first?.contains("1:2x-60") == true)
  }

  /// Row T4.
  @Test func `a report of the microsecond in which a crossing wakes a client counts as one before`()
  {
    let engine = TestEngine(Configuration(.coreLocation12))
    let client = engine.driver.connect(
      Manifest(whenInUse: "w", alwaysAndWhenInUse: "a"),
      restoring: SavedClient(authorization: SavedAuthorization(grant: .always)),
      isForeground: false
    )
    let first = IdentityConstraint.major(TestScan.museum, 1)
    engine.driver.request(.monitor(Region("first", first)), by: client)
    engine.driver.request(.range(.major(TestScan.museum, 2)), by: client)
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -50, at: 20.1)
    scan.report(TestScan.beacon(2, 1), -50, at: 20.1)
    scan.report(TestScan.beacon(2, 1), -70, at: 21.5)
    scan.mark(at: 22.5)
    #expect(Self.ticks(engine.run(scan.inOrder), of: client) == ["21 ", "22 1:1x-70"])
  }

  /// Rows T4 and T8: a program that asks at the start of a capture, and is allowed immediately, ranges its first report.
  @Test func `the first report of a capture counts when the user answers at its time`() {
    let engine = TestEngine()
    let client = engine.driver.connect(
      Manifest(whenInUse: "w"),
      restoring: SavedClient(),
      isForeground: true
    )
    engine.driver.request(.authorize(.whenInUse), by: client)
    engine.driver.request(.range(Self.museum), by: client)
    engine.driver.perform(.answer(.whileUsing, precise: true), by: client)
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -50, at: 0)
    scan.mark(at: 1.5)
    #expect(Self.ticks(engine.run(scan.inOrder), of: client) == ["1 1:1x-50"])
  }

  /// Row T4: a request in the last microsecond of a second does not miss the tick at its end.
  @Test func `the tick right after the request comes, whatever was received before`() {
    var engine = Engine(startingAt: TestScan.start)
    let (first, second) = (engine.connect(), engine.connect())
    var out: [Delivery] = []
    engine.request(.range(Self.museum), by: first, into: &out)
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -50, at: 0.999999)
    _ = engine.run(scan.batch, ending: false)
    engine.request(.range(Self.museum), by: second, into: &out)
    var after = TestScan()
    after.mark(at: 1.5)
    let delivered = engine.run(after.batch, ending: false)
    #expect(Self.ticks(delivered, of: first) == ["1 1:1x-50"])
    #expect(Self.ticks(delivered, of: second) == ["1 "])
  }

  /// How a client is limited for a while, and how the limit ends.
  static let limits: [(UserAction, UserAction)] = [
    (.settings(authorization: nil, precise: false), .settings(authorization: nil, precise: true)),
    (.services(on: false), .services(on: true)),
    (
      .settings(authorization: .never, precise: nil),
      .settings(authorization: .whileUsing, precise: nil)
    ),
  ]

  @Test(arguments: 0..<3)
  func `what was received while the client was limited is never delivered`(_ index: Int) {
    var engine = Engine(startingAt: TestScan.start)
    var out: [Delivery] = []
    let client = engine.connect(
      Manifest(whenInUse: "when"),
      restoring: SavedClient(authorization: SavedAuthorization(grant: .whenInUse)),
      into: &out
    )
    engine.request(.range(Self.museum), by: client, into: &out)
    var (scan, delivered) = (TestScan(), [Delivery]())
    scan.report(TestScan.beacon(1, 9), -60, at: 0.5)
    scan.mark(at: 2.5)
    delivered += engine.run(scan.batch, ending: false)
    while engine.pass(before: TestScan.at(3.1), into: &delivered) {}
    engine.perform(Self.limits[index].0, by: client, at: TestScan.at(3.1), into: &delivered)
    scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -50, at: 3.5)
    scan.report(TestScan.beacon(1, 2), -50, at: 5.2)
    scan.report(TestScan.beacon(1, 3), -50, at: 5.3)
    delivered += engine.run(scan.batch, ending: false)
    while engine.pass(before: TestScan.at(5.5), into: &delivered) {}
    engine.perform(Self.limits[index].1, by: client, at: TestScan.at(5.5), into: &delivered)
    scan = TestScan()
    scan.report(TestScan.beacon(1, 2), -70, at: 5.6)
    scan.report(TestScan.beacon(1, 4), -80, at: 5.7)
    scan.report(TestScan.beacon(1, 2), -90, at: 6.6)
    scan.mark(at: 7.5)
    delivered += engine.run(scan.batch, ending: false)
    let ticks = Self.ticks(delivered, of: client)
    #expect(ticks.prefix(3) == ["1 9:1x-60", "2 9:0x-", "3 9:0x-"])
    // Ticks continue with the next whole second (AC10); they contain none of the beacons of the limited time.
    #expect(
      ticks.dropFirst(3).map { Set($0.split(separator: " ")) } == [
        ["6", "2:1x-70", "4:1x-80"], ["7", "2:1x-90", "4:0x-"],
      ]
    )
  }
}
