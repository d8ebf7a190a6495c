// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// The ranging scenarios AC2 to AC4 of Core Location's behaviour, run on the engine.
@Suite struct RangingScenarioTests {
  static func engine(
    _ profile: Profile = .coreLocation14,
    ranging constraints: [IdentityConstraint]
  ) -> Engine {
    var configuration = Configuration(profile)
    configuration.ranging.filter = .latest(LatestFilter.Parameters())
    var engine = Engine(configuration, startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    for constraint in constraints { engine.request(.range(constraint), by: client, into: &out) }
    #expect(out.isEmpty)
    return engine
  }

  /// Rows I5 and R4.
  @Test func `AC2 each constraint lists what satisfies it`() throws {
    let other = BeaconIdentity(uuid: 7, major: 1, minor: 17)
    var scan = TestScan()
    for (offset, beacon) in [
      TestScan.beacon(1, 17), TestScan.beacon(2, 17), TestScan.beacon(1, 0), other,
    ]
    .enumerated() {
      scan.report(beacon, -60, at: 0.1 + Double(offset) / 10)
    }
    scan.mark(at: 1.5)
    let museum = TestScan.museum
    var engine = Self.engine(ranging: [
      .uuid(museum), .major(museum, 1), .minor(TestScan.beacon(1, 17)),
      .minor(TestScan.beacon(1, 0)),
      .major(museum, 1),
    ])
    let delivered = engine.run(scan.batch)
    #expect(delivered.count == 1)
    let entries = try #require(delivered.first?.ranged)
    #expect(
      entries.map(\.constraint) == [
        .uuid(museum), .major(museum, 1), .minor(TestScan.beacon(1, 0)),
        .minor(TestScan.beacon(1, 17)),
      ]
    )
    #expect(entries.map(\.beacons.count) == [3, 2, 1, 1])
    #expect(entries[2].beacons.map(\.identity) == [TestScan.beacon(1, 0)])
    #expect(!entries.contains { $0.beacons.contains { $0.identity == other } })
  }

  /// Row I4.
  @Test func `AC2 stopping once ends a constraint started twice`() {
    var engine = Self.engine(ranging: [.uuid(TestScan.museum), .uuid(TestScan.museum)])
    var scan = TestScan()
    scan.marks(from: 5, through: 15)
    let delivered = engine.run(scan.batch) { delivery, engine, out in
      if delivery.seconds == 2, case .client(let client) = delivery.recipient {
        engine.request(.stopRanging(.uuid(TestScan.museum)), by: client, into: &out)
      }
    }
    #expect(delivered.map(\.seconds) == [1, 2])
  }

