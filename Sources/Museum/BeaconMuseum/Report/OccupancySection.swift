// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// The section on the visitors in each room by quarter of an hour.
struct OccupancySection {
  private static let left = 96.0
  private static let width = 796.0
  private static let chart = 120.0
  private static let rowHeight = 26.0

  let context: ReportContext

  func write(to page: inout Markup) {
    page.open("section", [("id", "day")])
    page.element(
      "h2",
      isByDay ? phrases.theDays : isByQuarter ? phrases.dayQuarters : phrases.theDay
    )
    if quarters.isEmpty {
      page.element("p", [("class", "empty")], phrases.fewHelp)
    } else {
      page.element(
        "p",
        (isLong ? phrases.longSpan.filled(unit) + " " : "") + phrases.dayText.filled(unit) + " "
          + phrases.zone.filled(context.zoneName)
      )
      page.open("div", [("class", "stack")])
      page.open("figure", [("tabindex", "0")])
      draw(to: &page)
      page.close("figure")
      table.write(to: &page)
      page.close("div")
    }
    page.close("section")
    page.line()
  }

  private var phrases: ReportPhrases { context.phrases }
  private var quarters: [Occupancy] { context.statistics.occupancy }
  private var length: TimeSpan { context.statistics.occupancyUnit }
  private var isByDay: Bool { length >= .seconds(86_400) }
  private var isByQuarter: Bool { length == .seconds(900) }
  /// Whether the visits span more than a week.
  private var isLong: Bool {
    isByDay && length.seconds * Double(quarters.count) > 7 * 86_400
  }
  /// One entry in words.
  private var unit: String {
    guard isByDay else {
      return isByQuarter ? phrases.quarter : phrases.minutes.filled("\(Int(length.seconds / 60))")
    }
    let days = Int(length.seconds / 86_400)
    return days == 1 ? phrases.day : phrases.days.filled("\(days)")
  }

  private func name(of entry: Occupancy) -> String {
    isByDay ? context.date(entry.start) : context.timeOfDay(entry.start)
  }

  private var rooms: [Int] { context.shownRooms }

  /// Returns the number of visitors in a room in a quarter of an hour.
  private func visitors(in room: Int, _ quarter: Occupancy) -> Int {
    let end = quarter.start + length
    let count = context.visits.count { visit in
      visit.start < end && visit.end >= quarter.start
        && visit.rooms.contains { $0.room == room && $0.start < end && $0.end > quarter.start }
    }
    return context.suppression.published(count)
  }

  private func draw(to page: inout Markup) {
    let top = Self.chart + 30
    let height = top + Self.rowHeight * Double(rooms.count) + 8
    let title = phrases.dayChart.filled(unit)
    page.open(
      "svg",
      [
        ("viewBox", "0 0 900 \(ReportNumber.place(height))"), ("role", "img"),
        ("aria-label", title),
      ]
    )
    page.element("title", title)
    let step = Self.width / Double(max(1, quarters.count))
    let most = Double(quarters.map(\.visitors).max() ?? 1)
    page.element("text", [("class", "s"), ("x", "0"), ("y", "20")], phrases.visitors)
    for (mark, y) in [("", 14 + Self.chart), ("\(Int(most))", 14)] {
      page.markup(
        "<path class=\"grid\" d=\"M\(ReportNumber.place(Self.left)) \(ReportNumber.place(y))H892\"/>"
      )
      page.markup(
        "<text class=\"s\" text-anchor=\"end\" x=\"\(ReportNumber.place(Self.left - 6))\" "
      )
      page.markup("y=\"\(ReportNumber.place(y + 4))\">\(mark)</text>")
    }
    for (index, quarter) in quarters.enumerated() where isMarked(quarter.visitors) {
      let x = Self.left + step * Double(index)
      guard context.suppression.shows(quarter.visitors) else {
        markFew(x, y: 11 + Self.chart, step, to: &page)
        continue
      }
      let bar = Self.chart * Double(quarter.visitors) / most
      page.markup(
        "<rect class=\"r1 band\" x=\"\(ReportNumber.place(x + 1))\" y=\"\(ReportNumber.place(14 + Self.chart - bar))\""
      )
      page.markup(
        " width=\"\(ReportNumber.place(max(0.5, step - 2)))\" height=\"\(ReportNumber.place(bar))\"/>"
      )
      guard context.suppression.shows(quarter.peak) else { continue }
      let peak = ReportNumber.place(14 + Self.chart * (1 - Double(quarter.peak) / most))
      page.markup(
        "<path class=\"median\" d=\"M\(ReportNumber.place(x + 1)) \(peak)h\(ReportNumber.place(max(0.5, step - 2)))\"/>"
      )
    }
    hours(step, top: top - 4, height: height, to: &page)
    let counts = rooms.map { room in quarters.map { visitors(in: room, $0) } }
    // One scale for all rooms, so that the same color is the same number of visitors.
    let strongest = Double(max(1, counts.joined().max() ?? 1))
    for (row, room) in rooms.enumerated() {
      let top = top + Self.rowHeight * Double(row)
      heat(room, counts[row], of: strongest, top: top, step: step, to: &page)
    }
    page.markup("</svg>")
    page.element(
      "figcaption",
      phrases.dayKey
    )
  }

