// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// The scarf plot: one row for each visit, colored by room, and in strong color while the visitor stood in front of an
/// exhibit.
///
/// It follows the INF framework's scarf plots (Ateneo Art Gallery). All rows start at the same position, show no time
/// of day and no name, and are ordered by length.
struct ScarfSection {
  private static let left = 6.0
  private static let step = 300.0

  let context: ReportContext

  /// The width of the drawing: the whole page for one visit, otherwise next to its table, so that letters keep their
  /// size.
  private var box: Double { context.isOneVisit ? 900 : 580 }
  private var width: Double { box - 2 * Self.left }

  func write(to page: inout Markup) {
    page.open("section", [("id", "scarf")])
    page.element("h2", context.isOneVisit ? context.phrases.scarfOne : context.phrases.scarfMany)
    page.element(
      "p",
      context.isOneVisit
        ? context.phrases.scarfOneText
        : context.suppression.isEverything
          ? context.phrases.scarfManyText : context.phrases.scarfWithheld
    )
    page.open("div", [("class", context.isOneVisit ? "stack" : "pair")])
    if context.suppression.isEverything {
      page.open("figure", [("tabindex", "0")])
      draw(to: &page)
      key(to: &page)
      page.close("figure")
    }
    table.write(to: &page)
    page.close("div")
    page.close("section")
    page.line()
  }

  private func key(to page: inout Markup) {
    let rooms = context.shownRooms
    page.key(
      rooms.map { (context.color(ofRoom: $0), context.roomName($0)) }
        + gaps.map { ("none", context.name($0)) }
    )
  }

  /// Why nothing is known of some times, in a report that shows everything.
  private var gaps: [Visit.Gap.Reason] {
    guard context.suppression.isEverything else { return [] }
    return context.statistics.gaps.filter { $0.visitors > 0 }.map(\.reason)
  }

  private var longest: Double { max(60, context.visits.map(\.span).max() ?? 0) }

  /// How long the table is: as long as there were enough visitors for a summary, since by its end it shows how long some
  /// of them stayed.
  ///
  /// The longest visit is one visitor's, so neither the number of rows nor their distance may depend on it.
  private var covered: Double {
    let lengths = context.visits.map(\.span).sorted(by: >)
    let fewest = max(1, context.suppression.fewestForSummary)
    return max(60, lengths.count >= fewest ? lengths[fewest - 1] : 0)
  }

  private func draw(to page: inout Markup) {
    let count = context.visits.count
    let row = count == 1 ? 34 : min(14, max(2, (900 / Double(count)).rounded(.down)))
    let height = 24 + row * Double(count)
    let title = context.phrases.scarfChart.filled(context.visits(count))
    page.open(
      "svg",
      [
        ("viewBox", "0 0 \(ReportNumber.place(box)) \(ReportNumber.place(height))"),
        ("role", "img"),
        ("aria-label", title),
      ]
    )
    page.element("title", title)
    let scale = width / longest
    axis(scale, height: height, to: &page)
    let order = context.visits.indices.sorted {
      (context.visits[$1].span, $0) < (context.visits[$0].span, $1)
    }
    var rows = ScarfRows()
    for (place, index) in order.enumerated() {
      let visit = context.visits[index]
      let top = 24 + row * Double(place)
      let space = row > 4 ? 1.5 : row > 2 ? 0.5 : 0
      for gap in visit.gaps {
        let from = Self.left + (gap.start - visit.start).seconds * scale
        rows.add("none thin", from, gap.length * scale, top, row - space)
      }
      for stay in visit.rooms {
        let from = Self.left + (stay.start - visit.start).seconds * scale
        rows.add(
          "\(context.color(ofRoom: stay.room)) thin",
          from,
          stay.dwell * scale,
          top,
          row - space
        )
      }
      for stay in visit.stays {
        guard let room = context.room(of: stay.exhibit) else { continue }
        let from = Self.left + (stay.start - visit.start).seconds * scale
        rows.add("\(context.color(ofRoom: room)) area", from, stay.dwell * scale, top, row - space)
      }
    }
    rows.write(to: &page)
    if count == 1, let visit = context.visits.first { numbers(visit, scale, to: &page) }
    page.markup("</svg>")
  }

