// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconTerminal
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum

extension GuideScene {
  /// The width of the smallest screen with room for a plan and a text.
  package static let leastColumns = 60
  package static let leastRows = 16

  /// Draws the whole screen.
  package func screen(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows, glyphs: glyphs)
    guard columns >= Self.leastColumns, rows >= Self.leastRows else {
      screen.put(
        "The guide needs \(Self.leastColumns) × \(Self.leastRows) characters.",
        column: 0,
        row: 0,
        width: columns
      )
      return screen
    }
    drawHeader(&screen)
    let bottom = rows - 3
    if isOpen {
      let left = max(34, min(columns - 26, columns * 56 / 100))
      let nearRows = min(9, max(5, (bottom - 1) / 3))
      drawMap(&screen, column: 0, row: 1, width: left, height: bottom - 1 - nearRows)
      drawNear(&screen, column: 0, row: bottom - nearRows, width: left, height: nearRows)
      drawExhibit(&screen, column: left, row: 1, width: columns - left, height: bottom - 1)
    } else {
      drawClosed(&screen)
    }
    drawQuestion(&screen, row: bottom)
    drawKeys(&screen, row: rows - 1)
    return screen
  }

  // MARK: Header and footer

  private func drawHeader(_ screen: inout Screen) {
    screen.fill(column: 0, row: 0, width: screen.columns, style: .reversed)
    let room = view.room.map { " · \($0.name[language])" } ?? ""
    let end = screen.put(
      " \(plan.museum[language])\(room)",
      column: 0,
      row: 0,
      style: CellStyle(isBold: true, isReversed: true),
      width: screen.columns / 2
    )
    let clock = time.map { RFC3339.timeOfDay($0).prefix(8) } ?? ""
    screen.putRight(
      "\(mark) · \(permission)  \(clock) ",
      endingAt: screen.columns,
      row: 0,
      style: .reversed,
      width: screen.columns - end - 1
    )
  }

  /// The usage indicator, as a symbol and text.
  private var mark: String {
    switch indicator {
    case .none: "○ not in use"
    case .hollow: "◇ may use"
    case .solid: "◆ using"
    case .session: "■ in background"
    }
  }

  /// The permission as text.
  private var permission: String {
    switch authorization {
    case .notDetermined: "not asked"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorizedAlways, .authorizedWhenInUse:
      (authorization == .authorizedAlways ? "always" : "while using")
        + (accuracy == .full ? ", precise" : ", approximate")
    }
  }

  private func drawQuestion(_ screen: inout Screen, row: Int) {
    guard let prompt else {
      let lines = log.suffix(2)
      for (index, line) in lines.enumerated() {
        screen.put(" \(line)", column: 0, row: row + index, style: .dim, width: screen.columns)
      }
      return
    }
    let keys = TextWrap.lines(prompt.keys.trimmed, width: screen.columns - 2)
    for (index, line) in keys.prefix(2).enumerated() {
      screen.put(" \(line)", column: 0, row: row + index, style: .bold, width: screen.columns)
    }
  }

  private func drawKeys(_ screen: inout Screen, row: Int) {
    screen.fill(column: 0, row: row, width: screen.columns, style: .reversed)
    let place = isOpen ? "[b] background" : "[b] back"
    let keys =
      prompt == nil
      ? "[a] allow [o] once [d] deny [p] precise \(place) [l] language [q] quit"
      : "answer with one key  [q] quit"
    screen.put(" \(keys)", column: 0, row: row, style: .reversed, width: screen.columns)
  }

  private func drawClosed(_ screen: inout Screen) {
    let middle = screen.rows / 2 - 1
    let text = "The guide is in the background."
    screen.put(text, column: max(0, (screen.columns - text.count) / 2), row: middle, style: .dim)
    guard let notification else { return }
    let width = min(screen.columns - 4, CellWidth.of(notification) + 6)
    let column = (screen.columns - width) / 2
    screen.box(column: column, row: middle + 2, width: width, height: 3, style: .bold)
    screen.put(notification, column: column + 3, row: middle + 3, style: .bold, width: width - 4)
  }

  // MARK: What is in front of the visitor

  private func drawExhibit(
    _ screen: inout Screen,
    column: Int,
    row: Int,
    width: Int,
    height: Int
  ) {
    screen.box(column: column, row: row, width: width, height: height, title: "In front of you")
    let inner = width - 4
    var line = row + 1
    func put(_ text: String, _ style: CellStyle = .plain) {
      for part in TextWrap.lines(text, width: inner) where line < row + height - 1 {
        screen.put(part, column: column + 2, row: line, style: style, width: inner)
        line += 1
      }
    }
    if let prompt {
      for text in prompt.lines.dropLast() { put(text.trimmed, .bold) }
      line += 1
    }
    guard view.status == .inside else {
      put(GuideSentence.text(of: view.status))
      return
    }
    guard let exhibit = view.exhibit else {
      put(
        view.room?.major == nil && view.room != nil
          ? "There is nothing on show in this room." : "Come nearer to what you like."
      )
      return
    }
    put(exhibit.title[language], .bold)
    let grade = Self.grade(view.confidence)
    let color = CellStyle(grade.color, isBold: true)
    if line < row + height - 1 {
      let end = screen.put("sure: \(grade.letter) ", column: column + 2, row: line, style: color)
      let bar = max(4, min(20, inner - 12))
      screen.bar(view.confidence, column: end, row: line, width: bar, style: color)
      line += 2
    }
    if let text = exhibit.text { put(text[language]) }
  }

  private func drawNear(
    _ screen: inout Screen,
    column: Int,
    row: Int,
    width: Int,
    height: Int
  ) {
    screen.box(column: column, row: row, width: width, height: height, title: "Near")
    for (index, near) in view.near.prefix(height - 2).enumerated() {
      let line = row + 1 + index
      let isShown = near.exhibit.identity == view.exhibit?.identity
      let style: CellStyle = isShown ? .bold : .plain
      screen.put(
        near.exhibit.title[language],
        column: column + 2,
        row: line,
        style: style,
        width: width - 24
      )
      let distance = near.distance.map { DecimalText.fixed($0.meters, decimals: 1) + " m" } ?? "-"
      screen.putRight(
        "\(near.proximity.name) \(distance)",
        endingAt: column + width - 11,
        row: line,
        style: style,
        width: 17
      )
      let grade = Self.grade(near.confidence)
      screen.put(grade.letter, column: column + width - 9, row: line, style: CellStyle(grade.color))
      screen.bar(
        near.confidence,
        column: column + width - 7,
        row: line,
        width: 5,
        style: CellStyle(grade.color)
      )
    }
  }
}

extension String {
  /// The text without leading and trailing spaces.
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// Breaks text into lines of a width.
enum TextWrap {
  /// Returns the lines of a text, broken between words.
  ///
  /// A word longer than a line becomes a line of its own, which the screen cuts.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - width: The most cells of a line.
  /// - Returns: The lines, at least one.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ") {
      let length = CellWidth.of(word)
      if used > 0, used + 1 + length > width {
        lines.append(line)
        (line, used) = ("", 0)
      }
      if used > 0 {
        line += " "
        used += 1
      }
      line += word
      used += length
    }
    lines.append(line)
    return lines
  }
}
