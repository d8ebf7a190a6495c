// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
internal import BeaconCore
internal import BeaconMuseum

/// The drawing of a floor in characters: its rooms, doors and exhibits.
struct PlanMap {
  let plan: Plan
  let language: String
  /// The floor's level.
  let level: Int?
  /// The room that is set off; `nil` for none.
  var here: Plan.Room?

  /// Converts meters to cells; a cell is about twice as high as it is wide.
  struct Scale {
    var left: Double
    var top: Double
    var perColumn: Double
    var column: Int
    var row: Int

    func place(_ point: Plan.Point) -> (column: Int, row: Int) {
      (
        column + Int(((point.x - left) / perColumn).rounded()),
        row + Int(((point.y - top) / (2 * perColumn)).rounded())
      )
    }
  }

  /// The rooms of the floor that are drawn.
  var rooms: [Plan.Room] { plan.rooms.filter { $0.level == level && !$0.outline.isEmpty } }

  /// The number of rows of a drawing that is as wide as possible; `nil` if the floor has no drawing.
  func height(width: Int) -> Int? {
    let points = rooms.flatMap(\.outline)
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(),
      let top = points.map(\.y).min(), let bottom = points.map(\.y).max(),
      width > 2, right > left, bottom > top
    else { return nil }
    let rows = (bottom - top) / (right - left) * Double(width - 1) / 2
    return Int(min(rows, Double(Screen.sizeLimit)).rounded(.up)) + 1
  }

  /// Returns how meters become cells of an area; `nil` if the floor has no drawing or the area is too small.
  func scale(_ column: Int, _ row: Int, width: Int, height: Int) -> Scale? {
    let points = rooms.flatMap(\.outline)
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(),
      let top = points.map(\.y).min(), let bottom = points.map(\.y).max(),
      width > 2, height > 2, right > left, bottom > top
    else { return nil }
    let perColumn = max(
      (right - left) / Double(width - 1),
      (bottom - top) / Double(2 * (height - 1))
    )
    let spare = width - 1 - Int((right - left) / perColumn)
    return Scale(
      left: left,
      top: top,
      perColumn: perColumn,
      column: column + max(0, spare / 2),
      row: row
    )
  }

  /// Draws the rooms, and each exhibit as a text in a style.
  func draw(
    _ screen: inout Screen,
    _ scale: Scale,
    _ exhibits: [(exhibit: Plan.Exhibit, text: String, style: CellStyle)]
  ) {
    for room in rooms { drawWalls(of: room, &screen, scale) }
    for door in level.flatMap(plan.floor)?.doors ?? [] {
      let place = scale.place(door)
      screen.put(" ", column: place.column, row: place.row)
    }
    for room in rooms { drawName(of: room, &screen, scale) }
    for entry in exhibits {
      guard let position = entry.exhibit.position,
        plan.room(major: entry.exhibit.identity.major)?.level == level
      else { continue }
      let place = scale.place(position)
      screen.put(entry.text, column: place.column, row: place.row, style: entry.style)
    }
  }

  private func drawWalls(of room: Plan.Room, _ screen: inout Screen, _ scale: Scale) {
    let style: CellStyle = room == here ? CellStyle(.cyan, isBold: true) : .dim
    for (first, second) in Polygon.walls(room.outline) {
      let (start, end) = (scale.place(first), scale.place(second))
      let steps = max(abs(end.column - start.column), abs(end.row - start.row), 1)
      let isFlat = abs(end.column - start.column) >= 2 * abs(end.row - start.row)
      let character = isFlat ? screen.glyphs.horizontal : screen.glyphs.vertical
      for step in 0...steps {
        let column = start.column + (end.column - start.column) * step / steps
        let row = start.row + (end.row - start.row) * step / steps
        screen.put(String(character), column: column, row: row, style: style)
      }
    }
    for corner in room.outline {
      let place = scale.place(corner)
      let glyph = screen.glyphs == .ascii ? "+" : "┼"
      screen.put(glyph, column: place.column, row: place.row, style: style)
    }
  }

  private func drawName(of room: Plan.Room, _ screen: inout Screen, _ scale: Scale) {
    guard let center = Polygon.center(room.outline),
      let left = room.outline.map(\.x).min(), let right = room.outline.map(\.x).max()
    else { return }
    let place = scale.place(center)
    let width = Int((right - left) / scale.perColumn) - 1
    let name = CellWidth.clip(room.name[language], to: max(0, width))
    screen.put(
      name,
      column: place.column - CellWidth.of(name) / 2,
      row: place.row,
      style: room == here ? .bold : .dim
    )
  }
}
