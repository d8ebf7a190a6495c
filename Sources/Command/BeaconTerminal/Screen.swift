// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A grid of characters with their styles, as a terminal shows it.
///
/// It is a value: draw into it, then render it as bytes.
///
/// Columns and rows count from 0 at the upper left. Anything drawn outside is ignored, so drawing code need not know
/// the size of the terminal. Text is drawn by grapheme clusters. A wide character takes two cells. A character without
/// a separate cell (a control character, a combining mark without a letter) is omitted, so no outside text can move
/// the cursor.
///
/// ```swift
/// var screen = Screen(columns: 80, rows: 24)
/// screen.put("hall 2", column: 0, row: 0, style: .bold)
/// screen.bar(0.4, column: 10, row: 0, width: 20)
/// terminal.draw(screen)
/// ```
package struct Screen: Sendable, Equatable {
  /// The number of columns.
  package let columns: Int
  /// The number of rows.
  package let rows: Int
  /// The cells, row by row.
  package private(set) var cells: [Cell]
  /// The characters used to draw boxes, bars and charts.
  package var glyphs: Glyphs

  /// The largest width and height, so that a terminal that reports a huge size cannot fill the memory.
  package static let sizeLimit = 1000

  /// Creates an empty screen; each dimension is limited to 0 through ``sizeLimit``.
  package init(columns: Int, rows: Int, glyphs: Glyphs = .unicode) {
    self.columns = min(max(0, columns), Self.sizeLimit)
    self.rows = min(max(0, rows), Self.sizeLimit)
    self.glyphs = glyphs
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// Returns a cell; `nil` outside the screen.
  package subscript(column: Int, row: Int) -> Cell? {
    contains(column, row) ? cells[row * columns + column] : nil
  }

  private func contains(_ column: Int, _ row: Int) -> Bool {
    column >= 0 && column < columns && row >= 0 && row < rows
  }

  /// Draws text on a row.
  ///
  /// - Parameters:
  ///   - text: The text; parts outside the screen are ignored.
  ///   - column: The first column; it may be outside the screen.
  ///   - row: The row.
  ///   - style: The style of the text.
  ///   - width: The most cells it may take; longer text is cut and ends in an ellipsis. `nil` for no limit.
  /// - Returns: The column after the text.
  @discardableResult
  package mutating func put(
    _ text: String,
    column: Int,
    row: Int,
    style: CellStyle = .plain,
    width: Int? = nil
  ) -> Int {
    var column = column
    for character in width.map({ CellWidth.clip(text, to: $0) }) ?? text {
      column += put(character, column: column, row: row, style: style)
    }
    return column
  }

  /// Draws text so that it ends before a column; text that is too long is cut and ends in an ellipsis.
  package mutating func putRight(
    _ text: String,
    endingAt end: Int,
    row: Int,
    style: CellStyle = .plain,
    width: Int
  ) {
    let clipped = CellWidth.clip(text, to: width)
    put(clipped, column: end - CellWidth.of(clipped), row: row, style: style)
  }

  /// Fills an area with one character of width 1.
  package mutating func fill(
    column: Int,
    row: Int,
    width: Int,
    height: Int = 1,
    with character: Character = " ",
    style: CellStyle = .plain
  ) {
    for y in max(0, row)..<max(max(0, row), min(rows, row + height)) {
      for x in max(0, column)..<max(max(0, column), min(columns, column + width)) {
        put(character, column: x, row: y, style: style)
      }
    }
  }

  /// Changes the style of an area and leaves its characters.
  package mutating func restyle(
    column: Int,
    row: Int,
    width: Int,
    _ change: (inout CellStyle) -> Void
  ) {
    for x in column..<max(column, column + width) where contains(x, row) {
      change(&cells[row * columns + x].style)
    }
  }

  /// Draws one character and returns its width, even if it is outside the screen.
  @discardableResult
  private mutating func put(
    _ character: Character,
    column: Int,
    row: Int,
    style: CellStyle
  ) -> Int {
    let width = CellWidth.of(character)
    guard width > 0, contains(column, row) else { return width }
    let index = row * columns + column
    // A wide character cannot be cut in half at the edge.
    let fits = width == 1 || column + 1 < columns
    release(column, row)
    cells[index] = Cell(character: fits ? character : " ", style: style)
    guard width == 2, fits else { return width }
    release(column + 1, row)
    cells[index + 1] = Cell(character: nil, style: style)
    return width
  }

  /// Clears the other half of a wide character when one of its halves is overwritten.
  private mutating func release(_ column: Int, _ row: Int) {
    let index = row * columns + column
    if cells[index].character == nil, column > 0 { cells[index - 1].character = " " }
    if column + 1 < columns, cells[index + 1].character == nil {
      cells[index + 1].character = " "
    }
  }

  /// The characters without their styles, one line for each row, without trailing spaces: for tests and logs.
  package var text: String {
    var lines = ""
    for row in 0..<rows {
      var line = ""
      for column in 0..<columns {
        if let character = cells[row * columns + column].character { line.append(character) }
      }
      while line.last == " " { line.removeLast() }
      lines += line + "\n"
    }
    return lines
  }
}
