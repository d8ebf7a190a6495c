// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
internal import BeaconCore
internal import BeaconMuseum

/// The floor plan with the visitor on it.
extension GuideScene {
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
    let map = PlanMap(plan: plan, language: language, level: level, here: view.room)
    guard let scale = map.scale(column + 1, row + 1, width: width - 2, height: height - 2) else {
      return list(&screen, column: column + 2, row: row + 1, width - 4, height - 2)
    }
    let isASCII = screen.glyphs == .ascii
    map.draw(
      &screen,
      scale,
      plan.exhibits.map { exhibit in
        let isShown = exhibit.identity == view.exhibit?.identity
        return (
          exhibit, isShown ? (isASCII ? "*" : "◆") : (isASCII ? "o" : "◇"),
          isShown ? CellStyle(Self.grade(view.confidence).color, isBold: true) : .plain
        )
      }
    )
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
