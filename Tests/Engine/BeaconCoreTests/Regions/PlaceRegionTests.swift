// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconCore

/// Regions whose condition is the place of a beacon (rows O1 to O8).
@Suite struct PlaceRegionTests {
  private static let anna = RegionHarness.beacon(1)
  private static let bert = RegionHarness.beacon(2)

  private static func region(_ constraint: IdentityConstraint = .minor(anna)) -> Region {
    Region("in", constraint, place: "hall")
  }

  /// A machine that gets places, one a second from second 1 on.
  private struct Run {
    var machine: RegionMachine
    var actions: [RegionAction] = []
    var second = 0.0

    init(
      _ region: Region = PlaceRegionTests.region(),
      _ policy: RegionPolicy = .standard,
      _ beginning: RegionBeginning = .fresh
    ) {
      machine = RegionMachine(region, policy: policy)
      machine.began(at: RegionHarness.at(0), from: beginning, into: &actions)
    }

    mutating func place(_ identity: BeaconIdentity?, _ position: BeaconPlace.Position) {
      second += 1
      same(identity, position)
    }

    mutating func same(_ identity: BeaconIdentity?, _ position: BeaconPlace.Position) {
      let place = BeaconPlace(identity, position, hundredths: 97, heard: 2)
      machine.placed(place, at: RegionHarness.at(second), into: &actions)
    }

    mutating func anna(_ positions: BeaconPlace.Position...) {
      for position in positions { place(PlaceRegionTests.anna, position) }
    }

    var lines: [String] {
      var harness = RegionHarness(machine.region, .standard)
      harness.actions = actions
      return harness.lines
    }
  }

