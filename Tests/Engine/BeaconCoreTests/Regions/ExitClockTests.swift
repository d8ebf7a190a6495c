// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// When a region with a learned exit time is left (row G24).
@Suite struct ExitClockTests {
  static let region = Region("r", .uuid(RegionHarness.uuid))

  /// Lets beacons send for some hours, and returns when the region was left, in seconds since the last report before.
  static func exits(
    _ beacons: [LossyBeacon],
    hours: Double,
    region: Region = region,
    silentFrom: [Double] = [.infinity, .infinity]
  ) -> [Double] {
    var beacons = beacons
    var harness = RegionHarness(region, .standard)
    harness.begin()
    var reports: [(time: Double, beacon: Int)] = []
    for index in beacons.indices {
      while beacons[index].now < hours * 3600 {
        _ = beacons[index].nextGap()
        if beacons[index].now < silentFrom[index] { reports.append((beacons[index].now, index)) }
      }
    }
    reports.sort { $0.time < $1.time }
    for report in reports {
      let identity = RegionHarness.beacon(UInt16(report.beacon + 1))
      harness.receive(identity, at: report.time, distance: 1)
    }
    harness.end(at: hours * 3600)
    return harness.actions.compactMap { action in
      guard case .exited(_, _, let time) = action else { return nil }
      let seconds = Double(time.microseconds) / 1_000_000
      return seconds - (reports.last { $0.time < seconds }?.time ?? 0)
    }
  }

  @Test(.slow, arguments: [3.0, 4, 5, 6, 8, 10.24])
  func `a slow beacon is never left between two packets`(_ interval: Double) {
    let beacon = LossyBeacon(interval: interval, received: 1, loss: .independent, seed: 3)
    #expect(Self.exits([beacon], hours: 6) == [])
  }

  @Test(.slow) func `a zone waits for the next packet too`() throws {
    let zone = Region(
      "z",
      .uuid(RegionHarness.uuid),
      zone: try Zone(enterWithin: 2, leaveBeyond: 4)
    )
    let beacon = LossyBeacon(interval: 5, received: 1, loss: .independent, seed: 3)
    #expect(Self.exits([beacon], hours: 6, region: zone) == [])
  }

  @Test(.slow) func `two beacons are left sooner than one, and not before their packets are due`() {
    let pair = [1, 2].map {
      LossyBeacon(interval: 1, received: 0.5, loss: .independent, seed: $0)
    }
    let both = Self.exits(pair, hours: 6, silentFrom: [18_000, 18_000])
    let one = Self.exits([pair[0]], hours: 6, silentFrom: [18_000, 18_000])
    #expect(both.count == 1 && one.count == 1)
    #expect((both.first ?? 99) < 13 && (one.first ?? 0) > 13)
    let steady = [1, 2].map {
      LossyBeacon(interval: 10.24, received: 1, loss: .independent, seed: $0)
    }
    let exits = Self.exits(steady, hours: 6, silentFrom: [18_000, 18_000])
    #expect(exits.count == 1)
    #expect((exits.first ?? 0) > 5.12)
  }

  @Test(.slow) func `when one of two beacons has gone, the other's own exit time holds`() {
    let pair = [1, 2].map {
      LossyBeacon(interval: 1, received: 0.5, loss: .independent, seed: $0)
    }
    #expect(Self.exits(pair, hours: 8, silentFrom: [.infinity, 10_800]).count <= 1)
  }

  // MARK: As delivered

  /// What an engine delivers of a beacon that ranging and a region follow.
  private static func delivered(
    _ sending: LossyBeacon,
    hours: Double,
    _ configuration: Configuration = Configuration()
  ) -> [Event] {
    var engine = Engine(configuration, startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.monitor(region), by: client, into: &out)
    engine.request(.range(region.constraint, whileInside: "r"), by: client, into: &out)
    var scan = TestScan()
    var sending = sending
    while sending.now < hours * 3600 {
      _ = sending.nextGap()
      scan.report(TestScan.beacon(1, 1), -60, at: sending.now)
    }
    return engine.run(scan.inOrder).map(\.event)
  }

