// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// A drawing of one floor of the plan: rooms, walls and doors, scaled from meters to drawing units.
struct FloorDrawing {
  /// The width of a drawing, in units.
  private static let width = 620.0
  /// The maximum number of units for a meter, so that a small museum is not drawn too large.
  private static let mostScale = 50.0
  private static let margin = 12.0
  /// The height in units of the strip below the rooms that holds the scale.
  private static let scaleHeight = 26.0
  /// The width of a drawn door, in meters.
  private static let doorWidth = 1.2

  let level: Int
  /// The rooms of the floor that are drawn, as indices into the plan.
  let rooms: [Int]
  let scale: Double
  let size: (width: Double, height: Double)
  private let origin: Plan.Point
  let plan: Plan

  /// Returns drawings of the floors that the plan draws, from the lowest up.
  static func all(_ plan: Plan) -> [FloorDrawing] {
    Set(plan.rooms.filter { !$0.outline.isEmpty }.map(\.level)).sorted()
      .compactMap { FloorDrawing(plan, level: $0) }
  }

  private init?(_ plan: Plan, level: Int) {
    self.plan = plan
    self.level = level
    rooms = plan.rooms.indices.filter {
      plan.rooms[$0].level == level && !plan.rooms[$0].outline.isEmpty
    }
    let corners = rooms.flatMap { plan.rooms[$0].outline }
    guard let left = corners.map(\.x).min(), let right = corners.map(\.x).max(),
      let top = corners.map(\.y).min(), let bottom = corners.map(\.y).max(),
      right > left, bottom > top
    else { return nil }
    scale = min(Self.mostScale, Self.width / (right - left))
    origin = Plan.Point(left, top)
    size = (
      (right - left) * scale + 2 * Self.margin,
      (bottom - top) * scale + 2 * Self.margin + Self.scaleHeight
    )
  }

  /// Converts a position to units.
  func place(_ point: Plan.Point) -> Plan.Point {
    (point - origin) * scale + Plan.Point(Self.margin, Self.margin)
  }

  /// Returns a position in the form of an SVG path.
  func text(_ point: Plan.Point) -> String {
    let place = place(point)
    return "\(ReportNumber.place(place.x)) \(ReportNumber.place(place.y))"
  }

  /// Writes the start of the drawing with rooms, walls and doors.
  func begin(_ context: ReportContext, title: String, to page: inout Markup) {
    let box = "0 0 \(ReportNumber.place(size.width)) \(ReportNumber.place(size.height))"
    page.open("svg", [("viewBox", box), ("role", "img"), ("aria-label", title)])
    page.element("title", title)
    for room in rooms {
      page.markup("<path class=\"\(context.color(ofRoom: room)) thin\" d=\"\(outline(room))\"/>")
    }
    for room in rooms { page.markup("<path class=\"wall\" d=\"\(outline(room))\"/>") }
    drawDoors(to: &page)
  }

  /// Draws the floor's doors and its entrance.
  func drawDoors(to page: inout Markup) {
    for door in plan.floor(level)?.doors ?? [] { draw(door, to: &page) }
    if let entrance = plan.floor(level)?.entrance { draw(entrance, to: &page) }
  }

  /// The length in meters of the scale: a round number, about a sixth of the drawing.
  private var scaleLength: Double {
    let wanted = size.width / scale / 6
    return [1, 2, 5, 10, 20, 50, 100, 200, 500].last { $0 <= wanted } ?? 1
  }

  /// Draws a scale in meters below the rooms, with a label such as `{0} m`.
  func drawScale(_ label: String, to page: inout Markup) {
    let left = ReportNumber.place(Self.margin)
    let right = ReportNumber.place(Self.margin + scaleLength * scale)
    let y = ReportNumber.place(size.height - Self.scaleHeight / 2)
    page.markup("<path class=\"scale\" d=\"M\(left) \(y)H\(right)\"/>")
    page.element(
      "text",
      [
        ("class", "scale-label"), ("x", ReportNumber.place(Self.margin + scaleLength * scale + 8)),
        ("y", y), ("dominant-baseline", "central"),
      ],
      label.filled(ReportNumber.place(scaleLength))
    )
  }

  /// Returns the outline of a room in the form of an SVG path.
  func outline(_ room: Int) -> String {
    "M" + plan.rooms[room].outline.map(text).joined(separator: "L") + "Z"
  }

  /// The exhibits whose beacons are drawn on the floor, as indices into the plan.
  var spots: [Int] {
    plan.exhibits.indices.filter { index in
      let exhibit = plan.exhibits[index]
      return exhibit.position != nil && plan.room(major: exhibit.identity.major)?.level == level
    }
  }

