// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The findings of walks through simulated halls and rooms, with shadows, bodies, losses and beacons of different power.
@Suite struct DoctorWalksTests {
  private typealias Fault = PlanExamination.Fault

  /// The findings on a walk that are wrong: all but the expected ones.
  private static func wrong(
    _ walk: DoctorWalk,
    seed: UInt64,
    expecting faulty: Set<Int> = []
  ) throws -> [String] {
    try walk.examination(seed: seed).result.beacons.enumerated().flatMap { index, beacon in
      faulty.contains(index) ? [] : beacon.faults.map { "\(index): \($0)" }
    }
  }

  private static func isWeak(_ faults: [Fault]) -> Bool {
    if case .weak? = faults.first { true } else { false }
  }

  /// The number of wrong findings on some walks through a hall without faults.
  private static func wrong(in hall: Plan, seeds: ClosedRange<UInt64>) throws -> [String] {
    try seeds.flatMap { try wrong(DoctorWalk(hall), seed: $0) }
  }

  @Test(.slow) func `good beacons of an open hall have no finding`() throws {
    for count in [30, 48] {
      let found = try Self.wrong(in: DoctorWalk.hall(count, apart: 5), seeds: 1...4)
      #expect(found.count <= 2, "\(count): \(found)")
    }
    let found = try Self.wrong(in: DoctorWalk.hall(120, apart: 5), seeds: 1...1)
    #expect(found.count <= 1, "\(found)")
  }

  @Test(.slow) func `in an open hall a weak beacon is weak, and none is exchanged`() throws {
    let plan = DoctorWalk.hall(30, apart: 5)
    var weak = 0
    for (seed, index) in zip(1...6 as ClosedRange<UInt64>, [3, 8, 14, 17, 22, 29]) {
      var walk = DoctorWalk(plan)
      walk.losses = [index: 15]
      let beacons = try walk.examination(seed: seed).result.beacons
      if Self.isWeak(beacons[index].faults) { weak += 1 }
      let moved = beacons.flatMap(\.faults).filter {
        switch $0 {
        case .swapped, .inPlace: true
        default: false
        }
      }
      #expect(moved.isEmpty, "\(seed): \(moved)")
    }
    #expect(weak >= 4, "\(weak)")
  }

  @Test(.slow) func `exchanged beacons of different rooms, missing ones and twins are found`()
    throws
  {
    let plan = DoctorWalk.rooms(8)
    var found = 0
    for seed in 1...4 as ClosedRange<UInt64> {
      let (first, second) = (Int(seed), 30 - 3 * Int(seed))
      var walk = DoctorWalk(plan)
      walk.homes = [first: second, second: first]
      walk.silent = [12]
      walk.twins = [20: 2]
      let beacons = try walk.examination(seed: seed).result.beacons
      #expect(beacons[12].faults == [.missing], "\(seed)")
      #expect(beacons[20].faults.first == .twice, "\(seed)")
      if beacons[first].faults == [.swapped(with: second)] { found += 1 }
    }
    #expect(found >= 3, "\(found)")
  }

  @Test func `a walk through another building finds nothing, and has a reason`() throws {
    var walk = DoctorWalk(DoctorWalk.hall(16, apart: 5))
    // Each beacon hangs in the place of one far away.
    for index in 0..<16 { walk.homes[index] = index * 7 % 16 }
    let result = try walk.examination(seed: 1).result
    guard case .elsewhere(let count, of: let all)? = result.doubt else {
      Issue.record("\(result.beacons.map(\.faults))")
      return
    }
    #expect(count > all / 5)
    #expect(result.beacons.allSatisfy { $0.faults.allSatisfy { $0 == .notReached } })
    var bare = walk.plan
    for index in bare.exhibits.indices { bare.exhibits[index].position = nil }
    #expect(PlanExamination(bare).result.doubt == .noPlaces)
  }
}
