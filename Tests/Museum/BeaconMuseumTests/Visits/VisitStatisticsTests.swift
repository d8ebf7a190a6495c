// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// Statistics of invented visits, with each expected value computed by hand.
@Suite struct VisitStatisticsTests {
  /// A visit with stays of (exhibit, from, to) and rooms of (room, from, to), in seconds from the tests' start.
  static func visit(
    _ stays: [(Int, Double, Double)],
    rooms: [(Int, Double, Double)] = [],
    from start: Double = 0,
    to end: Double = 600
  ) -> Visit {
    Visit(
      start: TestScan.at(start),
      end: TestScan.at(end),
      stays: stays.map {
        Visit.Stay(
          exhibit: $0.0,
          start: TestScan.at($0.1),
          end: TestScan.at($0.2),
          nearness: Nearness(immediate: 1, near: 3)
        )
      },
      rooms: rooms.map {
        Visit.RoomStay(room: $0.0, start: TestScan.at($0.1), end: TestScan.at($0.2))
      }
    )
  }

  private static func statistics(_ visits: [Visit]) throws -> VisitStatistics {
    VisitStatistics(visits, of: try PlanTests.fixture())
  }

  @Test func `attraction is the share of a room's visitors who stopped`() throws {
    let statistics = try Self.statistics([
      Self.visit([(0, 10, 30)], rooms: [(0, 0, 100)]),
      Self.visit([], rooms: [(0, 0, 100)]),
      Self.visit([(0, 10, 14)], rooms: [(0, 0, 100)]),
      Self.visit([(5, 10, 40)], rooms: [(1, 0, 100)]),
    ])
    #expect(statistics.exhibits[0].passed == 3)
    #expect(statistics.exhibits[0].visitors == 1)
    #expect(statistics.exhibits[0].attraction == 1.0 / 3)
    #expect(statistics.exhibits[5].attraction == 1)
    #expect(statistics.exhibits[10].attraction == nil)
  }

  @Test
  func `holding is the mean over the time it needs, re-attraction the visits after the first`()
    throws
  {
    let statistics = try Self.statistics([
      Self.visit([(0, 0, 10), (1, 20, 30), (0, 40, 70)]),
      Self.visit([(0, 0, 20)]),
    ])
    let sundial = statistics.exhibits[0]
    #expect(sundial.visits == 3)
    #expect(sundial.dwell?.mean == 20)
    // The plan has 20 s for the sundial.
    #expect(sundial.holding == 1)
    #expect(sundial.reattraction == 0.5)
    #expect(statistics.exhibits[1].reattraction == 0)
    #expect(statistics.exhibits[2].reattraction == nil)
  }

  @Test func `nearness adds up, and its shares leave unknown out`() throws {
    let statistics = try Self.statistics([Self.visit([(0, 0, 10), (0, 20, 30)])])
    let shares = try #require(statistics.exhibits[0].nearness.shares)
    #expect(shares.immediate == 0.25 && shares.near == 0.75 && shares.far == 0)
    #expect(Nearness(unknown: 5).shares == nil)
  }

  @Test func `quantiles lie between the nearest ranks`() throws {
    let distribution = try #require(Distribution([4, 1, 3, 2]))
    #expect(distribution.median == 2.5)
    #expect(distribution.lowerQuartile == 1.75)
    #expect(distribution.upperQuartile == 3.25)
    #expect(Distribution([7])?.ninthDecile == 7)
    #expect(Distribution([]) == nil)
  }

