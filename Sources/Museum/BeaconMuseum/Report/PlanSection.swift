// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Pages

/// The floor plan with the time in front of each exhibit as an area; for a single visit, also the path.
struct PlanSection {
  private static let largest = 1.15
  /// The radius of a circle without an area, whose time is not shown.
  private static let withheld = 7.0

  let context: ReportContext

  func write(to page: inout Markup) {
    let drawings = FloorDrawing.all(context.plan)
    page.open("section", [("id", "plan")])
    page.element("h2", context.phrases.timeWent)
    page.element(
      "p",
      context.isOneVisit
        ? context.phrases.planOne : context.phrases.planMany
    )
    page.open("div", [("class", "pair")])
    page.open("div", [("class", "stack")])
    if drawings.isEmpty {
      page.element("p", [("class", "empty")], context.phrases.noDrawing)
    }
    for drawing in drawings { draw(drawing, to: &page) }
    page.close("div")
    table.write(to: &page)
    page.close("div")
    page.close("section")
    page.line()
  }

  private func draw(_ drawing: FloorDrawing, to page: inout Markup) {
    let floor = context.plan.floor(drawing.level)?.name[context.language]
    let name = floor ?? context.phrases.level.filled("\(drawing.level)")
    page.open("figure", [("tabindex", "0")])
    drawing.begin(context, title: context.phrases.planChart.filled(name), to: &page)
    if context.isOneVisit { path(drawing, to: &page) }
    for entry in context.statistics.exhibits { disc(entry, drawing, to: &page) }
    drawing.end(context, to: &page)
    page.element("figcaption", context.phrases.planNumbers.filled(name))
    page.close("figure")
  }

  private var longest: Double {
    context.statistics.exhibits.compactMap(\.dwell?.total).max() ?? 0
  }

  private func disc(_ entry: ExhibitStatistics, _ drawing: FloorDrawing, to page: inout Markup) {
    let exhibit = context.plan.exhibits[entry.exhibit]
    guard let position = exhibit.position, let room = context.room(of: entry.exhibit),
      context.plan.rooms[room].level == drawing.level
    else { return }
    let place = drawing.place(position)
    let number = context.number(entry.exhibit)
    let isShown = context.suppression.showsSummary(of: entry.visitors)
    let total = entry.dwell?.total ?? 0
    let most = Self.largest * drawing.scale
    let radius =
      isShown && longest > 0
      ? most * (total / longest).squareRoot() : Self.withheld
    let label = isShown ? ReportNumber.duration(total) : context.phrases.few
    page.open("g")
    page.element("title", "\(number) \(context.title(entry.exhibit)): \(label)")
    let isFilled = isShown && total > 0
    let color = isFilled ? context.color(ofRoom: room) + " area" : "none"
    let (x, y) = (ReportNumber.place(place.x), ReportNumber.place(place.y))
    page.markup(
      "<circle class=\"\(color)\" cx=\"\(x)\" cy=\"\(y)\" r=\"\(ReportNumber.place(radius))\"/>"
    )
    if isFilled, radius >= 11 {
      page.markup("<text class=\"on\" text-anchor=\"middle\" x=\"\(x)\" ")
      page.markup("y=\"\(ReportNumber.place(place.y + 4.2))\">\(number)</text>")
    } else {
      page.markup("<text class=\"s halo\" x=\"\(ReportNumber.place(place.x + radius + 4))\" ")
      page.markup("y=\"\(ReportNumber.place(place.y + 4.2))\">\(number)</text>")
    }
    page.close("g")
  }

  /// Draws the path of the visit from exhibit to exhibit, through the doors between their rooms.
  private func path(_ drawing: FloorDrawing, to page: inout Markup) {
    guard let visit = context.visits.first else { return }
    let parts = visit.parts(visit.stays, from: { $0.start }, to: { $0.end })
    for (index, stays) in parts.enumerated() {
      // After an unknown time the visitor did not come from the entrance.
      let isFirst = index == 0 && visit.gaps.allSatisfy { $0.start >= stays[0].start }
      let entrance = isFirst ? context.plan.floor(drawing.level)?.entrance : nil
      path(through: stays, from: entrance, drawing, to: &page)
    }
  }

  private func path(
    through stays: [Visit.Stay],
    from entrance: Plan.Point?,
    _ drawing: FloorDrawing,
    to page: inout Markup
  ) {
    let graph = RoomGraph(context.plan)
    var points = entrance.map { [$0] } ?? []
    var room: Int?
    for stay in stays {
      guard let next = context.room(of: stay.exhibit),
        let position = context.plan.exhibits[stay.exhibit].position,
        context.plan.rooms[next].level == drawing.level
      else { continue }
      if let room { points += graph.doors(from: room, to: next) ?? [] }
      points.append(position)
      room = next
    }
    guard points.count > 1 else { return }
    let way = points.map(drawing.text).joined(separator: "L")
    page.markup("<path class=\"path\" d=\"M\(way)\"/>")
  }

  private var table: ReportTable {
    let phrases = context.phrases
    var table = ReportTable(
      context.phrases,
      caption: context.isOneVisit
        ? phrases.planTableOne : phrases.planTableMany,
      columns: [
        (phrases.number, nil), (phrases.exhibit, nil), (phrases.room, nil),
        (phrases.time, phrases.timeHelp),
      ]
    )
    for entry in context.statistics.exhibits {
      table.rows.append([
        .number(context.number(entry.exhibit)), .text(context.title(entry.exhibit)),
        .text(context.room(of: entry.exhibit).map(context.roomName) ?? ""),
        ReportTable.summary(
          entry.dwell.map { ReportNumber.duration($0.total) },
          of: entry.visitors,
          context.suppression
        ),
      ])
    }
    return table
  }
}
