// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconMuseum

/// An adversary knows the method and every visit but one, and has the page, the table in each form, and a terminal's view of
/// a report with that visit, and of one without it.
@Suite struct ReportAdversaryTests {
  /// The exhibits, rooms and times of a visitor, in seconds from a quarter of an hour.
  private static func visits(_ count: Int, seed: UInt64, _ plan: Plan) -> [Visit] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      // The tests' start is 100 s before a quarter.
      let start = 110 + Double(random.next() % 4) * 900 + Double(random.next() % 50)
      var time = start + 10
      var stays: [(Int, Double, Double)] = []
      var rooms: [(Int, Double, Double)] = []
      for exhibit in plan.exhibits.indices where random.next() % 100 < 60 {
        let end = time + Double(5 + random.next() % 150)
        stays.append((exhibit, time, end))
        let major = plan.exhibits[exhibit].identity.major
        rooms.append((plan.rooms.firstIndex { $0.major == major } ?? 0, time - 2, end + 2))
        time = end + 20
      }
      return VisitStatisticsTests.visit(stays, rooms: rooms, from: start, to: time)
    }
  }

  /// Everything that is published of some visits.
  private static func outputs(_ visits: [Visit], _ plan: Plan) -> [String] {
    let report = VisitReport(visits, of: plan)
    return [
      report.html, report.csv, String(decoding: report.jsonLines, as: UTF8.self),
      report.rows.map { $0.joined(separator: "\t") }.joined(separator: "\n"),
    ]
  }

  /// The visit with another time in front of the exhibit of one stay.
  private static func changing(_ visit: Visit, stay: Int, to dwell: Double) -> Visit {
    var visit = visit
    visit.stays[stay].end = visit.stays[stay].start + TimeSpan(seconds: dwell)
    return visit
  }

  @Test(.slow, arguments: [6, 21, 60])
  func `of no stay more than the step of the grid can be computed`(count: Int) throws {
    let plan = try PlanTests.fixture()
    for seed in 1...UInt64(2) {
      let visits = Self.visits(count, seed: seed, plan)
      let victim = try #require(visits.last)
      for (index, stay) in victim.stays.enumerated().prefix(2) {
        // The dwells with which the method gives the table that the adversary has.
        let table = VisitReport(visits, of: plan).csv
        let usual = SmallCellSuppression.usual
        let step = (5...200).map { Double($0) }
          .filter { usual.coarse(visit: $0) == usual.coarse(visit: stay.dwell) }
        let fitting = step.filter { dwell in
          let changed = Self.changing(victim, stay: index, to: dwell)
          return VisitReport(visits.dropLast() + [changed], of: plan).csv == table
        }
        #expect(fitting == step && step.count >= 10, "\(stay.dwell): \(fitting)")
        // Nor with all that is published, from either end of the step.
        let all = Self.outputs(visits, plan)
        for dwell in [step.first, step.last].compactMap(\.self) {
          let changed = Self.changing(victim, stay: index, to: dwell)
          #expect(Self.outputs(visits.dropLast() + [changed], plan) == all)
        }
      }
    }
  }

  @Test func `nor with reports of many periods that overlap`() throws {
    let plan = try PlanTests.fixture()
    let visits = Self.visits(40, seed: 3, plan)
    let victim = try #require(visits.last { !$0.stays.isEmpty })
    let others = visits.filter { $0 != victim }
    let dwell = victim.stays[0].dwell
    let usual = SmallCellSuppression.usual
    let step = (5...200).map { Double($0) }.filter {
      usual.coarse(visit: $0) == usual.coarse(visit: dwell)
    }
    // Each period has other visits with the victim's; what fits to all of their reports is the whole step.
    let fitting = step.filter { dwell in
      let changed = Self.changing(victim, stay: 0, to: dwell)
      return (0..<30).allSatisfy { first in
        let period = others[first..<min(first + 25, others.count)]
        return VisitReport(period + [changed], of: plan).csv
          == VisitReport(period + [victim], of: plan).csv
      }
    }
    #expect(fitting == step && step.count >= 10)
  }

  @Test func `a visit to a place with few others is not published`() throws {
    let plan = try PlanTests.fixture()
    let usual = VisitStatisticsTests.visit(
      [(0, 150, 180)],
      rooms: [(0, 140, 190)],
      from: 110,
      to: 700
    )
    var other = usual
    // The same visit, and a minute in front of another exhibit of another room.
    other.stays.append(contentsOf: VisitStatisticsTests.visit([(7, 300, 360)]).stays)
    other.rooms.append(contentsOf: VisitStatisticsTests.visit([], rooms: [(1, 290, 370)]).rooms)
    for others in 0...3 {
      let known = Array(repeating: usual, count: 40) + Array(repeating: other, count: others)
      #expect(Self.outputs(known + [usual], plan) == Self.outputs(known + [other], plan))
    }
    // Nor that a visitor came at all, unless with them a count reaches the next five.
    let known = Array(repeating: usual, count: 41)
    #expect(Self.outputs(known, plan) == Self.outputs(known + [other], plan))
    #expect(Self.outputs(known.dropLast(2), plan) != Self.outputs(known.dropLast(), plan))
  }

  @Test func `a visitor who stays long, or comes again and again, changes no figure of many`()
    throws
  {
    let plan = try PlanTests.fixture()
    func visit(_ stays: [(Int, Double, Double)], proximity: Proximity = .near) -> Visit {
      var visit = VisitStatisticsTests.visit(stays, rooms: [(0, 140, 4190)], from: 110, to: 4200)
      for index in visit.stays.indices {
        let stay = visit.stays[index]
        visit.stays[index].nearness = Nearness()
        visit.stays[index].nearness.add((stay.end - stay.start).seconds, at: proximity)
      }
      return visit
    }
    /// A minute in front of the first exhibit, or of the first two by turns, thirty times.
    func again(_ exhibits: Int) -> Visit {
      let starts = (0..<30).map { 150 + Double($0) * 100 }
      return visit(starts.enumerated().map { ($0.offset % exhibits, $0.element, $0.element + 60) })
    }
    let usual = visit([(0, 150, 210)])
    var others = [visit([(0, 150, 450)]), visit([(0, 150, 4150)])]
    others += [visit([(0, 150, 4150)], proximity: .far), again(1), again(2)]
    for count in [25, 28] {
      let known = Array(repeating: usual, count: count)
      let published = Self.outputs(known + [usual], plan)
      for other in others { #expect(Self.outputs(known + [other], plan) == published) }
    }
  }

  @Test func `the first arrival, the last departure and a carried beacon are not published`() throws
  {
    let plan = try PlanTests.fixture()
    let usual = VisitStatisticsTests.visit(
      [(0, 4150, 4180)],
      rooms: [(0, 4140, 4190)],
      from: 4110,
      to: 4700
    )
    let known = Array(repeating: usual, count: 41)
    for (from, to) in [(10.0, 4700.0), (4110, 90_000), (10, 90_000)] {
      var long = usual
      (long.start, long.end) = (TestScan.at(from), TestScan.at(to))
      #expect(Self.outputs(known + [usual], plan) == Self.outputs(known + [long], plan))
    }
    var carrier = usual
    carrier.strangers = [
      Visit.Stranger(identity: BeaconIdentity(uuid: 7, major: 7, minor: 7), reports: 4711)
    ]
    #expect(Self.outputs(known + [usual], plan) == Self.outputs(known + [carrier], plan))
  }
}
