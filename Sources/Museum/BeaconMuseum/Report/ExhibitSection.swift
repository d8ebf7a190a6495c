// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Pages

/// The section on every exhibit: how many visitors stopped, for how long, and how near.
struct ExhibitSection {
  private static let rowHeight = 24.0
  private static let labels = 210.0
  private static let bars = 400.0
  private static let nearness = 190.0

  let context: ReportContext

  func write(to page: inout Markup) {
    page.open("section", [("id", "exhibits")])
    page.element("h2", phrases.exhibitTitle)
    page.element(
      "p",
      phrases.exhibitText
    )
    page.open("div", [("class", "stack")])
    page.open("figure", [("tabindex", "0")])
    draw(to: &page)
    page.key([("i", context.words.immediate), ("m", context.words.near), ("f", context.words.far)])
    page.close("figure")
    table.write(to: &page)
    page.close("div")
    page.close("section")
    page.line()
  }

  private var phrases: ReportPhrases { context.phrases }
  private var shown: [ExhibitStatistics] { context.statistics.exhibits }

  /// The end of the axis in seconds: a round number that is at least as long as every bar.
  private var axis: Double {
    let most = shown.compactMap(\.dwell?.upperQuartile).max() ?? 0
    return [30, 60, 120, 180, 300, 600, 900, 1800].first { $0 >= most } ?? 3600
  }

  private func draw(to page: inout Markup) {
    let height = 26 + Self.rowHeight * Double(shown.count)
    let title = phrases.exhibitChart
    page.open(
      "svg",
      [
        ("viewBox", "0 0 900 \(ReportNumber.place(height))"), ("role", "img"),
        ("aria-label", title),
      ]
    )
    page.element("title", title)
    let scale = Self.bars / axis
    // Without a bar there is nothing to measure.
    for step in 0...4 where shown.contains(where: { $0.dwell != nil }) {
      let seconds = axis * Double(step) / 4
      let x = ReportNumber.place(Self.labels + seconds * scale)
      page.markup("<path class=\"grid\" d=\"M\(x) 20V\(ReportNumber.place(height))\"/>")
      page.markup("<text class=\"s\" text-anchor=\"middle\" x=\"\(x)\" y=\"13\">")
      page.markup("\(ReportNumber.duration(seconds))</text>")
    }
    let left = Self.labels + Self.bars + 70
    page.element(
      "text",
      [("class", "s"), ("x", ReportNumber.place(left)), ("y", "13")],
      phrases.proximity
    )
    for (row, entry) in shown.enumerated() {
      let top = 26 + Self.rowHeight * Double(row)
      draw(entry, top: top, scale: scale, left: left, to: &page)
    }
    page.markup("</svg>")
    page.element("figcaption", phrases.exhibitKey)
  }

  private func draw(
    _ entry: ExhibitStatistics,
    top: Double,
    scale: Double,
    left: Double,
    to page: inout Markup
  ) {
    let base = ReportNumber.place(top + 15)
    page.element(
      "text",
      [("x", "0"), ("y", base)],
      "\(context.number(entry.exhibit))  \(context.title(entry.exhibit))".shortened(to: 32)
    )
    guard let dwell = entry.dwell else {
      page.element(
        "text",
        [("class", "s"), ("x", ReportNumber.place(Self.labels + 6)), ("y", base)],
        context.suppression.showsSummary(of: entry.visitors) ? phrases.nobody : phrases.few
      )
      return
    }
    let color = context.room(of: entry.exhibit).map(context.color) ?? "r1"
    let from = Self.labels + dwell.lowerQuartile * scale
    let width = max(2, (dwell.upperQuartile - dwell.lowerQuartile) * scale)
    page.markup(
      "<rect class=\"\(color) band\" x=\"\(ReportNumber.place(from))\" y=\"\(ReportNumber.place(top + 5))\""
    )
    page.markup(" width=\"\(ReportNumber.place(width))\" height=\"13\" rx=\"3\"/>")
    let median = ReportNumber.place(Self.labels + dwell.median * scale)
    page.markup("<path class=\"median\" d=\"M\(median) \(ReportNumber.place(top + 2))v19\"/>")
    guard let shares = entry.nearness.shares else { return }
    var x = left
    for (style, share) in [("i", shares.immediate), ("m", shares.near), ("f", shares.far)]
    where share > 0 {
      let width = share * Self.nearness
      page.markup(
        "<rect class=\"\(style)\" x=\"\(ReportNumber.place(x))\" y=\"\(ReportNumber.place(top + 5))\""
      )
      page.markup(" width=\"\(ReportNumber.place(width))\" height=\"13\"/>")
      x += width
    }
  }

  private var table: ReportTable {
    var table = ReportTable(
      context.phrases,
      caption: phrases.everyExhibit,
      columns: [
        (phrases.number, nil), (phrases.exhibit, nil), (phrases.visitors, phrases.visitorsHelp),
        (phrases.attraction, phrases.attractionHelp), (phrases.visits, phrases.visitsHelp),
        (phrases.median, phrases.medianHelp), (phrases.quartiles, phrases.quartilesHelp),
        (phrases.ninety, phrases.ninetyHelp), (phrases.holding, phrases.holdingHelp),
        (phrases.again, phrases.againHelp), (phrases.immediate, phrases.immediateHelp),
        (phrases.near, phrases.nearHelp), (phrases.far, phrases.farHelp),
      ]
    )
    for entry in context.statistics.exhibits { table.rows.append(row(entry)) }
    return table
  }

  private func row(_ entry: ExhibitStatistics) -> [ReportTable.Cell] {
    func figure(_ text: String?) -> ReportTable.Cell {
      ReportTable.figure(text, of: entry.visitors, context.suppression)
    }
    func summary(_ text: String?) -> ReportTable.Cell {
      ReportTable.summary(text, of: entry.visitors, context.suppression)
    }
    let shares = entry.nearness.shares.map {
      ReportNumber.percents([$0.immediate, $0.near, $0.far])
    }
    return [
      .number(context.number(entry.exhibit)), .text(context.title(entry.exhibit)),
      figure("\(entry.visitors)"),
      context.suppression.shows(entry.passed)
        ? figure(entry.attraction(by: context.suppression).map(ReportNumber.percent)) : .withheld,
      figure("\(entry.visits)"),
      summary(entry.dwell.map { ReportNumber.duration($0.median) }),
      summary(
        entry.dwell.map {
          ReportNumber.duration($0.lowerQuartile) + "–" + ReportNumber.duration($0.upperQuartile)
        }
      ),
      context.suppression.showsDecile(of: entry.visitors)
        ? summary(entry.dwell?.ninthDecile.map(ReportNumber.duration)) : .withheld,
      summary(entry.holding(by: context.suppression).map(ReportNumber.percent)),
      figure(
        entry.reattraction(by: context.suppression).map { context.decimal(ReportNumber.ratio($0)) }
      ),
      summary(shares?[0]),
      summary(shares?[1]),
      summary(shares?[2]),
    ]
  }
}

extension String {
  /// Returns the text, cut with an ellipsis if it has more than a number of characters.
  func shortened(to count: Int) -> String {
    self.count > count ? prefix(max(0, count - 1)) + "…" : self
  }
}
