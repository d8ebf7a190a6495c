// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Pages
import Testing

@testable import BeaconMuseum

/// An adversary reads the reports of three groups of the same visits, and computes the withheld figures.
@Suite struct ReportInferenceTests {
  /// A report's value of a count.
  private enum Figure {
    case few
    case exact(Int)
    case rounded(Int)
    /// The count is about few visitors, but may be larger itself.
    case aboutFew
    /// The table lists only what at least five visitors did.
    case unlisted
    /// The table of minutes ends where fewer than twenty visitors are still there.
    case tooFewForRow
    /// The table of the day has other times.
    case otherTimes

    var range: ClosedRange<Int> {
      switch self {
      case .few: 0...4
      case .exact(let count): count...count
      case .rounded(let count): count...(count + 4)
      case .aboutFew: 1...40
      case .unlisted: 0...4
      case .tooFewForRow: 0...19
      case .otherTimes: 0...40
      }
    }
  }

  /// The visits of a day: half of them in the morning, half of them of members, in four parts of eight visitors.
  private struct Day {
    let parts: [[Visit]]

    var all: [Visit] { parts.flatMap { $0 } }
    var morning: [Visit] { parts[0] + parts[1] }
    var members: [Visit] { parts[0] + parts[2] }

    init(seed: UInt64, _ plan: Plan) {
      var random = SplitMix64(seed: seed)
      let exhibits = plan.exhibits.count
      // A few exhibits draw many visitors and most of them some, as in any museum.
      let popularity = (0..<exhibits).map { _ in UInt64(5) + random.next() % 60 }
      parts = (0..<4).map { part in
        (0..<8).map { number in
          let start = Double(part / 2 * 14_400 + number * 300)
          var time = start + 20
          var stays: [(Int, Double, Double)] = []
          var rooms: [(Int, Double, Double)] = []
          for exhibit in 0..<exhibits where random.next() % 100 < popularity[exhibit] {
            let dwell = Double(10 + random.next() % 120)
            stays.append((exhibit, time, time + dwell))
            let major = plan.exhibits[exhibit].identity.major
            let room = plan.rooms.firstIndex { $0.major == major } ?? 0
            rooms.append((room, time - 5, time + dwell + 5))
            time += dwell + 30
          }
          return VisitStatisticsTests.visit(stays, rooms: rooms, from: start, to: time)
        }
      }
    }
  }

  // MARK: What reports show

  /// The columns whose figures add up over groups of visitors, by the start of their table's caption.
  private static func isCount(_ caption: String, _ head: String) -> Bool {
    if caption.hasPrefix("Visitors") { return head != "Most" && head != "From" && head != "Minute" }
    return ["Visitors", "Visits", "Steps"].contains(head)
  }

  private static func texts(_ html: String, _ element: String) -> [String] {
    html.components(separatedBy: "<\(element)").dropFirst().compactMap { part in
      guard let end = part.range(of: "</\(element)>"), let start = part.firstIndex(of: ">") else {
        return nil
      }
      return String(part[part.index(after: start)..<end.lowerBound])
    }
  }

  private static func plain(_ html: String) -> String {
    html.replacing(/<[^>]*>/, with: "")
  }

  /// The counts of a page, by table, row and column.
  private static func figures(_ html: String) -> [String: Figure] {
    var figures: [String: Figure] = [:]
    for table in texts(html, "table") {
      let caption = plain(texts(table, "caption").first ?? "")
      let heads = texts(texts(table, "thead").first ?? "", "th").map(plain)
      for row in texts(texts(table, "tbody").first ?? "", "tr") {
        let cells = row.components(separatedBy: "<t").dropFirst()
          .filter { $0.hasPrefix("h ") || $0.hasPrefix("d") }.map { plain("<t" + $0) }
        let names = zip(heads, cells).filter { !isCount(caption, $0.0) }
        // Rows are known by their names, not by their other figures.
        let name = names.prefix(caption.hasPrefix("Trans") || caption.contains("trans") ? 2 : 1)
          .map(\.1).joined(separator: "|")
        for (head, cell) in zip(heads, cells) where isCount(caption, head) {
          let figure = cell == "few" ? Figure.few : Int(cell).map { .rounded($0) }
          if let figure { figures["\(caption)|\(name)|\(head)"] = figure }
        }
      }
    }
    return figures
  }

