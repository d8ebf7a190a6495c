// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A picture of characters with their styles, as a terminal shows it: a value, drawn into and then turned into bytes.
///
/// Columns and rows count from 0 at the upper left. Whatever is drawn outside is left out, so that nobody who draws has
/// to know the size of the terminal. Text is put by grapheme clusters: a wide character takes two cells, what takes none
/// of its own (a control character, a mark without a letter) is left out, so no text from outside can move the cursor.
///
/// ```swift
/// var screen = Screen(columns: 80, rows: 24)
/// screen.put("hall 2", column: 0, row: 0, style: .bold)
/// screen.bar(0.4, column: 10, row: 0, width: 20)
/// terminal.draw(screen)
/// ```
package struct Screen: Sendable, Equatable {
  /// How many columns it has.
  package let columns: Int
  /// How many rows it has.
  package let rows: Int
  /// The cells, row by row.
  package private(set) var cells: [Cell]
  /// What pictures are made of.
  package var glyphs: Glyphs

  /// The largest size either way, so that a terminal that claims to be endless takes no endless memory.
  package static let sizeLimit = 1000

  /// Creates an empty screen; a size is brought within 0 to ``sizeLimit``.
  package init(columns: Int, rows: Int, glyphs: Glyphs = .unicode) {
    self.columns = min(max(0, columns), Self.sizeLimit)
    self.rows = min(max(0, rows), Self.sizeLimit)
    self.glyphs = glyphs
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// Returns a cell; `nil` outside.
  package subscript(column: Int, row: Int) -> Cell? {
    contains(column, row) ? cells[row * columns + column] : nil
  }

  private func contains(_ column: Int, _ row: Int) -> Bool {
    column >= 0 && column < columns && row >= 0 && row < rows
  }

  /// Puts text on a row.
  ///
  /// - Parameters:
  ///   - text: The text; what stands outside the screen is left out.
  ///   - column: Where it begins; may lie outside.
  ///   - row: The row.
  ///   - style: How it looks.
  ///   - width: The most cells it may take; longer text is cut and ends in an ellipsis. `nil` for no bound.
  /// - Returns: The column behind the text.
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

  /// Puts text so that it ends before a column; text that is too long is cut and ends in an ellipsis.
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

  /// Gives an area another style and leaves its characters.
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

  /// Puts one character and returns the width it has, whether it is within the screen or not.
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
    // Half of a wide character at the edge cannot be shown.
    let fits = width == 1 || column + 1 < columns
    release(column, row)
    cells[index] = Cell(character: fits ? character : " ", style: style)
    guard width == 2, fits else { return width }
    release(column + 1, row)
    cells[index + 1] = Cell(character: nil, style: style)
    return width
  }

  /// Blanks what is left of a wide character when one of its halves is overwritten.
  private mutating func release(_ column: Int, _ row: Int) {
    let index = row * columns + column
    if cells[index].character == nil, column > 0 { cells[index - 1].character = " " }
    if column + 1 < columns, cells[index + 1].character == nil {
      cells[index + 1].character = " "
    }
  }

  /// The characters without their styles, a line a row, spaces at the ends of lines left out: for tests and logs.
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
