// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Zones: inside by distance, with room between coming and going.
@Suite struct ZoneTests {
  typealias Harness = RegionHarness

  private func started(_ constraint: IdentityConstraint? = nil) throws -> RegionHarness {
    let region = Region(
      "exhibit",
      constraint ?? .uuid(RegionHarness.uuid),
      zone: try Zone(enterWithin: 2, leaveBeyond: 3)
    )
    var harness = RegionHarness(region, .coreLocation)
    harness.begin()
    return harness
  }

  @Test func `the pair is checked`() {
    #expect(throws: Zone.Fault.notBelow(enterWithin: 3, leaveBeyond: 3)) {
      try Zone(enterWithin: 3, leaveBeyond: 3)
    }
    #expect(throws: Zone.Fault.self) { try Zone(enterWithin: .nan, leaveBeyond: 3) }
    #expect(throws: Zone.Fault.notADistance(-1)) { try Zone(enterWithin: -1, leaveBeyond: 3) }
    #expect(throws: Zone.Fault.notADistance(.infinity)) {
      try Zone(enterWithin: 1, leaveBeyond: .infinity)
    }
  }

  @Test func `comes within, wavers between, goes beyond`() throws {
    var harness = try started()
    for (time, distance) in [(1.0, 5.0), (11, 2.5), (12, 2), (13, 2.9), (14, 3), (15, 3.1)] {
      harness.receive(Harness.beacon(1), at: time, distance: distance)
    }
    #expect(
      harness.lines == [
        "10 outside leftRange", "12 enter cameInRange", "12 inside cameInRange",
        "15 exit leftRange", "15 outside leftRange",
      ]
    )
    #expect(harness.exitExplanation?.rule == .leaveBeyond)
    #expect(harness.exitExplanation?.threshold == .distance(meters: 3))
    #expect(harness.exitExplanation?.distance == 3.1)
  }

  @Test func `an unknown distance neither comes nor leaves, and silence leaves`() throws {
    var harness = try started()
    harness.receive(Harness.beacon(1), at: 11)
    harness.receive(Harness.beacon(1), at: 12, distance: 1)
    harness.receive(Harness.beacon(1), at: 20)
    harness.end(at: 50)
    #expect(
      harness.lines == [
        "10 outside nothingHeard", "12 enter cameInRange", "12 inside cameInRange",
        "50 exit allSilent", "50 outside allSilent",
      ]
    )
  }

  /// Row G21.
  @Test(arguments: [
    (Optional<Double>.none, Int8(-60), "distanceUnknown"), (5, -60, "leftRange"),
    (1, -80, "tooWeak"), (1, -60, "tooFewReports"),
  ])
  func `outside has the reason why the reports did not enter`(
    _ distance: Double?,
    _ rssi: Int8,
    _ reason: String
  ) throws {
    for zone in [try Zone(enterWithin: 2, leaveBeyond: 3), nil] {
      if zone == nil, distance != 1 { continue }
      var region = Region("exhibit", .uuid(RegionHarness.uuid), zone: zone)
      region.enterPolicy = EnterPolicy(sightings: 2, rssiFloor: -65, window: .seconds(1))
      var harness = RegionHarness(region, .standard)
      harness.begin()
      for time in [2.0, 5, 8] {
        harness.receive(Harness.beacon(1), at: time, rssi: rssi, distance: distance)
      }
      harness.end(at: 10)
      #expect(harness.lines == ["10 outside \(reason)"])
      // The reason is that of this determination only.
      harness.radioLost(at: 11)
      harness.radioRegained(at: 12)
      harness.end(at: 22)
      #expect(harness.lines.last == "22 outside nothingHeard")
    }
  }

  @Test func `left when the last beacon in range is gone, whichever way`() throws {
    var harness = try started()
    harness.receive(Harness.beacon(1), at: 11, distance: 1)
    harness.receive(Harness.beacon(2), at: 12, distance: 1)
    // One that never came in range holds nothing and leaves nothing.
    harness.receive(Harness.beacon(3), at: 13, distance: 2.5)
    harness.receive(Harness.beacon(3), at: 14, distance: 9)
    // The latest holder goes; the other still has until 41.
    harness.receive(Harness.beacon(2), at: 15, distance: 9)
    harness.end(at: 40.9)
    #expect(harness.lines.last == "11 inside cameInRange")
    harness.end(at: 41)
    #expect(harness.exitExplanation?.identity == Harness.beacon(1))
    #expect(harness.lines.last == "41 outside allSilent")
  }
}
