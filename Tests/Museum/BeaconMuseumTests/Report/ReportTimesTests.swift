// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// An adversary reads the table of a report, and computes how many visitors an exhibit had and how long each stayed.
@Suite struct ReportTimesTests {
  /// Visits within a quarter of an hour, each with some of the exhibits; all visitors come at the same time.
  ///
  /// - Parameters:
  ///   - seed: Decides which exhibits each visitor visits.
  ///   - visitors: How many visitors come.
  ///   - times: Decides how long they stay and how near they stand.
  private static func visits(_ seed: UInt64, _ visitors: Int, times: UInt64, _ plan: Plan)
    -> [Visit]
  {
    var random = SplitMix64(seed: seed)
    var duration = SplitMix64(seed: times)
    let popularity = plan.exhibits.map { _ in UInt64(5) + random.next() % 90 }
    // The tests' start is 100 s before a quarter.
    let start = 110.0
    return (0..<visitors).map { _ in
      var time = start
      var stays: [(Int, Double, Double)] = []
      var rooms: [(Int, Double, Double)] = []
      for (index, exhibit) in plan.exhibits.enumerated()
      where random.next() % 100 < popularity[index] {
        let end = time + Double(5 + duration.next() % 20)
        stays.append((index, time, end))
        let room = plan.rooms.firstIndex { $0.major == exhibit.identity.major } ?? 0
        rooms.append((room, time, end + 1))
        time = end + 1
      }
      let end = time + Double(duration.next() % 200)
      var visit = VisitStatisticsTests.visit(stays, rooms: rooms, from: start, to: end)
      for index in visit.stays.indices {
        let near = Double(duration.next() % 5)
        visit.stays[index].nearness = Nearness(immediate: 5 - near, near: near, far: 1)
      }
      return visit
    }
  }

  // MARK: The adversary

  /// A row of the table that has figures of times.
  private struct Row {
    let shown: Int
    let mean: Double
    /// The quartiles and the ninth decile.
    let quantiles: [(share: Double, value: Double)]

    init?(_ line: Substring) {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard let shown = Int(fields[7]), let mean = Double(fields[10]) else { return nil }
      (self.shown, self.mean) = (shown, mean)
      quantiles = zip([0.25, 0.5, 0.75, 0.9], fields[11...14]).compactMap { share, field in
        Double(field).map { (share, $0) }
      }
    }

    /// The numbers of visits and the totals that are possible: dwells are whole seconds, and a quantile of them is a
    /// fraction that follows from their number.
    var possible: [(visits: Int, total: Double)] {
      (shown..<(shown + 5)).compactMap { count in
        let total = (mean * Double(count)).rounded()
        guard (mean * Double(count) - total).magnitude <= 0.0005 * Double(count) + 1e-9 else {
          return nil
        }
        let isPossible = quantiles.allSatisfy { share, value in
          let place = share * Double(count - 1)
          let thousandths = Int(((place - place.rounded(.down)) * 1000).rounded())
          let denominator = Double(thousandths == 0 ? 1 : 1000 / Self.divisor(thousandths, 1000))
          return (value * denominator - (value * denominator).rounded()).magnitude
            <= 0.002 * denominator
        }
        return isPossible ? (count, total) : nil
      }
    }

    /// The dwells of five visits: with five, each quartile is one of them.
    var five: [Double]? {
      guard possible.count == 1, possible[0].visits == 5 else { return nil }
      let middle = quantiles.prefix(3).map(\.value)
      let longest = (middle[2] + (quantiles[3].value - middle[2]) / 0.6).rounded()
      return ([possible[0].total - middle.reduce(0, +) - longest] + middle + [longest]).sorted()
    }

    /// The dwells of a visitor whom this report covers and another one does not.
    func differences(to other: Row) -> Set<Double> {
      Set(
        possible.flatMap { mine in
          other.possible.filter { $0.visits == mine.visits - 1 }.map { mine.total - $0.total }
        }.filter { $0 > 0 }
      )
    }

    private static func divisor(_ first: Int, _ second: Int) -> Int {
      second == 0 ? first : divisor(second, first % second)
    }
  }

  private static func rows(_ visits: [Visit], _ plan: Plan, _ rule: SmallCellSuppression) -> [Row?]
  {
    VisitReport(visits, of: plan, suppression: rule).csv.split(separator: "\r\n").dropFirst()
      .map { Row($0) }
  }

