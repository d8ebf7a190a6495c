// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// One identity from two addresses: said where one place does not explain the levels, and nowhere else. Rows I6 and I8.
@Suite struct ContestTests {
  private static let beacon = TestScan.beacon(1, 1)
  private static let constraint = IdentityConstraint.uuid(TestScan.museum)
  private static let (first, second) = (UInt64(0xC0FF_EE00_0001), UInt64(0xBADB_AD00_0002))

  private struct Outcome {
    var contests: [(time: Double, recipient: Recipient, levels: ContestedLevels)] = []
    var rows: [(time: Double, beacon: RangedBeacon)] = []
  }

  private static func run(
    _ scan: TestScan,
    _ configuration: Configuration = Configuration(),
    connect: (inout EngineDriver) -> Void = { driver in
      let client = driver.connect()
      driver.request(.range(constraint), by: client)
    }
  ) -> Outcome {
    let engine = TestEngine(configuration)
    connect(&engine.driver)
    var outcome = Outcome()
    for delivery in engine.run(scan.inOrder) {
      let time = (delivery.time - TestScan.start).seconds
      switch delivery.event {
      case .diagnostic(.identityContested(let identity, let levels)):
        #expect(identity == beacon)
        outcome.contests.append((time, delivery.recipient, levels))
      case .ranged(let entries):
        outcome.rows += entries.flatMap(\.beacons).map { (time, $0) }
      case .nearby(let beacons): outcome.rows += beacons.map { (time, $0) }
      default: break
      }
    }
    return outcome
  }

  /// A beacon at a level, every 0.1 s with some scatter, from a time to another.
  private static func add(
    _ address: UInt64,
    _ rssi: (Double) -> Int8,
    every interval: Double = 0.1,
    from start: Double = 0.05,
    to end: Double,
    receiver: UInt8 = 0,
    _ scan: inout TestScan
  ) {
    var random = SplitMix64(seed: address)
    for time in stride(from: start, to: end, by: interval) {
      let scatter = Int8(truncatingIfNeeded: Int64(random.next() % 7) - 3)
      scan.report(beacon, rssi(time) + scatter, at: time, receiver: receiver, address: address)
    }
  }

  @Test func `a copy far away is said once, and no distance is made of both`() throws {
    var scan = TestScan()
    Self.add(Self.first, { _ in -45 }, to: 30, &scan)
    Self.add(Self.second, { _ in -85 }, from: 10.02, to: 30, &scan)
    let outcome = Self.run(scan)
    #expect(outcome.contests.count == 1)
    let contest = try #require(outcome.contests.first)
    #expect((10...12).contains(contest.time))
    #expect((-48 ... -42).contains(contest.levels.stronger))
    #expect((-88 ... -82).contains(contest.levels.weaker))
    for row in outcome.rows {
      #expect(row.beacon.isContested == (row.time > contest.time))
      if row.beacon.isContested {
        #expect(row.beacon.distance == nil && row.beacon.proximity == .unknown)
      }
      // Also in the second in which it is not yet noticed.
      if let meters = row.beacon.distance?.meters, meters <= 0.5 {
        #expect(row.beacon.proximity != .far)
      }
    }
    #expect(outcome.rows.count >= 29)
    #expect(outcome.rows.contains { $0.beacon.proximity == .immediate })
  }

  @Test func `it ends when the copy is gone for half a minute`() throws {
    var scan = TestScan()
    Self.add(Self.first, { _ in -59 }, to: 120, &scan)
    Self.add(Self.second, { _ in -90 }, from: 10.02, to: 20, &scan)
    let outcome = Self.run(scan)
    #expect(outcome.contests.count == 1)
    let meanwhile = outcome.rows.filter { $0.time > 12 && $0.time < 50 }
    #expect(!meanwhile.isEmpty && meanwhile.allSatisfy { $0.beacon.isContested })
    let later = outcome.rows.filter { $0.time > 52 }
    #expect(later.count > 60)
    #expect(later.allSatisfy { !$0.beacon.isContested && $0.beacon.distance != nil })
  }

  @Test(arguments: [0.3, 1, 5])
  func `a slow copy, and one of new addresses for each report, are noticed too`(
    _ interval: Double
  ) {
    for isNewEachTime in [false, true] {
      var scan = TestScan()
      Self.add(Self.first, { _ in -55 }, to: 120, &scan)
      for (index, time) in stride(from: 0.02, to: 120, by: interval).enumerated() {
        let address = Self.second + (isNewEachTime ? UInt64(index) : 0)
        scan.report(Self.beacon, -88, at: time, address: address)
      }
      #expect(Self.run(scan).contests.count == 1, "\(interval), \(isNewEachTime)")
    }
  }

