// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Pages

/// The section on how visitors go from room to room.
struct FlowSection {
  private static let widest = 7.0
  /// The shares of the line between two rooms that an arrow leaves free at its start, and at its end for the tip.
  private static let startShare = 0.18
  private static let endShare = 0.2
  /// How far an arrow's ends are moved to the right of the straight line, so that two opposite arrows do not overlap.
  private static let offset = 9.0
  /// How far an arrow's middle is bent to the right: the minimum, and the part for each unit of length.
  private static let leastBend = 12.0
  private static let bendShare = 0.12
  private static let mostRows = 25

  let context: ReportContext

  func write(to page: inout Markup) {
    page.open("section", [("id", "flow")])
    page.element("h2", phrases.flowTitle)
    page.element(
      "p",
      phrases.flowText + (context.suppression.fewest > 1 ? " " + phrases.hiddenSteps : "")
    )
    page.open("div", [("class", "pair")])
    page.open("div", [("class", "stack")])
    for drawing in FloorDrawing.all(context.plan) { draw(drawing, to: &page) }
    page.close("div")
    rooms.write(to: &page)
    page.close("div")
    page.open("div", [("class", "pair"), ("style", "margin-top:1.25rem")])
    exhibits.write(to: &page)
    paths.write(to: &page)
    page.close("div")
    page.close("section")
    page.line()
  }

  private var shown: [Transition] {
    context.statistics.roomTransitions.filter { context.suppression.shows($0.visitors) }
  }

  private func draw(_ drawing: FloorDrawing, to page: inout Markup) {
    let most = Double(shown.map(\.count).max() ?? 1)
    page.open("figure", [("tabindex", "0")])
    drawing.begin(context, title: phrases.flowChart, to: &page)
    page.markup(
      "<defs><marker id=\"tip\(drawing.level)\" viewBox=\"0 0 10 10\" refX=\"3\" refY=\"5\" "
    )
    page.markup(
      "markerWidth=\"14\" markerHeight=\"14\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    )
    page.markup("<path class=\"tip\" d=\"M0 0L10 5L0 10z\"/></marker></defs>")
    var labels: [(place: Plan.Point, text: String)] = []
    for step in shown {
      guard drawing.rooms.contains(step.from), drawing.rooms.contains(step.to),
        let from = Polygon.center(context.plan.rooms[step.from].outline),
        let to = Polygon.center(context.plan.rooms[step.to].outline)
      else { continue }
      let (start, end) = (drawing.place(from), drawing.place(to))
      let way = end - start
      let right = Plan.Point(-way.y, way.x).direction
      let begin = start + way * Self.startShare + right * Self.offset
      let finish = end - way * Self.endShare + right * Self.offset
      let bend = (start + end) * 0.5 + right * (Self.leastBend + way.length * Self.bendShare)
      let width = max(1.5, Self.widest * Double(step.count) / most)
      page.markup(
        "<path class=\"flow\" marker-end=\"url(#tip\(drawing.level))\" stroke-width=\"\(ReportNumber.place(width))\" "
      )
      page.markup("d=\"M\(Self.text(begin))Q\(Self.text(bend)) \(Self.text(finish))\"/>")
      labels.append((Self.middle(of: begin, bend, finish), "\(step.count)"))
    }
    for label in labels {
      page.markup(
        "<text class=\"b halo\" text-anchor=\"middle\" x=\"\(ReportNumber.place(label.place.x))\" "
      )
      page.markup("y=\"\(ReportNumber.place(label.place.y + 4))\">\(label.text)</text>")
    }
    drawing.end(context, to: &page)
    page.close("figure")
  }

  private static func text(_ place: Plan.Point) -> String {
    "\(ReportNumber.place(place.x)) \(ReportNumber.place(place.y))"
  }

  private var phrases: ReportPhrases { context.phrases }

  /// The columns of a table of ways.
  private var steps: [(head: String, help: String?)] {
    [
      (phrases.from, nil), (phrases.to, nil), (phrases.steps, nil), (phrases.visitors, nil),
    ]
  }

  private var rooms: ReportTable {
    var table = ReportTable(
      context.phrases,
      caption: phrases.flowChart,
      columns: steps
    )
    table.rows = rows(context.statistics.roomTransitions, context.roomName)
    return table
  }

  private var exhibits: ReportTable {
    var table = ReportTable(
      context.phrases,
      caption: phrases.flowExhibits,
      columns: steps
    )
    table.rows = rows(context.statistics.exhibitTransitions) {
      "\(context.number($0)) \(context.title($0))"
    }
    return table
  }

  private func rows(
    _ transitions: [Transition],
    _ name: (Int) -> String
  ) -> [[ReportTable.Cell]] {
    // A row about few visitors would show a way that one of them took, and its place in the order how often.
    transitions.filter { context.suppression.shows($0.visitors) }.prefix(Self.mostRows).map {
      step in
      [
        .text(name(step.from)), .text(name(step.to)), .number("\(step.count)"),
        .number("\(step.visitors)"),
      ]
    }
  }

  /// The orders in which rooms were visited; the orders of few visitors are counted together.
  private var paths: ReportTable {
    var table = ReportTable(
      context.phrases,
      caption: phrases.ways,
      columns: [(phrases.way, nil), (phrases.visitors, nil)]
    )
    let shown = context.statistics.paths.filter {
      context.suppression.shows($0.visitors)
    }.prefix(10)
    for path in shown {
      let names = path.rooms.map(context.roomName).joined(separator: " → ")
      table.rows.append([
        .text(names.isEmpty ? phrases.noRoom : names), .number("\(path.visitors)"),
      ])
    }
    let others = context.visits.count - shown.reduce(0) { $0 + $1.visitors }
    if others > 0, context.suppression.isEverything {
      table.rows.append([
        .text(phrases.otherWays), ReportTable.figure("\(others)", of: others, context.suppression),
      ])
    }
    return table
  }

  /// Returns the middle of a quadratic Bézier curve.
  private static func middle(
    of start: Plan.Point,
    _ bend: Plan.Point,
    _ end: Plan.Point
  ) -> Plan.Point {
    start * 0.25 + bend * 0.5 + end * 0.25
  }
}
