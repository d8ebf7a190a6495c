// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconMuseum

/// Every chart has the figures of its table.
@Suite struct ReportChartTests {
  private static let counts = [1, 3, 8, 20, 40, 200, 400]
  private static let rules = [SmallCellSuppression.usual, .everything]

  /// The chart and the cells of a section's first table.
  private struct Section {
    let chart: String
    let rows: [[String]]

    init(_ id: String, of html: String) throws {
      let all = html.components(separatedBy: "<section id=\"\(id)\"")
      try #require(all.count == 2)
      let parts = all[1].components(separatedBy: "</section>")[0]
        .components(separatedBy: "<div class=\"table\"")
      // The key below a drawing has drawings as well.
      chart = parts[0].components(separatedBy: "</svg>")[0]
      rows = (parts.dropFirst().first ?? "").components(separatedBy: "<tr>").dropFirst(2).map {
        $0.components(separatedBy: "<t").dropFirst()
          .filter { $0.hasPrefix("h ") || $0.hasPrefix("d") }
          .map {
            "<t\($0)".replacing(/<[^>]*>/, with: "").trimmingCharacters(in: .whitespacesAndNewlines)
          }
      }
    }

    /// The drawn elements with a name, in order.
    func shapes(_ name: String, _ style: String? = nil) -> [Shape] {
      chart.components(separatedBy: "<\(name) ").dropFirst().map { Shape($0) }
        .filter { style == nil || $0.style == style }
    }
  }

  private struct Shape {
    private var attributes: [String: String] = [:]
    /// The text in the element, up to the next one.
    let text: String

