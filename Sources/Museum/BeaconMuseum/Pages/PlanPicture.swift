// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// The drawing of a plan as an SVG file: each floor with its rooms, doors and exhibits, and a list of the exhibits.
public struct PlanPicture: Sendable {
  private let plan: Plan
  private let language: String
  private let phrases: OperatorPhrases

  /// The width of the picture, in units: that of a floor's drawing with its margins.
  private static let width = 644.0
  /// The height of a floor's name above its drawing, and of a row of the list.
  private static let (nameHeight, rowHeight) = (28.0, 17.0)
  /// The space below the list.
  private static let margin = 12.0
  /// The most characters of an exhibit's title in the list: what fits half of the picture.
  private static let titleLength = 40

  /// Creates the picture of a plan in one of its languages.
  public init(of plan: Plan, in language: String) {
    self.plan = plan
    self.language = language
    phrases = OperatorPhrases.of(language)
  }

  /// The file; `nil` if the plan draws no rooms.
  public var svg: String? {
    let drawings = FloorDrawing.all(plan)
    guard !drawings.isEmpty else { return nil }
    let rows = (plan.exhibits.count + 1) / 2
    let floors = drawings.reduce(0) { $0 + Self.nameHeight + $1.size.height }
    let height = floors + Double(rows) * Self.rowHeight + Self.margin
    var page = Markup()
    let size = "0 0 \(ReportNumber.place(Self.width)) \(ReportNumber.place(height))"
    page.markup("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"\(size)\">\n")
    page.element("title", plan.museum[language])
    page.markup("<style>\(Texts.pictureStyle)</style>\n")
    var top = 0.0
    for drawing in drawings {
      page.markup("<g transform=\"translate(0 \(ReportNumber.place(top + Self.nameHeight)))\">")
      draw(drawing, to: &page)
      page.markup("</g>\n")
      top += Self.nameHeight + drawing.size.height
    }
    for (index, exhibit) in plan.exhibits.enumerated() {
      let x = index < rows ? 12 : Self.width / 2 + 6
      let y = top + Double(index % max(1, rows)) * Self.rowHeight + 12
      text("list", "\(exhibit.number)  \(clipped(exhibit.title[language]))", x, y, to: &page)
    }
    page.markup("</svg>\n")
    return page.text
  }

  private func draw(_ drawing: FloorDrawing, to page: inout Markup) {
    let level = phrases.level.filled("\(drawing.level)")
    text("floor", plan.floor(drawing.level)?.name[language] ?? level, 12, -8, to: &page)
    for room in drawing.rooms {
      page.markup("<path class=\"room\" d=\"\(drawing.outline(room))\"/>")
    }
    drawing.drawDoors(to: &page)
    for index in drawing.spots {
      drawing.drawSpot(index, in: language, [("class", "spot")], to: &page)
    }
    for room in drawing.rooms { drawing.name(room, plan.rooms[room].name[language], to: &page) }
    drawing.drawScale(phrases.scale, to: &page)
  }

  private func text(
    _ style: String,
    _ content: String,
    _ x: Double,
    _ y: Double,
    to page: inout Markup
  ) {
    page.element(
      "text",
      [("class", style), ("x", ReportNumber.place(x)), ("y", ReportNumber.place(y))],
      content
    )
  }

  private func clipped(_ title: String) -> String {
    title.count > Self.titleLength ? title.prefix(Self.titleLength - 1) + "…" : title
  }
}
