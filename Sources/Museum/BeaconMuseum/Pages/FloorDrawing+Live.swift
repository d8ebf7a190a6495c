// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

extension FloorDrawing {
  /// Writes the floor as a figure that a page's script fills: the room, the exhibit and the place of the guide.
  func writeLive(in language: String, to page: inout Markup) {
    let phrases = OperatorPhrases.of(language)
    let name = plan.floor(level)?.name[language] ?? phrases.level.filled("\(level)")
    let box = "0 0 \(ReportNumber.place(size.width)) \(ReportNumber.place(size.height))"
    page.open("figure")
    page.open(
      "svg",
      [
        ("viewBox", box), ("role", "img"), ("aria-label", phrases.floorPlan.filled(name)),
        ("data-level", "\(level)"),
      ]
    )
    for room in rooms {
      page.open("path", [("class", "room"), ("data-room", "\(room)"), ("d", outline(room))])
      page.close("path")
    }
    drawDoors(to: &page)
    // The guide is drawn below the exhibits: nothing is hidden by it, and its ring is wider than they are.
    page.markup("<g class=\"guide\" hidden=\"\"><circle class=\"guide-halo\" r=\"22\"/>")
    page.markup("<circle class=\"guide-ring\" r=\"16\"/></g>")
    for index in spots {
      drawSpot(index, in: language, [("class", "spot"), ("data-exhibit", "\(index)")], to: &page)
    }
    for room in rooms { self.name(room, plan.rooms[room].name[language], to: &page) }
    drawScale(phrases.scale, to: &page)
    page.markup("</svg>")
    page.element("figcaption", [("lang", language)], name)
    page.close("figure")
  }
}
