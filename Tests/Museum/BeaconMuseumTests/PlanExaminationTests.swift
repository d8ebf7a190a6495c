// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The faults of a museum's beacons, on walks with the levels of a body and of fading.
@Suite struct PlanExaminationTests {
  /// A walk past every exhibit, three meters before and eight seconds in front of each.
  private struct Walk {
    var plan: Plan
    /// The place of each exhibit's beacon, by its index, if it is another one than the plan's.
    var places: [Int: Plan.Point] = [:]
    /// How much weaker a beacon is than in the plan, in dB.
    var losses: [Int: Double] = [:]
    var silent: Set<Int> = []
    /// Further beacons with the identity of an exhibit.
    var twins: [(index: Int, place: Plan.Point)] = []
    var visits: [Int]

    init(_ plan: Plan) {
      self.plan = plan
      visits = Array(plan.exhibits.indices)
    }

    func examination(seed: UInt64 = 1) -> PlanExamination {
      var random = SplitMix64(seed: seed)
      var examination = PlanExamination(plan)
      var now = 0.0
      for index in visits {
        let goal = places[index] ?? plan.exhibits[index].position ?? Plan.Point(0, 0)
        for away in [3.0, 2, 1, 1, 1, 1, 1, 1, 1, 2] {
          receive(from: goal + Plan.Point(0, away * 0.8), at: now, &random, &examination)
          now += 1
        }
      }
      return examination
    }

    private func receive(
      from here: Plan.Point,
      at now: Double,
      _ random: inout SplitMix64,
      _ examination: inout PlanExamination
    ) {
      let senders =
        plan.exhibits.indices.filter { !silent.contains($0) }.map { index in
          (index: index, place: places[index] ?? plan.exhibits[index].position, address: 1)
        } + twins.map { (index: $0.index, place: $0.place, address: 2) }
      for report in 0..<5 {
        for sender in senders {
          guard let place = sender.place else { continue }
          let exhibit = plan.exhibits[sender.index]
          let distance = max(0.7, here.distance(to: place))
          let wall = plan.room(at: here, level: 0)?.major == exhibit.identity.major ? 0.0 : 3.4
          var level = -59 - 24 * DeterministicMath.log10(distance) - wall - 4
          level += Double.random(in: -6...6, using: &random) - (losses[sender.index] ?? 0)
          guard level > -95 else { continue }
          examination.add(
            exhibit.identity,
            rssi: Int8(level.rounded()),
            from: DeviceAddress(UInt64(sender.index * 4 + sender.address), kind: .random),
            at: TestScan.at(now + Double(report) / 5)
          )
        }
      }
    }
  }