  @Test func `what one place explains is not contested`() {
    // Two addresses at one level; a rotating address; a new address for each report; a walk with two addresses.
    let walk: (Double) -> Int8 = { time in Int8(-50 - (time < 30 ? time : 60 - time)) }
    var cases: [String: TestScan] = [:]
    var scan = TestScan()
    Self.add(Self.first, { _ in -60 }, to: 60, &scan)
    Self.add(Self.second, { _ in -66 }, from: 0.02, to: 60, &scan)
    cases["two addresses"] = scan
    scan = TestScan()
    for piece in 0..<12 {
      let start = Double(piece) * 5
      let address = Self.first + UInt64(piece)
      let level = Int8(piece % 2 == 0 ? -45 : -85)
      Self.add(address, { _ in level }, from: start + 0.05, to: start + 5, &scan)
    }
    cases["a rotating address on the move"] = scan
    scan = TestScan()
    for index in 0..<600 {
      let address = Self.first + UInt64(index)
      scan.report(Self.beacon, index % 2 == 0 ? -45 : -85, at: Double(index) / 10, address: address)
    }
    cases["a new address for each report"] = scan
    scan = TestScan()
    Self.add(Self.first, walk, to: 60, &scan)
    Self.add(Self.second, walk, from: 0.02, to: 60, &scan)
    cases["a walk"] = scan
    // Each receiver measures another level of the one address.
    scan = TestScan()
    Self.add(Self.first, { _ in -45 }, to: 60, receiver: 0, &scan)
    Self.add(Self.first, { _ in -85 }, from: 0.02, to: 60, receiver: 1, &scan)
    cases["two receivers"] = scan
    for (name, scan) in cases {
      let outcome = Self.run(scan)
      #expect(outcome.contests.isEmpty, "\(name)")
      #expect(outcome.rows.allSatisfy { !$0.beacon.isContested }, "\(name)")
    }
  }

  @Test func `a client that may not know the beacon hears nothing of it`() {
    var scan = TestScan()
    Self.add(Self.first, { _ in -45 }, to: 20, &scan)
    Self.add(Self.second, { _ in -85 }, from: 0.02, to: 20, &scan)
    for grant in SavedAuthorization.Grant.allCases where grant != .untilMorning {
      for accuracy in [AccuracyAuthorization.full, .reduced] {
        let outcome = Self.run(scan) { driver in
          let client = driver.connect(
            Manifest(),
            restoring: SavedClient(
              authorization: SavedAuthorization(grant: grant, accuracy: accuracy)
            )
          )
          driver.request(.range(Self.constraint), by: client)
          driver.request(.monitor(Region("r", Self.constraint)), by: client)
        }
        let mayKnow = accuracy == .full && grant != .denied && grant != .notDetermined
        #expect(outcome.contests.isEmpty == !mayKnow, "\(grant), \(accuracy)")
      }
    }
    let other = Self.run(scan) { driver in
      let client = driver.connect()
      driver.request(.range(.major(TestScan.museum, 2)), by: client)
      driver.request(.monitor(Region("r", .major(TestScan.museum, 1))), by: driver.connect())
    }
    #expect(other.contests.count == 1 && other.rows.isEmpty)
  }

  @Test func `the operator hears of it where everything nearby is shown`() {
    var scan = TestScan()
    Self.add(Self.first, { _ in -45 }, to: 20, &scan)
    Self.add(Self.second, { _ in -85 }, from: 0.02, to: 20, &scan)
    let outcome = Self.run(scan) { $0.watchNearby() }
    #expect(outcome.contests.map(\.recipient) == [.theOperator])
    #expect(outcome.rows.contains { $0.beacon.isContested })
  }

  @Test func `the difference can be set, and none compares nothing`() {
    var scan = TestScan()
    Self.add(Self.first, { _ in -60 }, to: 20, &scan)
    Self.add(Self.second, { _ in -80 }, from: 0.02, to: 20, &scan)
    for (limit, count) in [(0.0, 0), (12, 1), (30, 0)] {
      var configuration = Configuration()
      configuration.ranging.contestedDifference = limit
      #expect(Self.run(scan, configuration).contests.count == count, "\(limit)")
    }
    // Core Location lists each address.
    let apple = Self.run(scan, Configuration(.coreLocation14))
    #expect(apple.contests.isEmpty)
    #expect(Set(apple.rows.map(\.beacon.address)).count == 2)
  }

  @Test func `ten thousand copied beacons take no more memory than five hundred`() {
    var contests = AddressContests()
    let reports = [Self.first, Self.second].map { address in
      AdvertisingReport(
        time: TestScan.start,
        rssi: -60,
        address: DeviceAddress(address, kind: .random),
        payloadStart: 0,
        payloadCount: 0
      )
    }
    for round in 0..<3 {
      for beacon in 0..<10_000 {
        let result = contests.add(
          reports[round % 2],
          of: UInt64(beacon),
          isSwitch: true,
          at: TestScan.at(Double(round)),
          explaining: 12
        )
        #expect(result.change != .begins)
      }
    }
    #expect(contests.count == 512)
    #expect(MemoryLayout<AddressContest>.stride <= 160)
    #expect(MemoryLayout<Track>.stride <= 304)
  }
}