  private func axis(_ scale: Double, height: Double, to page: inout Markup) {
    let steps = ReportNumber.step(of: longest, among: [60, 300, 600, 1200, 1800, 3600])
    var seconds = 0.0
    while seconds <= longest {
      let x = ReportNumber.place(Self.left + seconds * scale)
      page.markup("<path class=\"grid\" d=\"M\(x) 18V\(ReportNumber.place(height))\"/>")
      let anchor = seconds == 0 ? "start" : "middle"
      page.markup("<text class=\"s\" text-anchor=\"\(anchor)\" x=\"\(x)\" y=\"12\">")
      let minutes = "\(Int(seconds / 60))"
      page.write(seconds == 0 ? context.phrases.minutes.filled(minutes) : minutes)
      page.markup("</text>")
      seconds += steps
    }
  }

  private func numbers(_ visit: Visit, _ scale: Double, to page: inout Markup) {
    for stay in visit.stays where stay.dwell * scale > 14 {
      let middle = Self.left + ((stay.start - visit.start).seconds + stay.dwell / 2) * scale
      page.markup(
        "<text class=\"on\" text-anchor=\"middle\" x=\"\(ReportNumber.place(middle))\" y=\"44\">"
      )
      page.markup("\(context.number(stay.exhibit))</text>")
    }
  }

  /// A table of the number of visitors in each room, at regular times since the start of their visits.
  private var table: ReportTable {
    let rooms = context.shownRooms
    var table = ReportTable(
      context.phrases,
      caption: context.phrases.roomsByMinute,
      columns: [
        (context.phrases.minute, nil), (context.phrases.visitors, context.phrases.stillThere),
      ]
        + rooms.map { (context.roomName($0), nil) } + gaps.map { (context.name($0), nil) }
    )
    table.empty = context.phrases.fewHelp
    let isFine = context.suppression.isEverything && covered <= 1200
    let step = isFine ? 60.0 : Self.step
    var seconds = 0.0
    while seconds <= covered, table.rows.count < 200 {
      let present = context.visits.filter { $0.span >= seconds }
      guard context.suppression.showsSummary(of: present.count) else { break }
      let count = context.suppression.published(present.count)
      var row: [ReportTable.Cell] = [
        .number("\(Int(seconds / 60))"),
        ReportTable.figure("\(count)", of: count, context.suppression),
      ]
      for room in rooms {
        let all = present.count { visit in
          let from = visit.start + TimeSpan(seconds: seconds)
          let until = from + TimeSpan(seconds: step)
          return visit.rooms.contains { $0.room == room && $0.start < until && $0.end > from }
        }
        let there = context.suppression.published(all)
        row.append(ReportTable.figure("\(there)", of: there, context.suppression))
      }
      for reason in gaps {
        let count = present.count { visit in
          let from = visit.start + TimeSpan(seconds: seconds)
          let until = from + TimeSpan(seconds: step)
          return visit.gaps.contains { $0.reason == reason && $0.start < until && $0.end > from }
        }
        row.append(.number("\(count)"))
      }
      table.rows.append(row)
      seconds += step
    }
    return table
  }
}

/// The bars of a scarf plot, combined into one path for each style, since a day of visits has tens of thousands.
struct ScarfRows {
  private var paths: [(style: String, path: String)] = []

  mutating func add(_ style: String, _ x: Double, _ width: Double, _ y: Double, _ height: Double) {
    guard width > 0.05 else { return }
    let w = ReportNumber.place(max(width, 0.3))
    let h = ReportNumber.place(height)
    let bar = "M\(ReportNumber.place(x)) \(ReportNumber.place(y))h\(w)v\(h)h-\(w)z"
    if let index = paths.firstIndex(where: { $0.style == style }) {
      paths[index].path += bar
    } else {
      paths.append((style, bar))
    }
  }

  /// Writes the bars, pale ones first.
  func write(to page: inout Markup) {
    let ordered =
      paths.filter { $0.style.hasSuffix("thin") } + paths.filter { !$0.style.hasSuffix("thin") }
    for entry in ordered { page.markup("<path class=\"\(entry.style)\" d=\"\(entry.path)\"/>") }
  }
}
