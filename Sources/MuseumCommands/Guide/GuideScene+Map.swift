// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
internal import BeaconCore
internal import BeaconMuseum

/// The floor plan in characters.
extension GuideScene {
  /// Converts metres to cells; a cell is about twice as high as it is wide.
  private struct Scale {
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

  /// The level of the floor shown: the visitor's, otherwise the lowest with rooms.
  private var level: Int? { view.room?.level ?? plan.rooms.map(\.level).min() }

  func drawMap(_ screen: inout Screen, column: Int, row: Int, width: Int, height: Int) {
    let name = level.flatMap(plan.floor)?.name[language] ?? plan.museum[language]
    let origin =
      switch origin {
      case .live: ""
      case .simulated: " · \(phrases.simulated)"
      case .recording: " · \(phrases.replayed)"
      }
    screen.box(column: column, row: row, width: width, height: height, title: name + origin)
    let rooms = plan.rooms.filter { $0.level == level && !$0.outline.isEmpty }
    guard
      let scale = scale(of: rooms, column + 1, row + 1, width: width - 2, height: height - 2)
    else { return list(&screen, column: column + 2, row: row + 1, width - 4, height - 2) }
    for room in rooms { drawWalls(of: room, &screen, scale) }
    for door in level.flatMap(plan.floor)?.doors ?? [] {
      let place = scale.place(door)
      screen.put(" ", column: place.column, row: place.row)
    }
    for room in rooms { drawName(of: room, &screen, scale) }
    for exhibit in plan.exhibits { draw(exhibit, &screen, scale) }
    if let position = view.position {
      let place = scale.place(position)
      screen.put(
        "@",
        column: place.column,
        row: place.row,
        style: CellStyle(.cyan, isBold: true, isReversed: true)
      )
    }
  }

  private func scale(
    of rooms: [Plan.Room],
    _ column: Int,
    _ row: Int,
    width: Int,
    height: Int
  ) -> Scale? {
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

  private func drawWalls(of room: Plan.Room, _ screen: inout Screen, _ scale: Scale) {
    let style: CellStyle = room == view.room ? CellStyle(.cyan, isBold: true) : .dim
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
      style: room == view.room ? .bold : .dim
    )
  }

  private func draw(_ exhibit: Plan.Exhibit, _ screen: inout Screen, _ scale: Scale) {
    guard let position = exhibit.position,
      plan.room(major: exhibit.identity.major)?.level == level
    else { return }
    let place = scale.place(position)
    let isShown = exhibit.identity == view.exhibit?.identity
    let isASCII = screen.glyphs == .ascii
    screen.put(
      isShown ? (isASCII ? "*" : "◆") : (isASCII ? "o" : "◇"),
      column: place.column,
      row: place.row,
      style: isShown ? CellStyle(Self.grade(view.confidence).color, isBold: true) : .plain
    )
  }

  /// Draws a list of the rooms, if the plan has no drawing.
  private func list(_ screen: inout Screen, column: Int, row: Int, _ width: Int, _ height: Int) {
    for (index, room) in plan.rooms.prefix(max(0, height)).enumerated() {
      let isHere = room == view.room
      screen.put(
        (isHere ? "@ " : "  ") + room.name[language],
        column: column,
        row: row + index,
        style: isHere ? .bold : .plain,
        width: width
      )
    }
  }
}
