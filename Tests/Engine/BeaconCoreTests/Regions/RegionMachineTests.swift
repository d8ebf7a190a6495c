// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Rows G1 to G23 and the scenarios AC5 and AC11, one region at a time.
@Suite struct RegionMachineTests {
  typealias Harness = RegionHarness
  let museum = Region("museum", .uuid(RegionHarness.uuid))

  private func started(
    _ region: Region? = nil,
    _ policy: RegionPolicy = .coreLocation
  ) -> RegionHarness {
    var harness = RegionHarness(region ?? museum, policy)
    harness.begin()
    return harness
  }

  /// AC5: (1,1) from 0 to 30, (2,1) from 20 to 40, silence, a packet at 80.
  private func lifecycle(_ region: Region) -> RegionHarness {
    var harness = started(region)
    for second in 0...40 {
      if second <= 30 { harness.receive(Harness.beacon(1), at: Double(second)) }
      if second >= 20 { harness.receive(Harness.beacon(2), at: Double(second)) }
    }
    harness.receive(Harness.beacon(1), at: 80)
    return harness
  }

  @Test func `AC5 a to d: initial state, one enter, exit when all are gone`() {
    #expect(
      lifecycle(museum).lines == [
        "0 inside heard", "70 exit allSilent", "70 outside allSilent", "80 enter heard",
        "80 inside heard",
      ]
    )
  }

  @Test func `AC5 c: nothing is delivered before thirty seconds have passed`() {
    var harness = started()
    harness.receive(Harness.beacon(2), at: 40)
    harness.end(at: 69.999_999)
    #expect(harness.lines == ["10 outside nothingHeard", "40 enter heard", "40 inside heard"])
    harness.end(at: 70)
    #expect(harness.lines.suffix(2) == ["70 exit allSilent", "70 outside allSilent"])
  }

  @Test func `AC5 e: without reports outside after ten seconds, then the first packet enters`() {
    var harness = started()
    harness.receive(Harness.beacon(1), at: 12.5)
    #expect(harness.lines == ["10 outside nothingHeard", "12.5 enter heard", "12.5 inside heard"])
  }

  @Test func `AC5 f: a gap of 29.9 s has no effect, and a packet at the deadline keeps the state`()
  {
    var harness = started()
    for time in [0, 29.9, 59.9] { harness.receive(Harness.beacon(1), at: time) }
    harness.end(at: 60)
    #expect(harness.lines == ["0 inside heard"])
  }

  @Test func `AC5 g and row G12: the state of a suppressed crossing is delivered`() {
    var region = museum
    region.notifyOnExit = false
    region.notifyOnEntry = false
    #expect(
      lifecycle(region).lines == ["0 inside heard", "70 outside allSilent", "80 inside heard"]
    )
  }

  @Test
  func `AC11 and row G17: radio off is unknown, not delivered, and crosses nothing afterwards`() {
    var harness = started()
    harness.receive(Harness.beacon(1), at: 40)
    let before = harness.actions.count
    harness.radioLost(at: 50)
    #expect(
      harness.machine.stateRequested(at: Harness.at(60))
        == .determined(.unknown, .observed, .requested, at: Harness.at(60))
    )
    harness.advance(to: 80)
    harness.radioRegained(at: 100)
    harness.end(at: 109.9)
    #expect(harness.actions.count == before)
    harness.end(at: 110)
    #expect(harness.lines.suffix(1) == ["110 outside nothingHeard"])
  }

  @Test(arguments: [
    RegionStateReason.radioOff, .radioDeaf, .radioGone, .authorization, .accuracy,
  ])
  func `in the default profile a change to unknown is delivered with its reason`(
    _ reason: RegionStateReason
  ) {
    var harness = started(museum, .standard)
    harness.receive(Harness.beacon(1), at: 1)
    if reason == .authorization || reason == .accuracy {
      harness.machine.told = .inside
      harness.machine.withheld(reason, at: Harness.at(5), into: &harness.actions)
    } else {
      harness.radioLost(reason, at: 5)
    }
    harness.receive(Harness.beacon(1), at: 6)
    harness.end(at: 500)
    #expect(harness.lines == ["1 inside heard", "5 unknown \(reason)"])
  }

  @Test func `unknown lasts until its last cause has ended`() {
    var harness = started()
    harness.machine.withheld(.accuracy, at: Harness.at(1), into: &harness.actions)
    harness.radioLost(at: 2)
    harness.radioRegained(at: 3)
    harness.receive(Harness.beacon(1), at: 4)
    #expect(harness.actions.isEmpty)
    harness.machine.permitted(at: Harness.at(20))
    harness.end(at: 29.9)
    #expect(harness.actions.isEmpty)
    harness.end(at: 30)
    #expect(harness.lines == ["30 outside nothingHeard"])
  }

  @Test(arguments: [
    // One beacon, the default profile, 30 s until the beacon is known.
    ("*---------------------------------------", "I-----------------------------X---------"),
    ("------------*------------", "----------O-E------------"),
    // Where an exit would follow, the silence is as long as one without the loss (row G21).
    ("-*--0-----1--------------------------------", "-I--U-----------------------------------X--"),
    ("-*--0-----1--*---------", "-I--U--------I---------"),
    // The first determination continues after the loss (row G27).
    ("--0-----1------------", "----------------O----"),
  ])
  func `timelines`(_ timeline: String, _ expected: String) {
    #expect(RegionHarness.run(timeline, museum, .standard) == expected)
  }

  @Test func `a radio that is off at the start determines nothing until it listens (row G21)`() {
    var harness = RegionHarness(museum, .standard)
    harness.begin(deafness: .radioOff)
    harness.advance(to: 100)
    harness.radioRegained(at: 100)
    harness.end(at: 110)
    #expect(harness.lines == ["0 unknown radioOff", "110 outside nothingHeard"])
  }

  @Test func `the exit clock stands still in a gap of the recording`() {
    var harness = started()
    harness.receive(Harness.beacon(1), at: 5)
    harness.stoodStill(5, 105)
    harness.advance(to: 134.9)
    #expect(harness.lines == ["5 inside heard"])
    harness.end(at: 135)
    #expect(harness.lines.suffix(2) == ["135 exit allSilent", "135 outside allSilent"])
    #expect(harness.exitExplanation?.gap == .seconds(30))
  }

  @Test func `a first determination stands still in a gap, unless it started within it`() {
    var harness = started()
    harness.stoodStill(4, 104)
    harness.end(at: 110)
    #expect(harness.lines == ["110 outside nothingHeard"])
    var late = RegionHarness(museum, .coreLocation)
    late.begin(at: 100)
    late.stoodStill(4, 104)
    late.end(at: 114)
    #expect(late.lines == ["114 outside nothingHeard"])
  }

  @Test func `rows G8 and G20: a request is answered from what is known`() {
    var harness = started()
    harness.receive(Harness.beacon(1), at: 1)
    let time = Harness.at(2)
    #expect(
      harness.machine.stateRequested(at: time)
        == .determined(.inside, .observed, .requested, at: time)
    )
    #expect(
      harness.machine.stateRequested(at: time, inUse: false)
        == .determined(.unknown, .observed, .notInUse, at: time)
    )
  }

  @Test func `row G13: the screen causes delivery of the state inside, if requested`() {
    var region = museum
    for asks in [false, true] {
      region.notifyEntryStateOnDisplay = asks
      var harness = started(region)
      harness.machine.screenTurnedOn(at: Harness.at(0), into: &harness.actions)
      harness.receive(Harness.beacon(1), at: 1)
      harness.machine.screenTurnedOn(at: Harness.at(2), into: &harness.actions)
      #expect(harness.lines == ["1 inside heard"] + (asks ? ["2 inside requested"] : []))
    }
  }

  /// Row N3.
  @Test func `an assumed state lets the first determination be a crossing`() {
    var outside = RegionHarness(museum, .coreLocation)
    outside.begin(.assumed(.outside))
    outside.receive(Harness.beacon(1), at: 3)
    #expect(
      outside.lines == ["0 outside assumed assumed", "3 enter heard", "3 inside heard"]
    )
    var inside = RegionHarness(museum, .coreLocation)
    inside.begin(.assumed(.inside))
    inside.end(at: 30)
    #expect(
      inside.lines == ["0 inside assumed assumed", "30 exit allSilent", "30 outside allSilent"]
    )
    #expect(inside.exitExplanation?.identity == nil)
  }

  /// Law L7.
  @Test func `an exit names the last beacon and the threshold of its silence`() throws {
    let harness = lifecycle(museum)
    let why = try #require(harness.exitExplanation)
    #expect(why.identity == Harness.beacon(2))
    #expect(why.reports == 52)
    #expect(why.gap == .seconds(30))
    #expect(why.threshold == .silence(.seconds(30)))
    #expect(why.rule == .fixedExit)
    #expect(why.rssi == -60)
  }

  @Test func `a beacon with a long exit time outlasts a later one with a short exit time`() {
    var harness = started(museum, .standard)
    // Half an hour of perfect reception at 10 Hz gives a short exit time; the unknown beacon has the cap.
    for tenth in 0..<20_000 { harness.receive(Harness.beacon(1), at: Double(tenth) / 10) }
    harness.receive(Harness.beacon(2), at: 2000)
    harness.receive(Harness.beacon(1), at: 2000.1)
    harness.end(at: 2100)
    #expect(
      harness.lines == ["0 inside heard", "2030 exit allSilent", "2030 outside allSilent"]
    )
    #expect(harness.exitExplanation?.identity == Harness.beacon(2))
    #expect(harness.exitExplanation?.rule == .unlearnedExit)
  }

  @Test func `an enter policy requires a number of strong reports in its window`() {
    var region = museum
    region.enterPolicy = EnterPolicy(sightings: 2, rssiFloor: -80, window: .seconds(5))
    var harness = started(region)
    harness.receive(Harness.beacon(1), at: 11, rssi: -90)
    harness.receive(Harness.beacon(1), at: 12, rssi: -70)
    harness.receive(Harness.beacon(1), at: 13, rssi: nil)
    harness.receive(Harness.beacon(1), at: 18, rssi: -70)
    #expect(harness.lines == ["10 outside nothingHeard"])
    harness.receive(Harness.beacon(1), at: 22, rssi: -80)
    harness.receive(Harness.beacon(1), at: 40, rssi: -100)
    harness.end(at: 69)
    #expect(harness.lines.dropFirst() == ["22 enter heard", "22 inside heard"])
    guard case .entered(_, let why, _) = harness.actions[1] else { return }
    #expect(why.rule == .enoughReports && why.reports == 2 && why.threshold == .reports(2))
  }

  @Test func `the end of the engine is not an exit`() {
    var harness = started(museum, .standard)
    harness.receive(Harness.beacon(1), at: 1)
    harness.machine.shutDown(at: Harness.at(2), into: &harness.actions)
    harness.end(at: 1000)
    #expect(harness.lines == ["1 inside heard", "2 unknown shutdown"])
  }

  @Test func `reception is possible while one of several receivers listens`() {
    var receivers = ReceiverStates()
    #expect(receivers.receives)
    #expect(receivers.changed(receiver: 0, to: .listening) == nil)
    #expect(receivers.changed(receiver: 1, to: .deaf) == nil)
    #expect(receivers.changed(receiver: 0, to: .gone) == .lost(.radioDeaf))
    #expect(receivers.changed(receiver: 1, to: .off) == .lost(.radioOff))
    #expect(receivers.changed(receiver: 200, to: .listening) == .regained)
  }
}