  private func walk() throws -> Walk { Walk(try PlanTests.fixture()) }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `good beacons have no finding`(seed: UInt64) throws {
    let beacons = try walk().examination(seed: seed).beacons
    #expect(beacons.allSatisfy { $0.faults.isEmpty && $0.best != nil }, "\(beacons.map(\.faults))")
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `a silent beacon is missing, and rooms without a walk are not reached`(seed: UInt64) throws {
    var walk = try walk()
    walk.silent = [2, 23]
    walk.visits = [0, 1, 3, 4]
    let beacons = walk.examination(seed: seed).beacons
    #expect(beacons[2].faults == [.missing])
    #expect(beacons[23].faults == [.notReached])
    #expect(beacons[0].faults.isEmpty && beacons[4].faults.isEmpty)
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `a weak beacon is weak, and no other`(seed: UInt64) throws {
    var walk = try walk()
    walk.losses = [7: 20]
    let beacons = walk.examination(seed: seed).beacons
    guard case .weak(let missing)? = beacons[7].faults.first else {
      Issue.record("\(beacons[7])")
      return
    }
    #expect((14...26).contains(missing))
    #expect(beacons.enumerated().allSatisfy { $0.offset == 7 || $0.element.faults.isEmpty })
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `two beacons in each other's places are swapped`(seed: UInt64) throws {
    for (first, second) in [(0, 2), (1, 12), (6, 16)] {
      var walk = try walk()
      walk.places = [
        first: try #require(walk.plan.exhibits[second].position),
        second: try #require(walk.plan.exhibits[first].position),
      ]
      let beacons = walk.examination(seed: seed).beacons
      #expect(beacons[first].faults == [.swapped(with: second)], "\(first) \(second)")
      #expect(beacons[second].faults == [.swapped(with: first)], "\(first) \(second)")
      let others = beacons.enumerated().filter { ![first, second].contains($0.offset) }
      #expect(others.allSatisfy { $0.element.faults.isEmpty }, "\(others.map(\.element.faults))")
    }
  }

  @Test func `three beacons in a circle are not two that are swapped`() throws {
    var walk = try walk()
    for (beacon, place) in [(0, 6), (6, 12), (12, 0)] {
      walk.places[beacon] = walk.plan.exhibits[place].position
    }
    let beacons = walk.examination().beacons
    #expect(beacons[0].faults == [.inPlace(of: 6)])
    #expect(beacons[6].faults == [.inPlace(of: 12)])
    #expect(beacons[12].faults == [.inPlace(of: 0)])
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `all beacons of a silent room are missing after a walk through it`(seed: UInt64) throws {
    var walk = try walk()
    walk.silent = [5, 6, 7, 8, 9]
    let beacons = walk.examination(seed: seed).beacons
    #expect(beacons[5...9].allSatisfy { $0.faults == [.missing] }, "\(beacons.map(\.faults))")
    #expect(
      beacons.enumerated().allSatisfy { (5...9).contains($0.offset) || $0.element.faults.isEmpty }
    )
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `beacons that the walk did not come to have no fault`(seed: UInt64) throws {
    var walk = try walk()
    walk.visits = [0, 1, 2, 3, 4, 9, 6]
    walk.losses = [10: 12, 11: 12, 12: 12, 13: 12]
    let faults = walk.examination(seed: seed).beacons.flatMap(\.faults)
    #expect(faults.allSatisfy { $0 == .notReached }, "\(faults)")
  }

  @Test func `two transmitters of one identity are found, and a changed address is not`() throws {
    var walk = try walk()
    walk.twins = [(3, Plan.Point(22, 12))]
    let beacons = walk.examination().beacons
    #expect(beacons[3].faults.first == .twice)
    #expect(beacons[4].faults.isEmpty)
    var examination = PlanExamination(walk.plan)
    for second in 0..<40 {
      examination.add(
        walk.plan.exhibits[0].identity,
        rssi: -60,
        from: DeviceAddress(UInt64(second / 10), kind: .random),
        at: TestScan.at(Double(second))
      )
    }
    #expect(examination.beacons[0].faults.isEmpty)
  }

  @Test func `a low battery is a finding, in volts and in per cent`() throws {
    let walk = try walk()
    var examination = walk.examination()
    let identities = walk.plan.exhibits.map(\.identity)
    examination.add(Telemetry(volts: 2.2), of: identities[0])
    examination.add(Telemetry(volts: 2.9), of: identities[1])
    examination.add(Telemetry(percent: 10), of: identities[2])
    let beacons = examination.beacons
    #expect(beacons[0].faults == [.lowBattery] && beacons[2].faults == [.lowBattery])
    #expect(beacons[1].faults.isEmpty && beacons[1].telemetry?.volts == 2.9)
  }

  @Test
  func `a plan without places still finds missing beacons, and without reports nothing traps`()
    throws
  {
    var walk = try walk()
    let places = walk.plan.exhibits.map(\.position)
    for index in places.indices { walk.places[index] = places[index] }
    for index in walk.plan.exhibits.indices { walk.plan.exhibits[index].position = nil }
    walk.silent = [1]
    let beacons = walk.examination().beacons
    #expect(beacons[1].faults == [.missing])
    #expect(beacons[0].faults.isEmpty)
    #expect(PlanExamination(walk.plan).beacons.allSatisfy { $0.faults == [.notReached] })
  }
}