  /// Whether a place with a count is marked; one without visitors stays empty if no count is withheld.
  private func isMarked(_ visitors: Int) -> Bool {
    visitors > 0 || !context.suppression.shows(visitors)
  }

  /// Marks few visitors, of whom nothing more is shown.
  private func markFew(_ x: Double, y: Double, _ step: Double, to page: inout Markup) {
    let width = ReportNumber.place(max(0.5, step - 2))
    page.markup("<path class=\"few-mark\" d=\"M\(ReportNumber.place(x + 1)) ")
    page.markup("\(ReportNumber.place(y))h\(width)\"/>")
  }

  private func hours(_ step: Double, top: Double, height: Double, to page: inout Markup) {
    for (index, quarter) in quarters.enumerated()
    where isByDay
      ? index % max(1, quarters.count / 8) == 0
      : quarters.count <= 12 || context.timeOfDay(quarter.start).hasSuffix(":00")
    {
      let x = ReportNumber.place(Self.left + step * Double(index))
      page.markup(
        "<text class=\"s\" text-anchor=\"middle\" x=\"\(x)\" y=\"\(ReportNumber.place(top))\">"
      )
      page.markup("\(name(of: quarter))</text>")
    }
  }

  private func heat(
    _ room: Int,
    _ counts: [Int],
    of most: Double,
    top: Double,
    step: Double,
    to page: inout Markup
  ) {
    page.element(
      "text",
      [("x", "0"), ("y", ReportNumber.place(top + 17))],
      context.roomName(room).shortened(to: 13)
    )
    for (index, count) in counts.enumerated() where isMarked(count) {
      let left = Self.left + step * Double(index)
      guard context.suppression.shows(count) else {
        markFew(left, y: top + Self.rowHeight - 5, step, to: &page)
        continue
      }
      let x = ReportNumber.place(left + 1)
      let strength = ReportNumber.ratio(0.15 + 0.85 * Double(count) / most)
      page.markup(
        "<rect class=\"\(context.color(ofRoom: room))\" fill-opacity=\"\(strength)\" x=\"\(x)\" "
      )
      page.markup(
        "y=\"\(ReportNumber.place(top + 2))\" width=\"\(ReportNumber.place(max(0.5, step - 2)))\" "
      )
      page.markup("height=\"\(ReportNumber.place(Self.rowHeight - 4))\"/>")
    }
  }

  private var table: ReportTable {
    var table = ReportTable(
      context.phrases,
      caption: phrases.dayTable.filled(unit),
      columns: [
        (phrases.from, nil), (phrases.visitors, phrases.dayHelp), (phrases.most, phrases.mostHelp),
      ] + rooms.map { (context.roomName($0), nil) }
    )
    for quarter in quarters {
      var row: [ReportTable.Cell] = [
        .number(name(of: quarter)),
        ReportTable.figure("\(quarter.visitors)", of: quarter.visitors, context.suppression),
        ReportTable.figure("\(quarter.peak)", of: quarter.peak, context.suppression),
      ]
      for room in rooms {
        let count = visitors(in: room, quarter)
        row.append(ReportTable.figure("\(count)", of: count, context.suppression))
      }
      table.rows.append(row)
    }
    return table
  }
}
