// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct HeldProximityTests {
  static let beacon = TestScan.beacon(1, 1)

  /// Ranges the beacon of a scan, and returns it at each tick; `nil` where it is not listed.
  static func ticks(
    _ scan: TestScan,
    _ configuration: Configuration = Configuration()
  ) -> [RangedBeacon?] {
    let engine = TestEngine(configuration)
    let client = engine.driver.connect()
    engine.driver.request(.range(.uuid(TestScan.museum)), by: client)
    return engine.run(scan.inOrder).compactMap { $0.ranged?.first.map(\.beacons.first) }
  }

  /// Four reports a second.
  static func report(
    _ rssi: Int8,
    from first: Double,
    to last: Double,
    receiver: UInt8 = 0,
    in scan: inout TestScan
  ) {
    for second in stride(from: first, to: last, by: 0.25) {
      scan.report(beacon, rssi, at: second + 0.1, receiver: receiver)
    }
  }

  /// Row R19.
  @Test func `a beacon that misses two seconds keeps zone and distance, and its interval grows`()
    throws
  {
    var scan = TestScan()
    Self.report(-65, from: 0, to: 8, in: &scan)
    Self.report(-65, from: 10.2, to: 12, in: &scan)
    let ticks = Self.ticks(scan)
    let last = try #require(ticks[7]?.distance)
    #expect(ticks[7]?.reports == 4)
    var high = last.high
    for tick in ticks[8...9] {
      #expect(tick?.reports == 0 && tick?.proximity == .near)
      let held = try #require(tick?.distance)
      #expect(held.meters == last.meters && held.low < last.low && held.high > high)
      high = held.high
    }
  }

  /// Row R6.
  @Test func `in Core Location's profiles it is unknown at once`() {
    var scan = TestScan()
    Self.report(-65, from: 0, to: 8, in: &scan)
    scan.mark(at: 11)
    let ticks = Self.ticks(scan, Configuration(.coreLocation14))
    #expect(ticks[7]?.proximity == .near)
    for tick in ticks[8...9] { #expect(tick?.proximity == .unknown && tick?.distance == nil) }
  }

  /// Row R19.
  @Test func `a beacon that returns within the time it is listed has the zone it had`() {
    func returned(after silence: Double) -> Proximity? {
      var scan = TestScan()
      Self.report(-67, from: 0, to: 30, in: &scan)
      for second in stride(from: 30, through: 30 + silence, by: 1) { scan.mark(at: second) }
      Self.report(-70, from: 30 + silence, to: 33 + silence, in: &scan)
      let ticks = Self.ticks(scan)
      // It is steady, so that 3 s of silence make it unknown.
      #expect(ticks[34]?.proximity ?? .unknown == .unknown)
      return ticks[Int(30 + silence) + 1]?.proximity
    }
    #expect(returned(after: 7) == .near)
    #expect(returned(after: 25) == .far)
  }
}