  /// The counts of the rule that withholds small counts, and shows all others exactly.
  private static func exactFigures(_ statistics: VisitStatistics) -> [String: Figure] {
    var figures: [String: Figure] = [:]
    func add(_ name: String, _ count: Int, of visitors: Int) {
      figures[name] =
        visitors == 0 || SmallCellSuppression.usual.shows(visitors) ? .exact(count) : .few
    }
    for entry in statistics.exhibits {
      add("\(entry.exhibit)|Visitors", entry.visitors, of: entry.visitors)
    }
    for entry in statistics.rooms { add("room \(entry.room)", entry.visitors, of: entry.visitors) }
    return figures
  }

  // MARK: The adversary

  /// The values that a figure of each group may have, given three reports and the sizes of the four parts.
  ///
  /// The groups are the three that have a report, and those without one: the afternoon, the guests, and the parts.
  private static func possible(
    _ all: Figure,
    _ morning: Figure,
    _ members: Figure,
    isLimited: Bool
  ) -> [String: Set<Int>] {
    let size = isLimited ? 8 : 40
    var possible: [String: Set<Int>] = [:]
    for first in 0...size {
      for second in 0...size where morning.range.contains(first + second) {
        for third in 0...size where members.range.contains(first + third) {
          let rest = all.range
          let known = first + second + third
          let least = max(0, rest.lowerBound - known)
          for fourth in least..<max(least, size + 1) {
            guard rest.contains(known + fourth) else { break }
            possible["all", default: []].insert(known + fourth)
            possible["morning", default: []].insert(first + second)
            possible["members", default: []].insert(first + third)
            possible["afternoon", default: []].insert(third + fourth)
            possible["guests", default: []].insert(second + fourth)
            for (part, count) in [first, second, third, fourth].enumerated() {
              possible["part \(part)", default: []].insert(count)
            }
          }
        }
      }
    }
    return possible
  }

  private static let minutes = "Visitors in each room, by minutes"

  /// The minutes between the rows of the table of minutes; `nil` if it has at most one row.
  private static func minuteStep(_ figures: [String: Figure]) -> Int? {
    figures.keys.filter { $0.hasPrefix(minutes) }
      .compactMap { Int($0.split(separator: "|").dropFirst().first ?? "") }
      .filter { $0 > 0 }.min()
  }

  /// Whether a figure is the visitors still there at a minute for which tables of every step have a row.
  private static func isStillThere(_ name: String) -> Bool {
    let parts = name.split(separator: "|")
    guard parts.count == 3, let minute = Int(parts[1]) else { return false }
    return minute % 5 == 0 && parts[2] == "Visitors"
  }

  /// The figures from 1 to 4 that three reports determine.
  private static func recovered(
    _ all: [String: Figure],
    _ morning: [String: Figure],
    _ members: [String: Figure]
  ) -> [String] {
    var found: [String] = []
    var cache: [String: [String: Set<Int>]] = [:]
    // A table of minutes has rows for each minute or for each fifth. Those of different steps have only the visitors
    // who were still there in common: the figures of rooms are about the time until the next row.
    let haveOneStep = Set([all, morning, members].map(minuteStep)).count == 1
    for name in Set(all.keys).union(morning.keys).union(members.keys).sorted() {
      if name.hasPrefix(minutes), !haveOneStep, !isStillThere(name) { continue }
      let isListed = ["ransitions", "ways"].contains { name.contains($0) }
      let missing: Figure =
        name.hasPrefix(minutes)
        ? .tooFewForRow : name.hasPrefix("Visitors") ? .otherTimes : isListed ? .unlisted : .few
      let values = [all, morning, members].map { $0[name] ?? missing }
      // Visits and steps are not limited by the number of visitors.
      let isLimited = !name.hasSuffix("Visits") && !name.hasSuffix("Steps")
      if !isLimited, values.contains(where: { if case .unlisted = $0 { true } else { false } }) {
        continue
      }
      let known = values.map { value in
        if case .few = value, !isLimited { Figure.aboutFew } else { value }
      }
      // Many figures are alike, and each costs a search.
      let key = "\(known) \(isLimited)"
      let groups =
        cache[key] ?? possible(known[0], known[1], known[2], isLimited: isLimited)
      cache[key] = groups
      if groups.isEmpty { Issue.record("\(name) is impossible: \(values)") }
      for (group, counts) in groups.sorted(by: { $0.key < $1.key }) {
        if counts.count == 1, let count = counts.first, (1...4).contains(count) {
          found.append("\(group): \(name) is \(count)")
        }
      }
    }
    return found
  }

