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
  @Test func `a beacon that returns within a minute has the zone it had`() {
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
    #expect(returned(after: 55) == .near)
    #expect(returned(after: 70) == .far)
  }

  @Test func `a second receiver behind a wall hardly changes a distance`() throws {
    func meters(_ second: Int8?) throws -> Double {
      var scan = TestScan()
      Self.report(-65, from: 0, to: 10, in: &scan)
      if let second { Self.report(second, from: 0, to: 10, receiver: 1, in: &scan) }
      return try #require(Self.ticks(scan).last??.distance).meters
    }
    let alone = try meters(nil)
    // With one receiver the mean of its reports is learned, at most 0.8 dB here.
    for rssi in [-77, -90] as [Int8] { #expect(try abs(meters(rssi) / alone - 1) < 0.1) }
    // One that receives it more strongly is nearer, or has the free path.
    #expect(try meters(-55) < alone / 2)
    #expect(try abs(meters(-65) / alone - 1) < 0.1)
  }

  @Test func `a receiver that receives nothing any more does not count while another does`() throws
  {
    var scan = TestScan()
    Self.report(-50, from: 0, to: 10, receiver: 1, in: &scan)
    Self.report(-74, from: 0, to: 16, in: &scan)
    let ticks = Self.ticks(scan)
    let near = try #require(ticks[9]?.distance).meters
    let far = try #require(ticks.last??.distance).meters
    #expect(near < 0.5 && far > 4)
  }

  @Test func `where beacons are carried intervals are wider, and nothing else changes`() throws {
    var scan = TestScan()
    Self.report(-65, from: 0, to: 10, in: &scan)
    var configuration = Configuration()
    let fixed = try #require(Self.ticks(scan, configuration).last??.distance)
    configuration.ranging.isCarried = true
    let carried = try #require(Self.ticks(scan, configuration).last??.distance)
    #expect(carried.meters == fixed.meters)
    #expect(carried.low < fixed.low && carried.high > fixed.high)
    // 5 dB and 4.5 dB more, and little for the filter: 1.35 times as wide in decibels.
    let widths = [fixed, carried].map { DeterministicMath.log10($0.high / $0.low) }
    #expect(abs(widths[1] / widths[0] - 1.345) < 0.02)
  }

  /// Row R20.
  @Test(arguments: [(Profile.standard, 1, 2), (.coreLocation14, 2, 2)])
  func `the first beacon stays the first until another is clearly nearer`(
    _ profile: Profile,
    _ slightly: UInt16,
    _ clearly: UInt16
  ) {
    func first(_ other: Int8) -> UInt16? {
      var scan = TestScan()
      for tenth in 0..<60 {
        let second = Double(tenth) / 10 + 0.05
        scan.report(TestScan.beacon(1, 1), -65, at: second)
        scan.report(TestScan.beacon(1, 2), tenth < 20 ? -66 : other, at: second)
      }
      var configuration = Configuration(profile)
      configuration.ranging.filter = .latest(LatestFilter.Parameters(window: .seconds(1)))
      let ticks = Self.ticks(scan, configuration)
      #expect(ticks[1]?.identity.minor == 1)
      return ticks.last??.identity.minor
    }
    #expect(first(-64) == slightly)
    #expect(first(-63) == clearly)
  }

  /// Row R20: who ranges what else has no part in the order, nor has the list of all beacons.
  @Test func `beacons of another constraint do not change which one is first`() {
    var scan = TestScan()
    for tenth in 0..<60 {
      let second = Double(tenth) / 10 + 0.05
      scan.report(TestScan.beacon(2, 1), -40, at: second)
      scan.report(TestScan.beacon(1, 3), -80, at: second)
      scan.report(TestScan.beacon(1, 1), -65, at: second)
      scan.report(TestScan.beacon(1, 2), tenth < 20 ? -66 : -64, at: second)
    }
    var configuration = Configuration()
    configuration.ranging.filter = .latest(LatestFilter.Parameters(window: .seconds(1)))
    func minors(others: Bool) -> [[UInt16]] {
      let engine = TestEngine(configuration)
      let client = engine.driver.connect()
      engine.driver.request(.range(.major(TestScan.museum, 1)), by: client)
      if others {
        let other = engine.driver.connect()
        engine.driver.request(.range(.uuid(TestScan.museum)), by: other)
        engine.driver.watchSightings()
      }
      return engine.run(scan.inOrder).filter { $0.recipient == .client(client) }
        .compactMap { $0.ranged?.first?.beacons.map(\.identity.minor) }
    }
    let alone = minors(others: false)
    #expect(alone.last == [1, 2, 3])
    #expect(minors(others: true) == alone)
  }
}
