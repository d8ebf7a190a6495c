// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// Measured powers that cannot be one, and beacons that send with two. Rows I8 and W8.
@Suite struct PowerTests {
  private static let beacon = TestScan.beacon(1, 1)
  private static let constraint = IdentityConstraint.uuid(TestScan.museum)
  private static let (first, second) = (UInt64(0xC0FF_EE00_0001), UInt64(0xBADB_AD00_0002))

  private struct Outcome {
    var warned: [(recipient: Recipient, power: Int8)] = []
    var contests = 0
    var meters: [Double?] = []
    var levels: [Double?] = []
  }

  private static func report(
    _ scan: inout TestScan,
    _ rssi: Int8,
    power: Int8,
    at seconds: Double,
    address: UInt64 = first
  ) {
    scan.report(beacon, rssi, at: seconds, power: power, address: address)
  }

  /// A beacon every 0.1 s.
  private static func scan(power: Int8, from start: Double = 0, to end: Double = 20) -> TestScan {
    var scan = TestScan()
    for seconds in stride(from: start, to: end, by: 0.1) {
      report(&scan, -65, power: power, at: seconds)
    }
    return scan
  }

  /// A beacon that sends in turn with two powers, and announces each power's level at one meter.
  private static func inTurn(_ other: UInt64, _ powers: (Int8, Int8) = (-59, -79)) -> TestScan {
    var scan = TestScan()
    var random = SplitMix64(seed: 7)
    for (index, seconds) in stride(from: 0.0, to: 60, by: 0.25).enumerated() {
      let isFirst = index.isMultiple(of: 2)
      let power: Int8 = isFirst ? powers.0 : powers.1
      let scatter = Int8(truncatingIfNeeded: Int64(random.next() % 7) - 3)
      let level: Int8 = (isFirst ? -59 : -79) - 6 + scatter
      report(&scan, level, power: power, at: seconds, address: isFirst ? first : other)
    }
    return scan
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
      switch delivery.event {
      case .diagnostic(.powerImplausible(let identity, let power)):
        #expect(identity == beacon)
        outcome.warned.append((delivery.recipient, power))
      case .diagnostic(.identityContested): outcome.contests += 1
      case .ranged(let entries):
        outcome.meters += entries.flatMap(\.beacons).map { $0.distance?.meters }
        outcome.levels += entries.flatMap(\.beacons).map(\.rssi)
      default: break
      }
    }
    return outcome
  }

  @Test(arguments: [0, 1, 4, -1, -3, -18, 127, -128, -127, -110, -101] as [Int8])
  func `a power that cannot be one is reported once`(_ power: Int8) throws {
    let outcome = Self.run(Self.scan(power: power))
    #expect(outcome.warned.map(\.power) == [power])
    #expect(outcome.meters.count > 15 && outcome.meters.allSatisfy { $0 == nil })
    // A measurement cures it.
    var configuration = Configuration()
    try configuration.ranging.calibration.setPower(-59.9, for: .minor(Self.beacon))
    let cured = Self.run(Self.scan(power: power), configuration)
    #expect(cured.warned.isEmpty)
    #expect(cured.meters.count > 15 && cured.meters.allSatisfy { $0 != nil })
  }

  @Test(arguments: [-20, -25, -59, -100] as [Int8])
  func `a power that can be one is not reported`(_ power: Int8) {
    #expect(Self.run(Self.scan(power: power)).warned.isEmpty)
  }

  @Test(arguments: [0, -110] as [Int8]) func `a slot without a power leaves the other's distance`(
    _ power: Int8
  ) {
    var scan = TestScan()
    for (index, seconds) in stride(from: 0.0, to: 60, by: 0.1).enumerated() {
      Self.report(&scan, -65, power: index.isMultiple(of: 2) ? -59 : power, at: seconds)
    }
    let outcome = Self.run(scan)
    #expect(outcome.warned.map(\.power) == [power])
    #expect(outcome.meters.count > 50 && outcome.meters.dropFirst(2).allSatisfy { $0 != nil })
  }

  /// Two slots of a beacon 4 dB beyond one meter, of which one announces a power that cannot be one.
  private struct Slots {
    var power: Int8
    var address: UInt64
    /// By how much the slot with that power is received more strongly.
    var difference: Int8
    var startsWithIt: Bool
    var intervals: (Double, Double)

    static let all: [Slots] = [0, 1, -3, -18, 127].flatMap { (power: Int8) in
      [first, second].flatMap { address in
        [0, 20, -20].flatMap { (difference: Int8) in
          [true, false].flatMap { startsWithIt in
            [(0.2, 0.2), (0.1, 1), (1, 0.1), (0.3, 4)].map {
              Slots(
                power: power,
                address: address,
                difference: difference,
                startsWithIt: startsWithIt,
                intervals: $0
              )
            }
          }
        }
      }
    }

    var scan: TestScan {
      var random = SplitMix64(seed: 3)
      func level(_ mean: Int8) -> Int8 { mean + Int8.random(in: -2...2, using: &random) }
      var scan = TestScan()
      let delays = startsWithIt ? (0.05, 0.15) : (0.15, 0.05)
      for seconds in stride(from: delays.0, to: 60, by: intervals.0) {
        report(&scan, level(-63 + difference), power: power, at: seconds, address: address)
      }
      for seconds in stride(from: delays.1, to: 60, by: intervals.1) {
        report(&scan, level(-63), power: -59, at: seconds, address: first)
      }
      return scan
    }
  }

  /// Row W8: whatever the order, the rates and the addresses.
  @Test func `a beacon with an impossible power in one slot is in one place`() {
    for slots in Slots.all {
      let outcome = Self.run(slots.scan)
      #expect(outcome.contests == 0, "\(slots)")
      #expect(outcome.warned.map(\.power) == [slots.power], "\(slots)")
      let steady = outcome.meters.dropFirst(8)
      #expect(steady.count > 45, "\(slots)")
      #expect(steady.allSatisfy { (1...2.6).contains($0 ?? 0) }, "\(slots): \(steady)")
    }
  }

  @Test func `a beacon that announces only an impossible power from a time on loses its distance`()
  {
    var scan = Self.scan(power: -59, to: 30)
    for seconds in stride(from: 30.0, to: 120, by: 0.1) {
      Self.report(&scan, -85, power: 0, at: seconds)
    }
    for seconds in stride(from: 120.0, to: 150, by: 0.1) {
      Self.report(&scan, -65, power: -59, at: seconds)
    }
    let outcome = Self.run(scan)
    #expect(outcome.warned.map(\.power) == [0] && outcome.contests == 0)
    #expect(outcome.meters.dropFirst(70).prefix(45).allSatisfy { $0 == nil })
    let last = outcome.meters.suffix(20).map { $0 ?? 0 }
    #expect(last.allSatisfy { (1.2...3).contains($0) }, "\(last)")
  }

  @Test func `slots with powers that cannot be one are not compared`() {
    for powers in [(0, 1), (-3, 127)] as [(Int8, Int8)] {
      let outcome = Self.run(Self.inTurn(Self.second, powers))
      #expect(outcome.contests == 0 && outcome.meters.allSatisfy { $0 == nil })
    }
    // Of two devices with the same numbers, the levels differ as well.
    #expect(Self.run(Self.inTurn(Self.second, (0, 0))).contests == 1)
  }

  @Test func `a fallback power does not replace the valid one of another slot`() throws {
    var configuration = Configuration()
    try configuration.ranging.calibration.setFallbackPower(-75)
    var scan = TestScan()
    for (index, seconds) in stride(from: 0.0, to: 60, by: 0.1).enumerated() {
      let isFirst = index.isMultiple(of: 2)
      Self.report(&scan, isFirst ? -63 : -83, power: isFirst ? -59 : 0, at: seconds)
    }
    let outcome = Self.run(scan, configuration)
    #expect(outcome.warned.isEmpty)
    #expect(outcome.meters.dropFirst(5).allSatisfy { (1...2.6).contains($0 ?? 0) })
  }

  @Test func `a contest names the received levels`() throws {
    var scan = TestScan()
    for (index, seconds) in stride(from: 0.0, to: 60, by: 0.1).enumerated() {
      let isFirst = index.isMultiple(of: 2)
      let address = isFirst ? Self.first : Self.second
      Self.report(&scan, -70, power: isFirst ? -59 : -79, at: seconds, address: address)
    }
    let engine = TestEngine(Configuration())
    let client = engine.driver.connect()
    engine.driver.request(.range(Self.constraint), by: client)
    let levels = engine.run(scan.inOrder).compactMap { delivery -> ContestedLevels? in
      if case .diagnostic(.identityContested(_, let levels)) = delivery.event {
        levels
      } else {
        nil
      }
    }
    let expected = ContestedLevels(stronger: -70, weaker: -70)
    #expect(levels == [expected])
  }

  @Test func `a client with a zone gets the diagnostic, one with a region does not`() throws {
    for (zone, count) in [(try Zone(enterWithin: 2, leaveBeyond: 4), 1), (nil, 0)] {
      let outcome = Self.run(Self.scan(power: 0)) { driver in
        let client = driver.connect()
        driver.request(.monitor(Region("z", Self.constraint, zone: zone)), by: client)
      }
      #expect(outcome.warned.count == count)
    }
  }

  /// Law L3: it follows from a received beacon.
  @Test func `only a client that may know of the beacon gets the diagnostic`() {
    let manifest = Manifest(whenInUse: "w", alwaysAndWhenInUse: "a")
    var free: ClientID?
    let outcome = Self.run(Self.scan(power: 0)) { driver in
      let grants = [
        SavedAuthorization(grant: .always), SavedAuthorization(grant: .denied),
        SavedAuthorization(), SavedAuthorization(grant: .always, accuracy: .reduced),
        SavedAuthorization(grant: .always, servicesOn: false),
      ]
      for grant in grants {
        let client = driver.connect(manifest, restoring: SavedClient(authorization: grant))
        driver.request(.range(Self.constraint), by: client)
        free = free ?? client
      }
      _ = driver.connect()
    }
    #expect(outcome.warned.map(\.recipient) == [free.map(Recipient.client)])
  }

  @Test func `a client that ranges later gets the diagnostic as well`() {
    let engine = TestEngine(Configuration())
    let client = engine.driver.connect()
    engine.driver.request(.range(Self.constraint), by: client)
    _ = engine.run(Self.scan(power: 0, to: 5).inOrder, ending: false)
    let later = engine.driver.connect()
    engine.driver.request(.range(Self.constraint), by: later)
    let found = engine.run(Self.scan(power: 0, from: 5, to: 10).inOrder).filter {
      if case .diagnostic(.powerImplausible) = $0.event { true } else { false }
    }
    #expect(found.map(\.recipient) == [.client(later)])
  }

  /// Row R5: whatever power the levels refer to.
  @Test(arguments: [second, first], [Profile.standard, .coreLocation14])
  func `the RSSI of a beacon with two powers is the mean of its reports`(
    _ other: UInt64,
    _ profile: Profile
  ) {
    var inTurn = TestScan()
    var changed = TestScan()
    for index in 0..<300 {
      let (isOther, isLater) = (!index.isMultiple(of: 2), index >= 150)
      let (seconds, address) = (Double(index) / 10, isOther ? other : Self.first)
      Self.report(&inTurn, -70, power: isOther ? -79 : -59, at: seconds, address: address)
      Self.report(&changed, isLater ? -85 : -65, power: isLater ? -79 : -59, at: seconds)
    }
    var configuration = Configuration(profile)
    configuration.ranging.mergesSameIdentity = true
    let turned = Self.run(inTurn, configuration).levels
    #expect(turned.count > 25 && turned.allSatisfy { $0 == -70 })
    let levels = Self.run(changed, configuration).levels
    #expect(levels.count > 25 && levels.prefix(14).allSatisfy { $0 == -65 })
    #expect(levels.dropFirst(15).allSatisfy { $0 == -85 })
  }

  @Test
  func `a client that ranges within a second gets the mean of the reports from then on`() {
    let engine = TestEngine(Configuration())
    let first = engine.driver.connect()
    engine.driver.request(.range(Self.constraint), by: first)
    var scan = TestScan()
    for seconds in [10.1, 10.2] { Self.report(&scan, -65, power: -59, at: seconds) }
    for seconds in [10.3, 10.4] { Self.report(&scan, -85, power: -79, at: seconds) }
    _ = engine.run(scan.inOrder, ending: false)
    let later = engine.driver.connect()
    engine.driver.request(.range(Self.constraint), by: later)
    var rest = TestScan()
    for seconds in [10.6, 10.7, 11.5] { Self.report(&rest, -89, power: -79, at: seconds) }
    let levels = engine.run(rest.inOrder).compactMap { delivery -> Double? in
      guard case .ranged(let entries) = delivery.event, delivery.recipient == .client(later) else {
        return nil
      }
      return entries.first?.beacons.first?.rssi
    }
    #expect(levels.first == -89)
  }

  @Test(arguments: [second, first])
  func `one beacon with two powers is in one place`(_ other: UInt64) {
    let outcome = Self.run(Self.inTurn(other))
    #expect(outcome.contests == 0)
    #expect(outcome.warned.isEmpty)
    // 6 dB beyond one meter, by either power.
    let steady = outcome.meters.dropFirst(5).map { $0 ?? 0 }
    #expect(steady.count > 50)
    #expect(steady.allSatisfy { (1.2...3.5).contains($0) }, "\(steady.min() ?? 0)")
    // The same levels with one power cannot be of one place.
    if other != Self.first {
      #expect(Self.run(Self.inTurn(other, (-59, -59))).contests == 1)
    }
  }
}