  // MARK: Tests

  @Test(.slow) func `three reports of different groups determine no figure that is withheld`()
    throws
  {
    let plan = try PlanTests.fixture()
    for seed in 1...UInt64(Effort.rounds(10)) {
      let day = Day(seed: seed, plan)
      let pages = [day.all, day.morning, day.members].map {
        Self.figures(VisitReport($0, of: plan).html)
      }
      // The adversary has something to work with: two figures of each exhibit, and half as many by times and rooms.
      let least = 3 * plan.exhibits.count
      #expect(pages.allSatisfy { $0.count > least }, "\(pages.map(\.count))")
      #expect(pages.joined().contains { if case .few = $0.value { true } else { false } })
      #expect(Self.recovered(pages[0], pages[1], pages[2]) == [], "seed \(seed)")
    }
  }

  @Test func `the same adversary recovers figures where only small counts are withheld`() throws {
    let plan = try PlanTests.fixture()
    var recovered = 0
    for seed in 1...UInt64(10) {
      let day = Day(seed: seed, plan)
      let figures = [day.all, day.morning, day.members].map {
        Self.exactFigures(VisitStatistics($0, of: plan))
      }
      let found = Self.recovered(figures[0], figures[1], figures[2])
      #expect(!found.isEmpty, "seed \(seed)")
      recovered += found.count
    }
    #expect(recovered > 10)
  }

  @Test func `every count of a page is rounded, and no row tells of few visitors by its place`()
    throws
  {
    let plan = try PlanTests.fixture()
    for seed in 1...UInt64(5) {
      let visits = Day(seed: seed, plan).all + Day(seed: seed + 100, plan).morning.dropLast()
      let report = VisitReport(Array(visits), of: plan)
      for (name, figure) in Self.figures(report.html) {
        guard case .rounded(let count) = figure else { continue }
        #expect(count % 5 == 0, "\(name)")
      }
      #expect(!report.html.contains("Scarf plot of"))
      let shown = report.context.statistics
      #expect(shown.exhibitTransitions.allSatisfy { $0.visitors >= 5 && $0.count % 5 == 0 })
      let order = shown.exhibitTransitions.map { [-$0.count, $0.from, $0.to] }
      #expect(order == order.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(report.statistics.exhibitTransitions.contains { $0.visitors < 5 })
      for row in report.csv.split(separator: "\r\n").dropFirst() {
        let fields = row.split(separator: ",", omittingEmptySubsequences: false)
        for index in 5...7 where !fields[index].isEmpty {
          #expect((Int(fields[index]) ?? 1) % 5 == 0, "\(row)")
        }
      }
    }
  }

  @Test func `as lines of JSON the same is withheld as in the table of values`() throws {
    let report = VisitReport(
      Array(Day(seed: 2, try PlanTests.fixture()).all.prefix(8)),
      of: try PlanTests.fixture()
    )
    let values = report.csv.split(separator: "\r\n").dropFirst().map { row in
      row.split(separator: ",", omittingEmptySubsequences: false).count { $0.isEmpty }
    }
    let lines = String(decoding: report.jsonLines, as: UTF8.self).split(separator: "\n")
    #expect(lines.map { $0.matches(of: /:null/).count } == values)
    // Few of eight visitors saw some exhibits.
    #expect(values.contains { $0 >= 15 })
  }

  @Test(arguments: [1100, 1300, 6000] as [Double])
  func `the table of minutes does not depend on visits that are too few to show`(length: Double)
    throws
  {
    let plan = try PlanTests.fixture()
    func table(longest: Double) -> String {
      let visits = (0..<20).map { number in
        VisitStatisticsTests.visit(
          [],
          rooms: [(0, 0, 500)],
          from: 0,
          to: number < 4 ? longest : 600
        )
      }
      var page = Markup()
      ScarfSection(context: VisitReport(visits, of: plan).context).write(to: &page)
      return page.text
    }
    #expect(table(longest: length) == table(longest: 700))
    #expect(Self.minuteStep(Self.figures(table(longest: length))) == 5)
  }