  /// Rows R2, R3, R5, R8, H3.
  @Test func `AC3 a tick lists means, proximities and distances, nearest first`() throws {
    var scan = TestScan()
    let (b1, b2, b3, b4) = (
      TestScan.beacon(1, 1), TestScan.beacon(1, 2), TestScan.beacon(1, 3), TestScan.beacon(1, 4)
    )
    scan.report(b4, -50, at: 0.5)
    for (beacon, rssi, time) in [
      (b3, -80, 1.1), (b1, -44, 1.2), (b2, -64, 1.3), (b1, -46, 1.4), (b2, -66, 1.5),
      (b1, -45, 1.6),
    ] as [(BeaconIdentity, Int8, Double)] {
      scan.report(beacon, rssi, at: time)
    }
    scan.mark(at: 2)
    var configuration = Configuration(.coreLocation14)
    configuration.ranging.filter = .trimmedWindow(
      TrimmedWindowFilter.Parameters(window: .seconds(1), lowPercent: 0, highPercent: 0)
    )
    var engine = Engine(configuration, startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(TestScan.museum)), by: client, into: &out)
    let beacons = try #require(engine.run(scan.batch).last?.ranged?.first?.beacons)
    #expect(beacons.map(\.identity) == [b1, b2, b3, b4])
    #expect(beacons.map(\.proximity) == [.immediate, .near, .far, .unknown])
    #expect(beacons.map(\.rssi) == [-45, -65, -80, nil])
    #expect(beacons.map(\.reports) == [3, 2, 1, 0])
    let distances = beacons.map { $0.distance?.meters }
    #expect(abs(try #require(distances[0]) - 0.20) < 0.005)
    #expect(abs(try #require(distances[1]) - 2.00) < 0.005)
    #expect(abs(try #require(distances[2]) - 11.2) < 0.05)
    #expect(distances[3] == nil)
    #expect(beacons[3].lastReceived == TestScan.at(0.5))
  }

  /// Rows R4, R6, R7, R14.
  @Test func `AC4 a silent beacon lingers as unknown for ten seconds, then empty ticks go on`()
    throws
  {
    var scan = TestScan()
    for tenth in stride(from: 0, through: 59, by: 1) where tenth % 2 == 1 {
      scan.report(TestScan.beacon(1, 1), -60, at: Double(tenth) / 10)
    }
    scan.mark(at: 15)
    scan.report(TestScan.beacon(1, 1), -60, at: 20.2)
    scan.mark(at: 21.5)
    var engine = Self.engine(ranging: [.uuid(TestScan.museum)])
    let delivered = engine.run(scan.batch)
    #expect(delivered.map(\.seconds) == Array(stride(from: 1, through: 21, by: 1)))
    let ticks = try delivered.map { try #require($0.ranged?.first?.beacons) }
    #expect(ticks[5].first?.proximity == .near)
    for tick in ticks[6..<15] {
      #expect(tick.count == 1)
      #expect(tick.first?.proximity == .unknown)
      #expect(tick.first?.rssi == nil)
      #expect(tick.first?.distance == nil)
      #expect(tick.first?.lastReceived == TestScan.at(5.9))
    }
    for tick in ticks[15..<20] { #expect(tick.isEmpty) }
    #expect(ticks[20].first?.proximity == .near)
  }

  @Test func `the default profile holds proximity over the beacon's own interval`() throws {
    var scan = TestScan()
    for index in 0..<8 { scan.report(TestScan.beacon(1, 1), -65, at: 0.5 + 1.6 * Double(index)) }
    scan.mark(at: 18)
    var engine = Engine(startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(TestScan.museum)), by: client, into: &out)
    let ticks = try engine.run(scan.batch).map { try #require($0.ranged?.first?.beacons.first) }
    // The last reports come at 8.5, 10.1 and 11.7; the tick at 10 has no report and keeps the last value.
    #expect(ticks[9].reports == 0)
    #expect(ticks[9].rssi == nil)
    #expect(ticks[9].proximity == .near)
    #expect(ticks[9].distance != nil)
    #expect(ticks[13].proximity == .near)
    #expect(ticks[15].proximity == .near)
    #expect(ticks[16].proximity == .unknown)
    #expect(ticks[16].distance == nil)
  }

  /// Row I6.
  @Test func `entries of one identity are one, or one an address as Core Location has it`() throws {
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.2, address: 1)
    scan.report(TestScan.beacon(1, 1), -80, at: 0.4, address: 2)
    scan.mark(at: 1.5)
    for (profile, entries) in [(Profile.standard, 1), (.coreLocation14, 2)] {
      var engine = Self.engine(profile, ranging: [.uuid(TestScan.museum)])
      let beacons = try #require(engine.run(scan.batch).first?.ranged?.first?.beacons)
      #expect(beacons.count == entries)
      #expect(beacons.map(\.reports).reduce(0, +) == 2)
    }
  }

  @Test func `a power that is no calibration leaves presence without distance`() throws {
    var scan = TestScan()
    for (minor, power) in [(1, 12), (2, 0), (3, -128), (4, 127)] as [(UInt16, Int8)] {
      scan.report(TestScan.beacon(1, minor), -60, at: 0.5, power: power)
    }
    scan.mark(at: 1.5)
    var engine = Self.engine(.standard, ranging: [.uuid(TestScan.museum)])
    let ranged = engine.run(scan.batch).compactMap { $0.ranged?.first }
    let beacons = try #require(ranged.first?.beacons)
    #expect(beacons.map(\.identity.minor) == [1, 2, 3, 4])
    for beacon in beacons {
      #expect(beacon.proximity == .unknown)
      #expect(beacon.distance == nil)
      #expect(beacon.rssi == -60)
    }
  }

  @Test func `a frame without its power is counted and listed as unknown`() throws {
    var scan = TestScan()
    var payload = BeaconEncoder.advertisingData(TestScan.beacon(1, 1), measuredPower: -59)
    payload.removeLast()
    payload[0] = 0x19
    scan.raw(payload, at: 0.5)
    scan.mark(at: 1.5)
    var engine = Self.engine(.standard, ranging: [.uuid(TestScan.museum)])
    let beacon = try #require(engine.run(scan.batch).first?.ranged?.first?.beacons.first)
    #expect(beacon.proximity == .unknown)
    #expect(beacon.reports == 1)
    #expect(engine.statistics.rejected[.noMeasuredPower] == 1)
    #expect(engine.statistics.beaconReports == 0)
  }
}