  @Test func `transitions count visitors; staying is not a transition`() throws {
    let statistics = try Self.statistics([
      Self.visit([(0, 0, 10), (1, 20, 30), (0, 40, 50), (1, 60, 70)]),
      Self.visit([(0, 0, 10), (0, 20, 30), (1, 40, 50)]),
    ])
    #expect(
      statistics.exhibitTransitions == [
        Transition(from: 0, to: 1, count: 3, visitors: 2),
        Transition(from: 1, to: 0, count: 1, visitors: 1),
      ]
    )
  }

  @Test func `a step leads through the plan's doors, or is not counted`() throws {
    // From Time to Sea there are doors only through Sky; to the cafeteria a way leads through Weather.
    let visits = [Self.visit([], rooms: [(0, 0, 10), (2, 10, 20)])]
    let statistics = try Self.statistics(visits)
    #expect(
      statistics.roomTransitions.map { [$0.from, $0.to, $0.count] } == [[0, 1, 1], [1, 2, 1]]
    )
    #expect(statistics.paths.map(\.rooms) == [[0, 1, 2]])
    #expect(statistics.rooms[1].visitors == 0)
    var plan = try PlanTests.fixture()
    plan.floors[0].doors.removeFirst(2)
    let apart = VisitStatistics(visits, of: plan)
    #expect(
      apart.roomTransitions.map { [$0.from, $0.to] } == [[0, 4], [3, 2], [4, 5], [5, 3]]
    )
    plan.floors[0].doors = [Plan.Point(10, 3.5)]
    #expect(VisitStatistics(visits, of: plan).roomTransitions.isEmpty)
    plan.floors[0].doors = []
    #expect(
      VisitStatistics(visits, of: plan).roomTransitions.map { [$0.from, $0.to] } == [[0, 2]]
    )
  }

  @Test func `ways through the rooms are counted, the most frequent first`() throws {
    let there = [(0, 0.0, 10.0), (1, 10.0, 20.0)]
    let statistics = try Self.statistics([
      Self.visit([], rooms: [(1, 0, 10)]), Self.visit([], rooms: there),
      Self.visit([], rooms: there),
    ])
    #expect(statistics.paths.map(\.rooms) == [[0, 1], [1]])
    #expect(statistics.paths.map(\.visitors) == [2, 1])
    #expect(statistics.unreached.count == 24)
  }

  @Test func `occupancy counts quarters of an hour and the peak`() throws {
    // The tests' start is 13 min 20 s past a quarter.
    let statistics = try Self.statistics([
      Self.visit([], from: 0, to: 60), Self.visit([], from: 60, to: 120),
      Self.visit([], from: 110, to: 1000),
    ])
    #expect(statistics.occupancy.map(\.visitors) == [2, 2, 1])
    #expect(statistics.occupancy.map(\.peak) == [1, 2, 1])
    #expect(statistics.occupancy.allSatisfy { $0.start.microseconds % 900_000_000 == 0 })
  }

  @Test func `a recording of years makes no table of years`() throws {
    let visit = Visit(start: .earliest, end: .latest)
    let statistics = try Self.statistics([visit])
    #expect(statistics.occupancy.count <= 672)
    #expect(statistics.occupancy.allSatisfy { $0.visitors == 1 })
    #expect(visit.spanRemark?.contains(" days, from 1970-01-01 to 9999-12-31") == true)
  }

  @Test func `visits of more than a week are shown by days, none left out`() throws {
    let second = Self.visit([], from: 30 * 86_400, to: 30 * 86_400 + 60)
    let statistics = try Self.statistics([Self.visit([], from: 0, to: 60), second])
    #expect(statistics.occupancyUnit == .seconds(86_400))
    #expect(statistics.occupancy.count == 31)
    #expect(statistics.occupancy.map(\.visitors).reduce(0, +) == 2)
    #expect(second.spanRemark == nil)
  }

  @Test func `no visits have no figures`() throws {
    let statistics = try Self.statistics([])
    #expect(statistics.length == nil && statistics.occupancy.isEmpty && statistics.diligent == nil)
  }

  @Test func `stays at exhibits outside the plan are left out`() throws {
    let statistics = try Self.statistics([
      Self.visit([(99, 0, 10), (-1, 0, 10)], rooms: [(77, 0, 9)])
    ])
    #expect(statistics.exhibits.allSatisfy { $0.visits == 0 })
  }

  @Test func `figures about fewer than five are withheld, also about none`() {
    #expect((0...30).filter(SmallCellSuppression.usual.shows) == Array(5...30))
    #expect((0...6).allSatisfy(SmallCellSuppression.everything.shows))
    #expect((0...30).filter(SmallCellSuppression.usual.showsSummary) == Array(20...30))
    #expect((0...30).allSatisfy(SmallCellSuppression.everything.showsSummary))
    #expect((0...60).filter(SmallCellSuppression.usual.showsDecile) == Array(50...60))
    // One count stands for all that are withheld: a drawing or an order made of them tells nothing.
    #expect(
      (0...11).map(SmallCellSuppression.usual.published) == [0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10]
    )
  }

  @Test func `times are on a grid of ten seconds, from two minutes on of a minute`() {
    let usual = SmallCellSuppression.usual
    #expect([4, 14.9, 15, 119, 149, 151].map { usual.coarse($0) } == [0, 10, 20, 120, 120, 180])
    #expect([5, 9, 16].map { usual.coarse(visit: $0) } == [10, 10, 20])
    #expect(SmallCellSuppression.everything.coarse(14.9) == 14.9)
  }
}
