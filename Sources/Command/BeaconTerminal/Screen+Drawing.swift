// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Screen {
  /// Draws the frame of a box, with a title in its upper line.
  ///
  /// - Parameters:
  ///   - column: The left edge.
  ///   - row: The upper edge.
  ///   - width: The outer width, at least 2.
  ///   - height: The outer height, at least 2.
  ///   - title: The title of the box; it is cut if it is too long.
  ///   - style: The style of the frame; the title is also bold.
  package mutating func box(
    column: Int,
    row: Int,
    width: Int,
    height: Int,
    title: String = "",
    style: CellStyle = .dim
  ) {
    guard width >= 2, height >= 2, glyphs.corners.count == 4 else { return }
    let (right, bottom) = (column + width - 1, row + height - 1)
    fill(column: column, row: row, width: width, with: glyphs.horizontal, style: style)
    fill(column: column, row: bottom, width: width, with: glyphs.horizontal, style: style)
    for edge in [column, right] {
      fill(column: edge, row: row, width: 1, height: height, with: glyphs.vertical, style: style)
    }
    for (index, (x, y)) in [(column, row), (right, row), (column, bottom), (right, bottom)]
      .enumerated()
    {
      put(String(glyphs.corners[index]), column: x, row: y, style: style)
    }
    guard !title.isEmpty, width > 6 else { return }
    put(" \(title) ", column: column + 2, row: row, style: .bold, width: width - 4)
  }

  /// Draws a bar from the left, exact to an eighth of a cell if the glyphs allow it.
  ///
  /// - Parameters:
  ///   - share: How much of the width is filled, 0 to 1; other values are limited to that range.
  ///   - column: The first column.
  ///   - row: The row.
  ///   - width: The width of a whole bar.
  ///   - style: The style of the filled part; the rest is faint.
  package mutating func bar(
    _ share: Double,
    column: Int,
    row: Int,
    width: Int,
    style: CellStyle = .plain
  ) {
    guard width > 0, let whole = glyphs.parts.last else { return }
    let bounded = share.isFinite ? min(max(share, 0), 1) : 0
    let steps = glyphs.parts.count
    let filled = Int((bounded * Double(width * steps)).rounded())
    for cell in 0..<width {
      let left = filled - cell * steps
      if left >= steps {
        put(String(whole), column: column + cell, row: row, style: style)
      } else if left > 0 {
        put(String(glyphs.parts[left - 1]), column: column + cell, row: row, style: style)
      } else {
        put(String(glyphs.rest), column: column + cell, row: row, style: .dim)
      }
    }
  }

  /// Draws values over time as one row of levels, the latest at the right.
  ///
  /// A missing value is a blank.
  ///
  /// - Parameters:
  ///   - values: The values, the oldest first. If there are more than fit, the oldest are omitted.
  ///   - range: The values of the lowest and the highest level.
  ///   - column: The first column.
  ///   - row: The row.
  ///   - width: The width; fewer values are aligned to the right.
  ///   - style: The style.
  package mutating func sparkline(
    _ values: some BidirectionalCollection<Double?>,
    in range: ClosedRange<Double>,
    column: Int,
    row: Int,
    width: Int,
    style: CellStyle = .plain
  ) {
    guard width > 0 else { return }
    let shown = values.suffix(width)
    var place = column + width - shown.count
    for value in shown {
      if let level = level(of: value, in: range) {
        put(String(level), column: place, row: row, style: style)
      }
      place += 1
    }
  }

  /// Draws values over time as columns, the latest at the right.
  ///
  /// A missing value is a gap.
  ///
  /// - Parameters:
  ///   - values: The values, the oldest first. If there are more than fit, the oldest are omitted.
  ///   - range: The values of the bottom and the top.
  ///   - column: The first column.
  ///   - row: The upper edge.
  ///   - width: The width; fewer values are aligned to the right.
  ///   - height: The height.
  ///   - style: The style.
  package mutating func chart(
    _ values: some BidirectionalCollection<Double?>,
    in range: ClosedRange<Double>,
    column: Int,
    row: Int,
    width: Int,
    height: Int,
    style: CellStyle = .plain
  ) {
    let extent = range.upperBound - range.lowerBound
    guard height > 0, extent > 0 else { return }
    let slice = extent / Double(height)
    for line in 0..<height {
      let foot = range.lowerBound + Double(height - 1 - line) * slice
      // The lowest line always shows something, however small the value, so that it differs from a missing value.
      let part = values.lazy.map { value -> Double? in
        guard let value, value > foot || line == height - 1 else { return nil }
        return value
      }
      sparkline(
        Array(part),
        in: foot...(foot + slice),
        column: column,
        row: row + line,
        width: width,
        style: style
      )
    }
  }

  private func level(of value: Double?, in range: ClosedRange<Double>) -> Character? {
    guard let value, value.isFinite, !glyphs.levels.isEmpty else { return nil }
    let extent = range.upperBound - range.lowerBound
    let share = extent > 0 ? (value - range.lowerBound) / extent : 1
    let index = Int((min(max(share, 0), 1) * Double(glyphs.levels.count - 1)).rounded())
    return glyphs.levels[index]
  }
}