  @Test(.slow, arguments: [3.0, 5, 8])
  func `ranging while inside is not suspended between two packets`(_ interval: Double) {
    let beacon = LossyBeacon(interval: interval, received: 1, loss: .independent, seed: 3)
    let events = Self.delivered(beacon, hours: 4)
    let diagnostics = events.filter { if case .diagnostic = $0 { true } else { false } }
    let lists = events.filter { if case .ranged = $0 { true } else { false } }
    #expect(diagnostics == [])
    #expect(lists.count > 14_000)
  }

  @Test(.slow) func `that the longest exit time is too short is delivered once, with what helps`() {
    func warnings(_ configuration: Configuration, received: Double = 0.5) -> [Reception] {
      let beacon = LossyBeacon(
        interval: 10.24,
        received: received,
        loss: .independent,
        seed: 3
      )
      return Self.delivered(beacon, hours: 4, configuration).compactMap { event in
        guard case .diagnostic(.exitTimeTooShort("r", let reception, _)) = event else { return nil }
        return reception
      }
    }
    let found = warnings(Configuration())
    #expect(found.count == 1)
    #expect(found.allSatisfy { abs(($0.interval?.seconds ?? 0) - 10.245) < 0.02 })
    #expect(found.allSatisfy { (0.4...0.6).contains($0.share ?? 0) })
    #expect(warnings(Configuration(), received: 1) == [])
    var fixed = Configuration()
    fixed.regions.exitTiming = .fixed(.seconds(30))
    #expect(warnings(fixed).map(\.isFixed) == [true])
    fixed.regions.exitTiming = .fixed(.seconds(115))
    #expect(warnings(fixed) == [])
  }

  /// Law L3: it follows from received beacons, so it is delivered only to a client that may know crossings.
  @Test(.slow) func `no limited client receives that the longest exit time is too short`() {
    let manifest = Manifest(whenInUse: "w", alwaysAndWhenInUse: "a")
    let saved = [SavedRegion(Self.region, state: .unknown, savedAt: TestScan.start)]
    let other = [
      SavedRegion(
        Region("r", .minor(TestScan.beacon(9, 9))),
        state: .unknown,
        savedAt: TestScan.start
      )
    ]
    let limited:
      [(name: String, authorization: SavedAuthorization, regions: [SavedRegion], isInFront: Bool)] =
        [
          ("free", SavedAuthorization(grant: .always), saved, true),
          ("denied", SavedAuthorization(grant: .denied), saved, true),
          ("undecided", SavedAuthorization(), saved, true),
          ("reduced", SavedAuthorization(grant: .always, accuracy: .reduced), saved, true),
          ("services off", SavedAuthorization(grant: .always, servicesOn: false), saved, true),
          ("out of use", SavedAuthorization(grant: .whenInUse), saved, false),
          ("without regions", SavedAuthorization(grant: .always), [], true),
          ("another region", SavedAuthorization(grant: .always), other, true),
        ]
    var driver = EngineDriver(Configuration(), startingAt: TestScan.start)
    let clients = limited.map { client in
      driver.connect(
        manifest,
        restoring: SavedClient(authorization: client.authorization, regions: client.regions),
        isForeground: client.isInFront
      )
    }
    for client in clients { driver.request(.range(Self.region.constraint), by: client) }
    var scan = TestScan()
    var beacon = LossyBeacon(interval: 10.24, received: 0.5, loss: .independent, seed: 3)
    while beacon.now < 4 * 3600 {
      _ = beacon.nextGap()
      scan.report(TestScan.beacon(1, 1), -60, at: beacon.now)
    }
    driver.supply(scan.inOrder)
    let warned = driver.collectDeliveries().filter { delivery in
      if case .diagnostic(.exitTimeTooShort) = delivery.event { true } else { false }
    }
    #expect(warned.count == 1)
    #expect(warned.map(\.recipient) == [.client(clients[0])])
    for (client, id) in zip(limited, clients).dropFirst() {
      let intervals = driver.saved(id).regions.flatMap(\.intervals)
      #expect(intervals.isEmpty, "\(client.name)")
    }
  }
}