  @Test func `rows O1 and O2: a beacon comes to the place and leaves it for another one`() throws {
    var run = Run()
    run.anna(.at("kitchen"), .at("hall"), .at("hall"), .at("kitchen"))
    #expect(
      run.lines == [
        "1 outside leftPlace", "2 enter cameToPlace", "2 inside cameToPlace", "4 exit leftPlace",
        "4 outside leftPlace",
      ]
    )
    guard case .exited(_, let why, _) = run.actions[3] else {
      Issue.record("no exit")
      return
    }
    #expect(why.threshold == .place("hall"))
    #expect(why.rule == .atOtherPlace)
    #expect(why.place == "kitchen")
    #expect(why.probability == 0.97)
    #expect(why.identity == Self.anna)
  }

  @Test func `row O3: an unknown place is neither, and what changed meanwhile is delivered`() {
    var run = Run()
    run.anna(.at("hall"), .unknown, .unknown, .at("hall"))
    run.anna(.unknown, .at("kitchen"), .unknown, .at("hall"))
    #expect(
      run.lines == [
        "1 inside cameToPlace", "2 unknown placeUnknown", "4 inside cameToPlace",
        "5 unknown placeUnknown", "6 exit whileUnknown", "6 outside leftPlace",
        "7 unknown placeUnknown", "8 enter whileUnknown", "8 inside cameToPlace",
      ]
    )
  }

  @Test func `row O3: the profiles of Core Location deliver neither`() {
    var run = Run(Self.region(), .coreLocation)
    run.anna(.at("hall"), .unknown, .at("kitchen"), .at("hall"))
    #expect(
      run.lines == [
        "1 inside cameToPlace", "3 outside leftPlace", "4 enter cameToPlace",
        "4 inside cameToPlace",
      ]
    )
  }

  @Test func `row O4: of several beacons one is enough, and one that can be there is not outside`()
  {
    var run = Run(Self.region(.uuid(RegionHarness.uuid)))
    run.place(Self.anna, .at("hall"))
    run.same(Self.bert, .unknown)
    run.place(Self.anna, .at("kitchen"))
    run.same(Self.bert, .unknown)
    run.place(Self.anna, .at("kitchen"))
    run.same(Self.bert, .at("cellar"))
    #expect(
      run.lines == [
        "1 inside cameToPlace", "2 unknown placeUnknown", "3 exit whileUnknown",
        "3 outside leftPlace",
      ]
    )
  }

  @Test func `row O5: a beacon that is nowhere in the site has left the place`() {
    var run = Run()
    run.anna(.at("hall"), .absent)
    #expect(run.lines == ["1 inside cameToPlace", "2 exit leftPlace", "2 outside leftPlace"])
    guard case .exited(_, let why, _) = run.actions[1] else {
      Issue.record("no exit")
      return
    }
    #expect(why.rule == .nowhere)
    #expect(why.place == nil)
  }

  @Test func `row O6: who was never received is outside only where receivers would receive it`() {
    var run = Run()
    run.place(nil, .unknown)
    #expect(run.lines == [])
    run.place(nil, .absent)
    run.anna(.at("hall"))
    #expect(run.lines == ["2 outside leftPlace", "3 enter cameToPlace", "3 inside cameToPlace"])
  }

  @Test func `row O6: a beacon that is followed no more counts as one of the others`() {
    var run = Run()
    run.anna(.at("hall"), .unknown)
    run.place(nil, .unknown)
    run.place(nil, .absent)
    #expect(
      run.lines == [
        "1 inside cameToPlace", "2 unknown placeUnknown", "4 exit whileUnknown",
        "4 outside leftPlace",
      ]
    )
    // What is followed is none of the others.
    var followed = Run()
    for _ in 1...5 {
      followed.anna(.at("hall"))
      followed.same(nil, .absent)
    }
    #expect(followed.lines == ["1 inside cameToPlace"])
  }

  @Test func `row O7: neither reports nor silence say anything of a place`() {
    var run = Run()
    run.anna(.at("hall"))
    #expect(run.machine.nextDeadline == nil)
    run.machine.timePassed(to: RegionHarness.at(1000), into: &run.actions)
    #expect(run.lines == ["1 inside cameToPlace"])
    var unknown = Run()
    unknown.machine.timePassed(to: RegionHarness.at(1000), into: &unknown.actions)
    #expect(unknown.lines == [])
  }

  @Test func `row O8: no receiver at all is a reason of its own, and the next place determines`() {
    var run = Run()
    run.anna(.at("hall"))
    run.machine.receivingLost(.radioDeaf, at: RegionHarness.at(1.5), into: &run.actions)
    run.anna(.at("kitchen"))
    run.machine.receivingRegained(at: RegionHarness.at(2.5))
    run.anna(.at("kitchen"))
    #expect(
      run.lines == [
        "1 inside cameToPlace", "1.5 unknown radioDeaf", "3 exit whileUnknown",
        "3 outside leftPlace",
      ]
    )
  }

  @Test func `a place is compared by its bytes, and text of any kind is only a name`() {
    var run = Run(Region("in", .minor(Self.anna), place: "caf\u{E9}"))
    run.anna(.at("cafe\u{301}"), .at("caf\u{E9}"), .at("\u{1B}[2J\n"))
    #expect(
      run.lines == [
        "1 outside leftPlace", "2 enter cameToPlace", "2 inside cameToPlace", "3 exit leftPlace",
        "3 outside leftPlace",
      ]
    )
  }

  @Test func `an assumed state is left by a place, and kept while nothing is known`() {
    var run = Run(Self.region(), .standard, .assumed(.inside))
    run.place(nil, .unknown)
    run.anna(.at("kitchen"))
    #expect(run.lines == ["0 inside assumed assumed", "2 exit leftPlace", "2 outside leftPlace"])
  }

  @Test func `a region remembers no more beacons than fusion follows`() {
    var run = Run(Self.region(.uuid(RegionHarness.uuid)))
    for number in 0..<3000 {
      run.place(RegionHarness.beacon(UInt16(number), 7), .unknown)
    }
    run.place(RegionHarness.beacon(2999, 7), .at("hall"))
    #expect(run.lines == ["3001 inside cameToPlace"])
  }

  @Test(arguments: [
    BeaconPlace(anna, .at("hall"), hundredths: 97, heard: 3, deaf: 1),
    BeaconPlace(anna, .at("\u{1B}]0;\"\u{202E}"), hundredths: 100),
    BeaconPlace(bert, .unknown, hundredths: 50, deaf: 255), BeaconPlace(nil, .absent),
  ])
  func `a batch gives back the place that was appended`(_ place: BeaconPlace) throws {
    var batch = ScanBatch(bytes: [1, 2, 3])
    batch.append(place, at: RegionHarness.at(1))
    var copy = ScanBatch(bytes: [9])
    let input = batch.inputs[0]
    copy.append(input.at(RegionHarness.at(2)), pointingTo: batch.payload(of: input))
    guard case .place(var report) = copy.inputs[0] else {
      Issue.record("no place")
      return
    }
    #expect(report.time == RegionHarness.at(2))
    #expect(copy.place(of: report) == place)
    report.count = 7
    #expect(copy.place(of: report) == nil)
    report.start = 4_000_000_000
    #expect(copy.place(of: report) == nil)
    #expect(MemoryLayout<ScanInput>.stride == 32)
  }
}
