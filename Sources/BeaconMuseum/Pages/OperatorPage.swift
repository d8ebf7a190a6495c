// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The operator's page: the floor plan with the visitor's position, received beacons, rooms, receivers, permission and
/// counts.
///
/// A script fills it from ``OperatorState``. Its text is in English, like the command's; names are in a language of the
/// plan.
public struct OperatorPage: Sendable {
  private let plan: Plan
  private let language: String

  /// Creates the page of a museum.
  public init(of plan: Plan, in language: String) {
    self.plan = plan
    self.language = language
  }

  /// The page as HTML.
  public var html: String {
    var page = Markup()
    PageFrame.begin(
      &page,
      title: "\(plan.museum[language]): operator",
      language: "en",
      source: PagePaths.operatorEvents,
      kind: "operator"
    )
    page.open("header")
    page.element("h1", [("lang", language)], plan.museum[language])
    page.open("nav", [("aria-label", "Pages")])
    page.open("ul")
    page.open("li")
    page.element("a", [("href", PagePaths.visitor)], "The visitor’s page")
    page.close("li")
    page.close("ul")
    page.close("nav")
    page.close("header")
    page.open("main")
    PageFrame.notices(
      &page,
      lost: "The connection to the guide is lost; the page tries again by itself.",
      noScript: "This page needs scripts to follow the guide."
    )
    page.open("div", [("class", "pair")])
    page.open("div", [("class", "stack")])
    writePlan(to: &page)
    writeRooms(to: &page)
    page.close("div")
    page.open("div", [("class", "stack")])
    writeFacts(to: &page)
    writeTable("Near", id: "near", ["No.", "Exhibit", "Proximity", "Distance", "Share"], to: &page)
    writeTable("Radios", id: "radios", ["Radio", "State", "Received", "Last"], to: &page)
    writeTable("Counts", id: "counts", ["What", "How many"], to: &page)
    page.close("div")
    page.close("div")
    page.close("main")
    PageFrame.end(&page)
    return page.text
  }

  // MARK: The plan

  private func writePlan(to page: inout Markup) {
    let drawings = FloorDrawing.all(plan)
    page.open("section", [("id", "plan"), ("aria-labelledby", "plan-label")])
    page.element("h2", [("id", "plan-label")], "Where the guide is")
    if drawings.isEmpty { page.element("p", "The plan draws no rooms.") }
    for drawing in drawings {
      let name = plan.floor(drawing.level)?.name[language] ?? "Level \(drawing.level)"
      page.open("figure")
      draw(drawing, name, to: &page)
      page.element("figcaption", [("lang", language)], name)
      page.close("figure")
    }
    page.open("ul", [("class", "key")])
    key("<circle class=\"guide-dot\" cx=\"8\" cy=\"8\" r=\"6\"/>", "the guide", to: &page)
    key("<circle class=\"shown\" cx=\"8\" cy=\"8\" r=\"6\"/>", "in front of the visitor", to: &page)
    key("<circle class=\"received\" cx=\"8\" cy=\"8\" r=\"6\"/>", "received", to: &page)
    key("<circle class=\"spot\" cx=\"8\" cy=\"8\" r=\"6\"/>", "an exhibit", to: &page)
    page.close("ul")
    page.close("section")
    page.line()
  }

  private func key(_ drawing: StaticString, _ text: String, to page: inout Markup) {
    page.open("li")
    page.markup("<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">\(drawing)</svg>")
    page.write(text)
    page.close("li")
  }

  private func draw(_ drawing: FloorDrawing, _ name: String, to page: inout Markup) {
    let size =
      "\(ReportNumber.place(drawing.size.width)) \(ReportNumber.place(drawing.size.height))"
    page.open(
      "svg",
      [
        ("viewBox", "0 0 \(size)"), ("role", "img"), ("aria-label", "Floor plan: \(name)"),
        ("data-level", "\(drawing.level)"),
      ]
    )
    for room in drawing.rooms {
      page.open(
        "path",
        [("class", "room"), ("data-room", "\(room)"), ("d", drawing.outline(room))]
      )
      page.close("path")
    }
    drawing.drawDoors(to: &page)
    for (index, exhibit) in plan.exhibits.enumerated() {
      guard let position = exhibit.position,
        plan.room(major: exhibit.identity.major)?.level == drawing.level
      else { continue }
      draw(exhibit, index, at: drawing.place(position), to: &page)
    }
    for room in drawing.rooms {
      drawing.name(room, plan.rooms[room].name[language], to: &page)
    }
    page.markup("<g class=\"guide\" hidden=\"\"><circle class=\"guide-halo\" r=\"16\"/>")
    page.markup("<circle class=\"guide-dot\" r=\"7\"/></g></svg>")
  }

  private func draw(
    _ exhibit: Plan.Exhibit,
    _ index: Int,
    at place: Plan.Point,
    to page: inout Markup
  ) {
    let (x, y) = (ReportNumber.place(place.x), ReportNumber.place(place.y))
    page.open("g", [("class", "spot"), ("data-exhibit", "\(index)")])
    page.element("title", "\(index + 1) \(exhibit.title[language])")
    page.markup("<circle cx=\"\(x)\" cy=\"\(y)\" r=\"9\"/>")
    page.markup("<text text-anchor=\"middle\" x=\"\(x)\" ")
    page.markup("y=\"\(ReportNumber.place(place.y + 3.6))\">\(index + 1)</text>")
    page.close("g")
  }

  // MARK: Tables

  private func writeFacts(to page: inout Markup) {
    page.open("section", [("aria-labelledby", "guide-label")])
    page.element("h2", [("id", "guide-label")], "The guide")
    page.element("p", [("id", "time"), ("class", "label")], "")
    page.open("dl", [("id", "facts")])
    page.close("dl")
    page.close("section")
    page.line()
  }

  private func writeTable(
    _ name: String,
    id: String,
    _ columns: [String],
    to page: inout Markup
  ) {
    page.open("section")
    page.open("table")
    page.element("caption", name)
    page.open("thead")
    page.open("tr")
    for column in columns { page.element("th", [("scope", "col")], column) }
    page.close("tr")
    page.close("thead")
    page.open("tbody", [("id", id)])
    page.close("tbody")
    page.close("table")
    page.close("section")
    page.line()
  }

  private func writeRooms(to page: inout Markup) {
    page.open("section")
    page.open("table")
    page.element("caption", "Rooms and exhibits")
    page.open("thead")
    page.markup("<tr><th scope=\"col\">Room</th><th scope=\"col\">Major</th>")
    page.markup("<th scope=\"col\">Exhibits</th><th scope=\"col\">Guide</th></tr>")
    page.close("thead")
    page.open("tbody", [("lang", language)])
    for (index, room) in plan.rooms.enumerated() {
      page.open("tr", [("data-room-row", "\(index)")])
      page.element("th", [("scope", "row")], room.name[language])
      page.element("td", room.major.map { "\($0)" } ?? "none")
      page.element("td", exhibits(in: room))
      page.element("td", [("class", "here"), ("lang", "en")], "")
      page.close("tr")
    }
    page.close("tbody")
    page.close("table")
    page.close("section")
    page.line()
  }

  private func exhibits(in room: Plan.Room) -> String {
    plan.exhibits.enumerated().filter { room.major != nil && $1.identity.major == room.major }
      .map { "\($0 + 1) \($1.title[language])" }.joined(separator: ", ")
  }
}
