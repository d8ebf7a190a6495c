// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Screen {
  /// Returns the text that shows the screen on a terminal, whatever the terminal shows now.
  ///
  /// - Parameter hasColor: Whether colors are written.
  /// - Returns: Text with escape sequences.
  package func rendered(hasColor: Bool) -> String {
    var output = "\u{1B}[0m\u{1B}[2J"
    var style = CellStyle.plain
    for row in 0..<rows {
      appendRow(row, from: nil, hasColor: hasColor, style: &style, to: &output)
    }
    return output + (style == .plain ? "" : CellStyle.plain.sequence(hasColor: hasColor))
  }

  /// Returns the text that changes another screen on a terminal to this one; empty if they are equal.
  ///
  /// - Parameters:
  ///   - old: The screen that the terminal shows. If its size differs, the whole new screen is drawn.
  ///   - hasColor: Whether colors are written.
  /// - Returns: Text with escape sequences.
  package func rendered(over old: Screen, hasColor: Bool) -> String {
    guard old.columns == columns, old.rows == rows else { return rendered(hasColor: hasColor) }
    var output = ""
    var style = CellStyle.plain
    for row in 0..<rows {
      appendRow(row, from: old, hasColor: hasColor, style: &style, to: &output)
    }
    return output + (style == .plain ? "" : CellStyle.plain.sequence(hasColor: hasColor))
  }

  /// Writes the cells of a row that differ, after moving the cursor to them.
  ///
  /// The style is plain between two sequences, since each starts and ends with the plain style.
  private func appendRow(
    _ row: Int,
    from old: Screen?,
    hasColor: Bool,
    style: inout CellStyle,
    to output: inout String
  ) {
    let start = row * columns
    var cursor: Int?
    for column in 0..<columns {
      let cell = cells[start + column]
      guard let character = cell.character else { continue }
      if let old {
        guard differs(start + column, from: old) else { continue }
      } else if cell == .blank {
        continue
      }
      if cursor != column { output += "\u{1B}[\(row + 1);\(column + 1)H" }
      if cell.style != style {
        output += cell.style.sequence(hasColor: hasColor)
        style = cell.style
      }
      output.append(character)
      cursor = column + CellWidth.of(character)
    }
  }

  /// Whether a character differs from the old one in any of its cells.
  private func differs(_ index: Int, from old: Screen) -> Bool {
    if cells[index] != old.cells[index] { return true }
    let next = index + 1
    return next < cells.count && next % columns != 0 && cells[next].character == nil
      && old.cells[next].character != nil
  }
}
