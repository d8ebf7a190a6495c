// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// In the profile `default` enters and exits alternate for as long as a state is kept (row G17).
///
/// Single cases are in `Fixtures/scenarios/while-unknown-….json5`.
@Suite struct WhileUnknownTests {
  static let regions = [
    Region("hall", .uuid(TestScan.museum)), Region("room", .minor(TestScan.beacon(1, 1))),
  ]

  /// Random reports, losses of the radio and gaps, in order.
  private static func scan(_ seed: UInt64) -> ScanBatch {
    var random = SplitMix64(seed: seed)
    var scan = TestScan()
    var second = 0.0
    for _ in 0..<300 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<12:
        scan.report(TestScan.beacon(1, UInt16.random(in: 1...2, using: &random)), -60, at: second)
      case 12..<15:
        let state = [RadioState.off, .gone, .deaf][Int.random(in: 0..<3, using: &random)]
        scan.add(.radio(receiver: 0, state, TestScan.at(second)))
      case 15..<19: scan.add(.radio(receiver: 0, .listening, TestScan.at(second)))
      default: second += 100
      }
      second += [0.5, 2, 9, 25, 40][Int.random(in: 0..<5, using: &random)]
    }
    return scan.batch
  }

  /// Plays a timeline with a restart after some inputs, and returns the region events.
  private static func play(
    _ seed: UInt64,
    _ profile: Profile,
    restartingAfter stops: Set<Int>
  ) -> [Event] {
    var configuration = Configuration(profile)
    configuration.regions.exitTiming = .fixed(.seconds(30))
    var driver = EngineDriver(configuration, startingAt: TestScan.start)
    var client = driver.connect()
    for region in regions { driver.request(.monitor(region), by: client) }
    var events: [Event] = []
    let scan = scan(seed)
    for (index, input) in scan.inputs.enumerated() {
      if stops.contains(index) {
        let saved = driver.saved(client)
        driver = EngineDriver(configuration, startingAt: driver.now)
        client = driver.connect(restoring: saved.regions)
      }
      events += driver.collectDeliveries().map(\.event)
      driver.supply(ScanBatch(bytes: scan.bytes, inputs: [input]))
      events += driver.collectDeliveries().map(\.event)
    }
    return events
  }

  /// Whether a crossing comes twice in a row in a region.
  private static func repeats(_ events: [Event], _ region: RegionIdentifier) -> Bool {
    var last: Bool?
    for event in events {
      switch event {
      case .regionEntered(region, _, _):
        if last == true { return true }
        last = true
      case .regionExited(region, _, _):
        if last == false { return true }
        last = false
      default: continue
      }
    }
    return false
  }

  private static func missed(_ events: [Event]) -> Int {
    events.count { event in
      switch event {
      case .regionEntered(_, .whileUnknown, _), .regionExited(_, .whileUnknown, _): true
      default: false
      }
    }
  }

  @Test func `enters and exits alternate over radio loss, gaps and restarts`() {
    var missed = 0
    for seed in 1...UInt64(Effort.rounds(60)) {
      let stops: Set<Int> = seed % 2 == 0 ? [60, 130, 131, 220] : []
      let events = Self.play(seed, .standard, restartingAfter: stops)
      missed += Self.missed(events)
      for region in Self.regions {
        #expect(!Self.repeats(events, region.identifier), "seed \(seed), \(region.identifier)")
      }
    }
    #expect(missed > 20)
  }

  @Test func `they do not under Core Location's profiles`() {
    let events = (1...20).map { Self.play($0, .coreLocation14, restartingAfter: []) }
    #expect(events.map(Self.missed).allSatisfy { $0 == 0 })
    #expect(events.contains { Self.repeats($0, "hall") })
  }

  @Test(arguments: [RegionState.inside, .outside])
  func `what was known before the radio was lost outlives a restart`(_ state: RegionState) {
    var machine = RegionMachine(Self.regions[0], policy: .standard)
    var actions: [RegionAction] = []
    machine.began(at: TestScan.at(0), from: .assumed(state), into: &actions)
    machine.receivingLost(.radioOff, at: TestScan.at(5), into: &actions)
    let saved = machine.saved(at: TestScan.at(6))
    #expect(saved.state == .unknown)
    #expect(saved.lastKnown == state)

    for deafness in [nil, RegionStateReason.radioOff] {
      var next = RegionMachine(Self.regions[0], policy: .standard)
      next.began(
        at: TestScan.at(60),
        from: .restored(saved),
        deafness: deafness,
        into: &actions
      )
      next.receivingRegained(at: TestScan.at(61))
      actions = []
      let sighting = RegionSighting(
        TestScan.beacon(1, 1),
        rssi: -60,
        power: -59,
        at: TestScan.at(62)
      )
      if state == .outside {
        next.sighted(sighting, intervals: ArrivalIntervals(), into: &actions)
      } else {
        next.timePassed(to: TestScan.at(91), into: &actions)
      }
      #expect(actions.count == 2)
    }
  }

  /// Row G21: the wait is the one that the exit explains.
  @Test func `a restored region that was inside waits as long as its exit says`() throws {
    let timings: [ExitTiming?] = [nil, .fixed(.seconds(20))]
    for exitTiming in timings {
      let region = Region("hall", Self.regions[0].constraint, exitTiming: exitTiming)
      let saved = SavedRegion(
        region,
        state: .unknown,
        lastKnown: .inside,
        savedAt: TestScan.at(0)
      )
      var machine = RegionMachine(region, policy: .standard)
      var actions: [RegionAction] = []
      machine.began(at: TestScan.at(60), from: .restored(saved), into: &actions)
      let due = try #require(machine.nextDeadline)
      let wait = due - TestScan.at(60)
      #expect(wait == .seconds(exitTiming == nil ? 30 : 10))
      machine.timePassed(to: due + TimeSpan(microseconds: -1), into: &actions)
      #expect(actions.isEmpty)
      machine.timePassed(to: due, into: &actions)
      guard case .exited(.whileUnknown, let why, at: let time) = actions.first else {
        Issue.record("\(actions)")
        continue
      }
      #expect(time == due && why.gap == wait)
    }
  }

  /// Rows G17 and G21.
  @Test func `a slow beacon is not left because the radio was off for a moment`() {
    for interval in [8.0, 10.24, 15, 25] {
      var harness = RegionHarness(Self.regions[0], .standard)
      let beacon = BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 1)
      harness.begin()
      for index in 0..<40 { harness.receive(beacon, at: Double(index) * interval) }
      harness.radioLost(at: 39 * interval + 1)
      harness.radioRegained(at: 39 * interval + 2)
      harness.receive(beacon, at: 40 * interval + 2)
      #expect(!harness.lines.contains { $0.contains("exit") }, "\(interval) s")
      harness.end(at: 41 * interval + 40)
      #expect(harness.lines.contains { $0.contains("exit allSilent") })
    }
  }

  /// Rows G17 and G21.
  @Test func `a beacon that has gone with the radio is left after its learned exit time`() {
    var harness = RegionHarness(Self.regions[0], .standard)
    let beacon = BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 1)
    harness.begin()
    for second in 0..<7200 { harness.receive(beacon, at: Double(second)) }
    harness.radioLost(at: 7200)
    harness.radioRegained(at: 7300)
    harness.end(at: 7400)
    #expect(harness.lines.suffix(2) == ["7310 exit whileUnknown", "7310 outside nothingHeard"])
    #expect(harness.exitExplanation?.gap == .seconds(10))
  }

  @Test func `a state that is too old is not kept`() {
    let saved = SavedRegion(
      Self.regions[0],
      state: .unknown,
      lastKnown: .inside,
      savedAt: TestScan.at(0)
    )
    var machine = RegionMachine(Self.regions[0], policy: .standard)
    var actions: [RegionAction] = []
    machine.began(at: TestScan.at(901), from: .restored(saved), into: &actions)
    machine.timePassed(to: TestScan.at(1000), into: &actions)
    #expect(actions.count == 1)
  }
}