  /// Draws an exhibit's beacon as a disc with the exhibit's number; one without a position is not drawn.
  func drawSpot(
    _ index: Int,
    in language: String,
    _ attributes: [(StaticString, String)],
    to page: inout Markup
  ) {
    let exhibit = plan.exhibits[index]
    guard let position = exhibit.position else { return }
    let place = place(position)
    let (x, y) = (ReportNumber.place(place.x), ReportNumber.place(place.y))
    page.open("g", attributes)
    page.element("title", "\(exhibit.number) \(exhibit.title[language])")
    page.markup("<circle cx=\"\(x)\" cy=\"\(y)\" r=\"11\"/>")
    // A long number is pressed together to fit into the disc.
    let long = exhibit.number > 99 ? "textLength=\"17\" lengthAdjust=\"spacingAndGlyphs\" " : ""
    page.markup("<text text-anchor=\"middle\" dominant-baseline=\"central\" \(long)")
    page.markup("x=\"\(x)\" y=\"\(y)\">\(exhibit.number)</text>")
    page.close("g")
  }

  /// Draws a door as a gap in the nearest wall.
  private func draw(_ door: Plan.Point, to page: inout Markup) {
    let walls = rooms.flatMap { Polygon.walls(plan.rooms[$0].outline) }
    guard
      let wall = walls.min(by: {
        door.distance(toWallFrom: $0.0, to: $0.1) < door.distance(toWallFrom: $1.0, to: $1.1)
      })
    else { return }
    let half = (wall.1 - wall.0).direction * (Self.doorWidth / 2)
    page.markup("<path class=\"door\" d=\"M\(text(door - half))L\(text(door + half))\"/>")
  }

  /// Writes the end of the drawing, with the names of rooms above everything drawn before.
  func end(_ context: ReportContext, to page: inout Markup) {
    for room in rooms { name(room, context.roomName(room), to: &page) }
    drawScale(OperatorPhrases.of(context.language).scale, to: &page)
    page.markup("</svg>")
  }

  /// Writes a room's name in its corner, or below without hiding a beacon if there is room for that.
  func name(_ room: Int, _ name: String, to page: inout Markup) {
    guard let place = corner(room) else { return }
    page.element(
      "text",
      [
        ("x", ReportNumber.place(place.x + Self.inset)),
        ("y", ReportNumber.place(nameTop(room, name, below: place))), ("class", "b halo"),
      ],
      name
    )
  }

  /// The place of a room's corner that is nearest to the top left of the drawing.
  private func corner(_ room: Int) -> Plan.Point? {
    plan.rooms[room].outline.min { $0.x + $0.y < $1.x + $1.y }.map(place)
  }

  private func nameTop(_ room: Int, _ name: String, below corner: Plan.Point) -> Double {
    let first = corner.y + Self.nameLine
    let width = Double(name.count) * Self.narrow.letter
    return freeTop(from: first, below: corner, in: room, width, lines: 1, Self.narrow.disc) ?? first
  }

  // MARK: Visitors in a room

  /// How far from its corner the texts of a room begin, and the line of its name.
  private static let (inset, nameLine) = (8.0, 18.0)
  /// The height of a line of names, the width of a letter, and the radius of a disc with its border.
  private static let (line, letter, disc) = (16.0, 7.5, 13.0)
  /// The width of a letter and the radius of a disc on a narrow screen, on which both are larger.
  private static let narrow = (letter: 12.0, disc: 19.0)

  /// Writes names in a room, without hiding a beacon if there is room for that.
  func drawGuests(_ names: [String], in room: Int, called title: String, to page: inout Markup) {
    guard let corner = corner(room), !names.isEmpty else { return }
    let x = ReportNumber.place(corner.x + Self.inset)
    let width = Double(names.map(\.count).max() ?? 0) * Self.letter
    let y = nameTop(room, title, below: corner) + Self.line
    let top = freeTop(from: y, below: corner, in: room, width, lines: names.count, Self.disc) ?? y
    page.open(
      "text",
      [("class", "b halo guest"), ("data-room", title), ("y", ReportNumber.place(top))]
    )
    for (index, name) in names.enumerated() {
      page.element("tspan", [("x", x), ("dy", index == 0 ? "0" : "1.35em")], name)
    }
    page.close("text")
  }

  /// The first line at which names do not touch a disc; `nil` if the room has no such line.
  private func freeTop(
    from first: Double,
    below corner: Plan.Point,
    in room: Int,
    _ width: Double,
    lines: Int,
    _ disc: Double
  ) -> Double? {
    let discs = spots.compactMap { plan.exhibits[$0].position.map(place) }
    let bottom = plan.rooms[room].outline.map { place($0).y }.max() ?? first
    let height = Double(lines - 1) * Self.line
    return stride(from: first, to: bottom - height, by: 4).first { top in
      !discs.contains { place in
        place.x > corner.x - disc && place.x < corner.x + Self.inset + width + disc
          && place.y > top - Self.line + 4 - disc && place.y < top + height + 4 + disc
      }
    }
  }
}