  @Test func `what a page is made of has nothing of few visitors`() throws {
    let plan = try PlanTests.fixture()
    for seed in 1...UInt64(5) {
      let report = VisitReport(Day(seed: seed, plan).morning, of: plan)
      let shown = report.context.statistics
      #expect(shown.rooms.allSatisfy { $0.visitors >= 20 || $0.time == nil })
      #expect(shown.exhibits.allSatisfy { $0.visitors >= 5 || $0.visits == 0 })
      #expect(shown.length == nil && shown.exhibitsSeen == nil)
      #expect(shown.paths.allSatisfy { $0.visitors >= 5 && $0.visitors % 5 == 0 })
      let peaks = shown.occupancy.map { $0.peak }
      #expect(peaks.allSatisfy { $0 % 5 == 0 })
      if let diligent = shown.diligent {
        #expect(Int((diligent * Double(shown.visitors)).rounded()) % 5 == 0)
      }
    }
  }

  @Test func `totals and shares follow from the rounded counts`() throws {
    let plan = try PlanTests.fixture()
    let report = VisitReport(Day(seed: 3, plan).all, of: plan)
    for (exact, shown) in zip(report.statistics.exhibits, report.context.statistics.exhibits) {
      guard exact.visitors >= 20 else {
        #expect(shown.dwell == nil && shown.nearness == Nearness() && shown.holding == nil)
        continue
      }
      let dwell = try #require(shown.dwell)
      #expect(shown.visitors == exact.visitors / 5 * 5 && dwell.count == exact.visits / 5 * 5)
      let figures = [dwell.mean, dwell.lowerQuartile, dwell.median, dwell.upperQuartile]
      #expect(figures.allSatisfy { SmallCellSuppression.usual.coarse($0) == $0 }, "\(figures)")
      #expect((dwell.mean - (exact.dwell?.mean ?? 0)).magnitude <= 35)
      #expect((dwell.total - dwell.mean * Double(dwell.count)).magnitude < 1e-9)
      #expect(dwell.ninthDecile == nil)
      if shown.passed > 0 {
        #expect(shown.attraction == Double(shown.visitors) / Double(shown.passed))
      }
    }
    let asked = VisitReport(Day(seed: 3, plan).all, of: plan, suppression: .everything)
    #expect(asked.context.statistics.exhibits == asked.statistics.exhibits)
    #expect(asked.html.contains("Scarf plot of 32 visits"))
  }

  /// Six visitors around noon and five at other hours; one more does not change a count that is shown.
  private static var sparse: [Visit] {
    let starts = (0..<6).map { 14_500 + 60 * $0 } + [0, 3600, 7200, 25_200, 28_800]
    return starts.map { start in
      VisitStatisticsTests.visit(
        [],
        rooms: [(0, Double(start), Double(start + 300))],
        from: Double(start),
        to: Double(start + 300)
      )
    }
  }

  @Test(arguments: [-2_000_000, 1000, 14_550, 32_400, 2_000_000] as [Double])
  func `the times of the day do not tell when one more visitor came`(start: Double) throws {
    let plan = try PlanTests.fixture()
    // Summer time begins between the visits, as the first of them sees it.
    let zone = LocalZone { .seconds($0 < TestScan.at(-1000) ? 3600 : 7200) }
    func page(_ visits: [Visit]) -> String { VisitReport(visits, of: plan, zone: zone).html }
    let more = VisitStatisticsTests.visit(
      [],
      rooms: [(0, start, start + 300)],
      from: start,
      to: start + 300
    )
    #expect(page(Self.sparse + [more]) == page(Self.sparse))
  }

  @Test func `the median of exhibits is in steps of five`() throws {
    let plan = try PlanTests.fixture()
    func visit(_ exhibits: Int) -> Visit {
      VisitStatisticsTests.visit(
        (0..<exhibits).map { ($0, Double($0) * 60, Double($0) * 60 + 30) },
        to: 1500
      )
    }
    let others = (0..<20).map { visit($0 < 10 ? 0 : 24) }
    let medians = try (0...24).map { exhibits in
      let shown = VisitReport(others + [visit(exhibits)], of: plan).context.statistics
      return try #require(shown.exhibitsSeen?.median)
    }
    #expect(Set(medians) == [0, 5, 10, 15, 20, 24])
  }
}
