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
        phrases.tooSmall.filled("\(Self.leastColumns)", "\(Self.leastRows)"),
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
    let clock = time.map(clock) ?? ""
    screen.putRight(
      "\(mark) · \(permission)  \(clock) ",
      endingAt: screen.columns,
      row: 0,
      style: .reversed,
      width: screen.columns - end - 1
    )
  }

  /// The guide's local time, and its zone.
  private func clock(_ time: Timestamp) -> String {
    let offset = zone.offset(time)
    return "\(RFC3339.timeOfDay(offset.moved(time)).prefix(8)) \(RowClock.name(offset))"
  }

  /// The usage indicator, as a symbol and text.
  private var mark: String {
    switch indicator {
    case .none: "○ \(phrases.notInUse)"
    case .hollow: "◇ \(phrases.mayUse)"
    case .solid: "◆ \(phrases.using)"
    case .session: "■ \(phrases.inBackground)"
    }
  }

  /// The permission as text.
  private var permission: String { phrases.permission(authorization, accuracy) }

  private func drawQuestion(_ screen: inout Screen, row: Int) {
    guard let prompt else {
      var lines = Array(log.suffix(2))
      if hasEnded { lines = log.suffix(1) + [phrases.ended] }
      if !typed.isEmpty { lines = [phrases.typing.filled(typed)] }
      for (index, line) in lines.enumerated() {
        screen.put(" \(line)", column: 0, row: row + index, style: .dim, width: screen.columns)
      }
      return
    }
    // A key stays with its action.
    let keys = TextWrap.lines(of: prompt.keys(in: language), width: screen.columns - 2)
    for (index, line) in keys.prefix(2).enumerated() {
      screen.put(" \(line)", column: 0, row: row + index, style: .bold, width: screen.columns)
    }
  }

  private func drawKeys(_ screen: inout Screen, row: Int) {
    screen.fill(column: 0, row: row, width: screen.columns, style: .reversed)
    screen.put(
      " \(keys(screen.columns - 2))",
      column: 0,
      row: row,
      style: .reversed,
      width: screen.columns
    )
  }

  /// The keys and their actions; if the line is short, the least needed ones are left out, never the way back to a language that the
  /// visitor reads, nor to a closed guide.
  private func keys(_ width: Int) -> String {
    let quit = "[q] \(phrases.quitKey)"
    if hasEnded { return quit }
    if prompt != nil { return "\(phrases.oneKey)  [l] \(phrases.languageKey)  \(quit)" }
    let place = view.status == .reduced ? ["[w] \(phrases.placeKey)"] : []
    let always = [quit, "[l] \(phrases.languageKey)"]
    let settings = [
      "[a] \(phrases.allowKey)", "[o] \(phrases.onceKey)", "[d] \(phrases.denyKey)",
    ]
    let precise = "[p] \(phrases.preciseKey)"
    var keys = always
    if isOpen {
      keys += place + settings
      keys += ["[n] \(phrases.nextKey)", "[b] \(phrases.closeKey)", precise]
    } else {
      keys.append("[b] \(phrases.backKey)")
      keys += settings + [precise]
    }
    var line = ""
    for key in keys where CellWidth.of(line) + CellWidth.of(key) < width {
      line += (line.isEmpty ? "" : " ") + key
    }
    return line
  }

  private func drawClosed(_ screen: inout Screen) {
    let middle = screen.rows / 2 - 1
    let text = phrases.closed
    screen.put(text, column: max(0, (screen.columns - text.count) / 2), row: middle, style: .dim)
    guard let notification else { return }
    let width = min(screen.columns - 4, CellWidth.of(notification) + 6)
    let column = (screen.columns - width) / 2
    screen.box(column: column, row: middle + 2, width: width, height: 3, style: .bold)
    screen.put(notification, column: column + 3, row: middle + 3, style: .bold, width: width - 4)
  }

  // MARK: In front of the visitor

  private func drawExhibit(
    _ screen: inout Screen,
    column: Int,
    row: Int,
    width: Int,
    height: Int
  ) {
    let title = VisitorPhrases.of(language).exhibit
    screen.box(column: column, row: row, width: width, height: height, title: title)
    let inner = width - 4
    var line = row + 1
    func put(_ text: String, _ style: CellStyle = .plain) {
      for part in TextWrap.lines(text, width: inner) where line < row + height - 1 {
        screen.put(part, column: column + 2, row: line, style: style, width: inner)
        line += 1
      }
    }
    if let prompt {
      for text in prompt.lines(in: language) { put(text, .bold) }
      line += 1
    }
    if let opened {
      put(phrases.opened, .dim)
      put(opened.title[language], .bold)
      line += 1
      if let text = opened.text { put(text[language]) }
      return
    }
    let visitor = VisitorPhrases.of(language)
    if let message = visitor.message(view.status) {
      put(message.title, .bold)
      put(message.text)
      return
    }
    guard let exhibit = view.exhibit else {
      let isBare = view.room?.major == nil && view.room != nil
      let message = isBare ? visitor.emptyRoom : visitor.nothingNear
      put(message.title, .bold)
      put(message.text)
      return
    }
    put(exhibit.title[language], .bold)
    let grade = Self.grade(view.confidence)
    let color = CellStyle(grade.color, isBold: true)
    if line < row + height - 1 {
      let end = screen.put(
        phrases.sure.filled(grade.letter) + " ",
        column: column + 2,
        row: line,
        style: color
      )
      let bar = max(4, min(20, column + width - 4 - end))
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
    screen.box(column: column, row: row, width: width, height: height, title: phrases.around)
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
        "\(phrases.name(near.proximity))\(near.isHeld ? "~" : "") \(distance)",
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

/// Breaks text into lines of a width.
enum TextWrap {
  /// Returns the lines of a text, broken between words.
  ///
  /// A word longer than a line becomes a separate line, which the screen cuts.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - width: The most cells of a line.
  /// - Returns: The lines, at least one.
  static func lines(_ text: String, width: Int) -> [String] {
    lines(of: text.split(separator: " "), width: width)
  }

  /// Returns lines of words, or of other parts that stay whole, with a blank between two of them.
  static func lines(of words: [some StringProtocol], width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in words {
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
