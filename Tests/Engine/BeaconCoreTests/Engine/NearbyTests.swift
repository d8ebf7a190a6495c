// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// Everything nearby, which only the operator receives.
@Suite struct NearbyTests {
  static let other = BeaconIdentity(uuid: 42, major: 1, minor: 1)

  private static func scan() -> ScanBatch {
    var scan = TestScan()
    for tenth in 0..<50 {
      scan.report(TestScan.beacon(1, 1), -50, at: Double(tenth) / 10 + 0.01)
      scan.report(Self.other, -70, at: Double(tenth) / 10 + 0.02)
    }
    scan.mark(at: 20.5)
    return scan.inOrder
  }

  private static func nearby(_ deliveries: [Delivery]) -> [(
    time: Timestamp, beacons: [RangedBeacon]
  )] {
    deliveries.compactMap { delivery in
      guard case .nearby(let beacons) = delivery.event else { return nil }
      #expect(delivery.recipient == .theOperator)
      return (delivery.time, beacons)
    }
  }

  @Test func `every beacon of every UUID is listed once a second, nearest first`() throws {
    let engine = TestEngine(startingAt: TestScan.start)
    engine.driver.watchNearby()
    engine.driver.supply(Self.scan())
    let ticks = Self.nearby(engine.driver.collectDeliveries())
    #expect(ticks.first?.time == TestScan.at(1))
    #expect(ticks.count == 20)
    #expect(
      ticks.prefix(5).allSatisfy {
        $0.beacons.map(\.identity) == [TestScan.beacon(1, 1), Self.other]
      }
    )
    #expect(ticks[1].beacons.map(\.reports) == [10, 10])
    // A silent beacon stays for the linger, and no longer.
    #expect(ticks[12].beacons.count == 2)
    #expect(ticks[17].beacons.isEmpty)
  }

  @Test func `clients receive what they range, with and without the operator's view`() throws {
    func ranged(watching: Bool) -> [[ConstraintRanging]] {
      let engine = TestEngine(startingAt: TestScan.start)
      let one = engine.driver.connect()
      let two = engine.driver.connect()
      engine.driver.request(.range(.uuid(TestScan.museum)), by: one)
      engine.driver.request(.range(.uuid(Self.other.uuid)), by: two)
      engine.driver.request(.range(.minor(Self.other)), by: two)
      if watching { engine.driver.watchNearby() }
      engine.driver.supply(Self.scan())
      return engine.driver.collectDeliveries().compactMap { delivery in
        guard case .ranged(let entries) = delivery.event else { return nil }
        return entries
      }
    }
    // The order in which beacons were first received is counted over all that are tracked.
    #expect(ranged(watching: true) == ranged(watching: false))
    #expect(ranged(watching: true).contains { $0.contains { !$0.beacons.isEmpty } })
  }

  @Test func `one constraint beside everything lists only its own`() throws {
    let engine = TestEngine(startingAt: TestScan.start)
    let client = engine.driver.connect()
    engine.driver.request(.range(.uuid(TestScan.museum)), by: client)
    engine.driver.watchNearby()
    engine.driver.supply(Self.scan())
    for delivery in engine.driver.collectDeliveries() {
      guard case .ranged(let entries) = delivery.event else { continue }
      #expect(entries.flatMap(\.beacons).allSatisfy { $0.identity.uuid == TestScan.museum })
    }
  }

  @Test func `a client that stops to range leaves the operator's ticks`() throws {
    let engine = TestEngine(startingAt: TestScan.start)
    let client = engine.driver.connect()
    engine.driver.watchNearby()
    engine.driver.request(.range(.uuid(TestScan.museum)), by: client)
    engine.driver.request(.stopRanging(.uuid(TestScan.museum)), by: client)
    engine.driver.supply(Self.scan())
    #expect(Self.nearby(engine.driver.collectDeliveries()).count == 20)
  }
}