    init(_ element: String) {
      let tag = element.prefix { $0 != ">" }
      for match in tag.matches(of: /([a-z-]+)="([^"]*)"/) {
        attributes[String(match.1)] = String(match.2)
      }
      text = String(element.dropFirst(tag.count + 1).prefix { $0 != "<" })
    }

    var style: String { attributes["class"] ?? "" }

    subscript(_ name: String) -> Double { attributes[name].flatMap(Double.init) ?? .nan }

    /// The numbers of a path.
    var path: [Double] {
      (attributes["d"] ?? "").matches(of: /-?[0-9.]+/).compactMap { Double($0.0) }
    }
  }

  /// A drawing has one decimal.
  private static func expect(
    _ drawn: [Double],
    _ expected: [Double],
    within most: Double = 0.06,
    _ what: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    let isSame =
      drawn.count == expected.count && zip(drawn, expected).allSatisfy { abs($0 - $1) <= most }
    #expect(isSame, "\(what): \(drawn), not \(expected)", sourceLocation: location)
  }

  /// The seconds of `1:05` or `1:02:05`.
  private static func seconds(_ text: String) -> Double {
    text.split(separator: ":").reduce(0) { 60 * $0 + (Double($1) ?? .nan) }
  }

  private static func percent(_ text: String) -> Double {
    Double(text.prefix { $0 != " " }) ?? .nan
  }

  /// Visitors of a day, one after the other.
  private static func day(_ count: Int, _ plan: Plan) -> [Visit] {
    var random = SplitMix64(seed: UInt64(count))
    return (0..<count).map { number in
      let start = Double(number) * 28_800 / Double(count)
      var time = start + 5
      var stays: [(Int, Double, Double)] = []
      var rooms: [(Int, Double, Double)] = []
      for (index, exhibit) in plan.exhibits.enumerated()
      where random.next() % 100 < UInt64(4 * index) {
        let end = time + Double(5 + random.next() % 90)
        stays.append((index, time, end))
        rooms.append((plan.rooms.firstIndex { $0.major == exhibit.identity.major } ?? 0, time, end))
        time = end + 5
      }
      var visit = VisitStatisticsTests.visit(stays, rooms: rooms, from: start, to: time)
      for index in visit.stays.indices {
        let dwell = visit.stays[index].dwell
        visit.stays[index].nearness = Nearness(
          immediate: 0.2 * dwell,
          near: 0.5 * dwell,
          far: 0.3 * dwell
        )
      }
      return visit
    }
  }

  private static func html(
    _ count: Int,
    _ suppression: SmallCellSuppression,
    _ plan: Plan
  ) -> String {
    // The visit of a single recording is shown completely.
    let recordings = suppression == .everything ? count : max(2, count)
    return VisitReport(day(count, plan), of: plan, from: recordings, suppression: suppression).html
  }

  @Test(arguments: counts, rules)
  func
    `the chart of the day has a bar as high as each shown figure, and a mark for each withheld one`(
      count: Int,
      suppression: SmallCellSuppression
    ) throws
  {
    let plan = try PlanTests.fixture()
    let html = Self.html(count, suppression, plan)
    guard count > 1 || suppression == .usual else { return }
    let day = try Section("day", of: html)
    #expect(day.rows.isEmpty == (suppression == .usual && count < 5))
    guard let first = day.rows.first, let last = day.rows.last else { return }
    if suppression == .usual {
      #expect(first[1] != "few" && last[1] != "few")
      #expect(2 * day.rows.count { $0[1] != "few" } >= day.rows.count)
    }
    let step = 796 / Double(day.rows.count)
    let places = day.rows.indices.map { 96 + step * Double($0) + 1 }
    let visitors = day.rows.map { Double($0[1]) }
    let most = visitors.compactMap(\.self).max() ?? 1
    let bars = day.shapes("rect", "r1 band")
    let shown = day.rows.indices.filter { (visitors[$0] ?? 0) > 0 }
    Self.expect(bars.map { $0["x"] }, shown.map { places[$0] }, "places")
    let heights = shown.map { 120 * (visitors[$0] ?? 0) / most }
    Self.expect(bars.map { $0["height"] }, heights, "heights")
    Self.expect(bars.map { $0["y"] + $0["height"] }, shown.map { _ in 134 }, within: 0.11, "feet")
    // The largest number at the same time is a line across its bar.
    let peaks = shown.filter { day.rows[$0][2] != "few" }
    let lines = day.shapes("path", "median").map(\.path)
    Self.expect(lines.map { $0[0] }, peaks.map { places[$0] }, "places of lines")
    Self.expect(
      lines.map { $0[1] },
      peaks.map { 14 + 120 * (1 - (Double(day.rows[$0][2]) ?? .nan) / most) },
      "lines"
    )
    // Then each room by itself, as strong as its number.
    let cells = first.indices.dropFirst(3).flatMap { room in
      day.rows.indices.map { (text: day.rows[$0][room], place: places[$0]) }
    }
    let strongest = max(1, cells.compactMap { Double($0.text) }.max() ?? 1)
    let strong = cells.filter { (Double($0.text) ?? 0) > 0 }
    let heat = day.shapes("rect").filter { !$0["fill-opacity"].isNaN }
    Self.expect(heat.map { $0["x"] }, strong.map(\.place), "places of rooms")
    Self.expect(
      heat.map { $0["fill-opacity"] },
      strong.map { 0.15 + 0.85 * (Double($0.text) ?? .nan) / strongest },
      within: 0.006,
      "strengths"
    )
    let few = day.rows.indices.filter { day.rows[$0][1] == "few" }.map { places[$0] }
    Self.expect(
      day.shapes("path", "few-mark").map { $0.path[0] },
      few + cells.filter { $0.text == "few" }.map(\.place),
      "withheld"
    )
    #expect(day.shapes("text", "s").contains { $0.text == "\(Int(most))" })
  }

  @Test(arguments: counts, rules)
  func `the chart of the exhibits has the medians, quartiles and proximities of its table`(
    count: Int,
    suppression: SmallCellSuppression
  ) throws {
    let plan = try PlanTests.fixture()
    let exhibits = try Section("exhibits", of: Self.html(count, suppression, plan))
    let axis = exhibits.shapes("text", "s").filter { $0.text.contains(":") }
    #expect(exhibits.rows.contains { $0[5].contains(":") } == !axis.isEmpty)
    #expect(exhibits.shapes("path", "grid").count == axis.count)
    Self.expect(axis.map { $0["x"] }, axis.indices.map { 210 + 100 * Double($0) }, "axis")
    let scale = 400 / (axis.last.map { Self.seconds($0.text) } ?? .nan)
    // The table has whole seconds and percent.
    let slack = 0.5 * scale + 0.06
    let drawn = exhibits.chart.components(separatedBy: "<text x=\"0\" ").dropFirst()
    try #require(drawn.count == exhibits.rows.count)
    for (part, row) in zip(drawn, exhibits.rows) {
      let chart = try Section("a", of: "<section id=\"a\"<text \(part)</section>")
      let texts = chart.shapes("text").map(\.text)
      #expect(texts[0].hasPrefix(row[0]))
      guard row[5].contains(":") else {
        #expect(texts.dropFirst().first == (row[5] == "few" ? "few" : "nobody"), "\(row)")
        #expect(chart.shapes("rect").isEmpty && chart.shapes("path", "median").isEmpty)
        continue
      }
      Self.expect(
        chart.shapes("path", "median").map { $0.path[0] },
        [210 + Self.seconds(row[5]) * scale],
        within: slack,
        "\(row)"
      )
      let quartiles = row[6].split(separator: "–").map { Self.seconds(String($0)) }
      let band = try #require(chart.shapes("rect").first)
      Self.expect([band["x"]], [210 + quartiles[0] * scale], within: slack, "\(row)")
      Self.expect(
        [band["width"]],
        [max(2, (quartiles[1] - quartiles[0]) * scale)],
        within: 2 * slack,
        "\(row)"
      )
      let parts = ["i", "m", "f"].map { style in
        chart.shapes("rect", style).reduce(0) { $0 + $1["width"] } / 1.9
      }
      Self.expect(
        parts,
        row[10...12].map { $0 == "–" ? 0 : Self.percent($0) },
        within: 1.1,
        "\(row)"
      )
    }
  }

  @Test(arguments: counts, rules)
  func `the discs on the plan are as large as the times, and an arrow as wide as its number`(
    count: Int,
    suppression: SmallCellSuppression
  ) throws {
    let plan = try PlanTests.fixture()
    let html = Self.html(count, suppression, plan)
    let spots = try Section("plan", of: html)
    let times = spots.rows.map { $0[3].contains(":") ? Self.seconds($0[3]) : nil }
    let longest = times.compactMap(\.self).max() ?? 0
    let discs = spots.shapes("circle").filter { !$0["cx"].isNaN && !$0["r"].isNaN }
    try #require(discs.count == spots.rows.count)
    let largest = discs.map { $0["r"] }.max() ?? 0
    for (row, disc) in zip(spots.rows, discs) {
      #expect(
        spots.chart.contains(
          "<title>\(row[0]) \(row[1]): \(row[3] == "–" ? "0:00" : row[3])</title>"
        )
      )
      guard row[3] != "few", longest > 0 else {
        #expect(disc["r"] == 7, "\(row)")
        continue
      }
      let time = row[3] == "–" ? 0 : Self.seconds(row[3])
      let least = largest * (max(0, time - 0.5) / (longest + 0.5)).squareRoot() - 0.1
      let most = largest * ((time == 0 ? 0 : time + 0.5) / (longest - 0.5)).squareRoot() + 0.1
      #expect(disc["r"] >= least && disc["r"] <= most, "\(row): \(disc["r"])")
    }
    let flow = try Section("flow", of: html)
    let steps = flow.rows.map { Double($0[2]) ?? .nan }
    let most = steps.max() ?? 1
    // The table has the 25 most frequent ways.
    let arrows = flow.shapes("path", "flow").prefix(steps.count)
    Self.expect(arrows.map { $0["stroke-width"] }, steps.map { max(1.5, 7 * $0 / most) }, "arrows")
    let labels = flow.shapes("text", "b halo").prefix(steps.count)
    #expect(labels.map(\.text) == flow.rows.map { $0[2] })
  }

  @Test(arguments: counts) func `the scarf plot has the rooms of its table at each minute`(
    count: Int
  ) throws {
    let plan = try PlanTests.fixture()
    let visits = Self.day(count, plan)
    let scarf = try Section("scarf", of: Self.html(count, .everything, plan))
    let longest = max(60, visits.map(\.span).max() ?? 0)
    let scale = (count == 1 ? 888 : 568) / longest
    let shown = plan.rooms.indices.filter { room in
      visits.contains { $0.rooms.contains { $0.room == room } }
    }
    let minutes = scarf.rows.map { 60 * (Double($0[0]) ?? .nan) }
    let step = minutes.count > 1 ? minutes[1] - minutes[0] : 60
    for (column, room) in shown.enumerated() {
      // A bar is `M x y h width v height h -width z`.
      let path = scarf.shapes("path", "r\(room + 1) thin").flatMap(\.path)
      let bars = stride(from: 0, to: path.count, by: 5).map {
        (from: (path[$0] - 6) / scale, length: path[$0 + 2] / scale, row: path[$0 + 1])
      }
      for (row, minute) in zip(scarf.rows, minutes) {
        func visitors(_ slack: Double) -> Double {
          let met = bars.filter {
            $0.from < minute + step + slack && $0.from + $0.length > minute - slack
          }
          return Double(Set(met.map(\.row)).count)
        }
        let figure = Double(row[2 + column]) ?? .nan
        // A bar has its place and its length by a tenth of a unit, and three tenths at least.
        let slack = 0.3 / scale
        #expect(visitors(-slack) <= figure && figure <= visitors(slack), "\(row)")
      }
    }
    for (row, minute) in zip(scarf.rows, minutes) {
      #expect(row[1] == "\(visits.count { $0.span >= minute })")
    }
  }

  @Test func `the time of a single visit has a bar for each stay of its table`() throws {
    let plan = try PlanTests.fixture()
    let visit = try #require(Self.day(1, plan).first)
    let timeline = try Section("timeline", of: Self.html(1, .everything, plan))
    try #require(visit.stays.count > 3 && timeline.rows.count == visit.stays.count)
    let scale = 806 / visit.span
    let bars = timeline.shapes("rect").filter { $0["y"] == 66 }
    let start = Self.seconds(ReportNumber.clock(visit.start))
    Self.expect(
      bars.map { $0["x"] },
      timeline.rows.map { 84 + (Self.seconds($0[0]) - start) * scale },
      within: scale + 0.06,
      "places"
    )
    Self.expect(
      bars.map { $0["width"] },
      timeline.rows.map { Self.seconds($0[4]) * scale },
      within: 0.5 * scale + 0.06,
      "lengths"
    )
    let scarf = try Section("scarf", of: Self.html(1, .everything, plan))
    let numbers = Set(timeline.rows.map { $0[1] })
    #expect(scarf.shapes("text", "on").allSatisfy { numbers.contains($0.text) })
    #expect(!scarf.shapes("text", "on").isEmpty)
  }
}