  /// The adversary's findings.
  private struct Findings {
    var counts = 0
    var fives = 0
    var differences = 0
    var rows = 0
  }

  private static func findings(_ rule: SmallCellSuppression) throws -> Findings {
    let plan = try PlanTests.fixture()
    var found = Findings()
    for seed in 1...UInt64(10) {
      for visitors in [14, 40] {
        let visits = visits(seed, visitors, times: seed, plan)
        let statistics = VisitStatistics(visits, of: plan)
        let last = VisitStatistics(Array(visits.suffix(1)), of: plan)
        let (all, others) = (rows(visits, plan, rule), rows(visits.dropLast(), plan, rule))
        for (index, exhibit) in statistics.exhibits.enumerated()
        where exhibit.visitors > 0 {
          guard let row = all[index] else { continue }
          found.rows += 1
          if row.possible.map(\.visits) == [exhibit.visits] { found.counts += 1 }
          let dwells = visits.flatMap(\.stays).filter { $0.exhibit == index }.map(\.dwell).sorted()
          if row.five == dwells { found.fives += 1 }
          if let other = others[index], let own = last.exhibits[index].dwell?.total,
            row.differences(to: other) == [own]
          {
            found.differences += 1
          }
        }
      }
    }
    return found
  }

  // MARK: Tests

  @Test func `tables determine no count and no dwell, also two that differ by one visitor`() throws
  {
    let found = try Self.findings(.usual)
    #expect(found.rows > 100 && found.counts == 0 && found.fives == 0, "\(found)")
    // Dwells are 5 to 24 s: a guess of 10 s is right once in twenty times.
    #expect(found.differences * 8 < found.rows, "\(found)")
  }

  @Test func `the same adversary recovers counts and dwells if exact times are shown`() throws {
    let found = try Self.findings(.everything)
    #expect(found.counts > 100 && found.fives > 0 && found.differences > 10, "\(found)")
  }

  @Test(arguments: [5, 12, 19])
  func `nothing of a report depends on how long fewer than twenty visitors stayed`(visitors: Int)
    throws
  {
    #expect(try Self.outputs(visitors, times: 1) == Self.outputs(visitors, times: 2))
  }

  @Test func `the times of more visitors are shown`() throws {
    for (one, other) in zip(try Self.outputs(60, times: 1), try Self.outputs(60, times: 2)) {
      #expect(one != other)
    }
  }

  /// The page, the table in each form, and a terminal's view.
  private static func outputs(_ visitors: Int, times: UInt64) throws -> [String] {
    let plan = try PlanTests.fixture()
    let report = VisitReport(visits(7, visitors, times: times, plan), of: plan)
    let lines = report.rows.map { $0.joined(separator: "\t") }.joined(separator: "\n")
    return [report.html, report.csv, String(decoding: report.jsonLines, as: UTF8.self), lines]
  }

  @Test func `a figure that follows from rounded ones is a range that contains the exact one`() {
    let usual = SmallCellSuppression.usual
    for whole in 5...60 {
      for part in 0...whole {
        let share = usual.share(usual.published(part), of: usual.published(whole))
        #expect(share?.contains(Double(part) / Double(whole)) ?? false, "\(part) of \(whole)")
      }
      for visits in whole...(2 * whole) {
        let again = usual.again(usual.published(visits), of: usual.published(whole))
        let exact = Double(visits - whole) / Double(whole)
        #expect(again?.contains(exact) ?? false, "\(visits) of \(whole)")
      }
    }
    #expect(usual.share(5, of: 20).map(ReportNumber.percent) == "21–45 %")
    #expect(usual.again(10, of: 5).map(ReportNumber.ratio) == "0.11–1.80")
    #expect(usual.holding(30, of: 60) == (20.0 / 60)...(40.0 / 60))
    let all = SmallCellSuppression.everything
    #expect(all.share(1, of: 3).map(ReportNumber.percent) == "33 %")
    #expect(all.again(4, of: 3).map(ReportNumber.ratio) == "0.33")
    #expect(all.holding(30, of: 60) == 0.5...0.5)
  }

  @Test func `shares of a whole add up to a hundred`() {
    #expect(ReportNumber.percents([1.0 / 3, 1.0 / 3, 1.0 / 3]) == ["34 %", "33 %", "33 %"])
    #expect(ReportNumber.percents([0.005, 0.005, 0.99]) == ["1 %", "0 %", "99 %"])
    #expect(ReportNumber.percents([0, 0, 1]) == ["0 %", "0 %", "100 %"])
  }
}
