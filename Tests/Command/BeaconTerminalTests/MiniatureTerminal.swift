// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconTerminal

/// Interprets escape sequences like a terminal, as far as screens use them.
struct MiniatureTerminal {
  private(set) var cells: [Cell]
  private let columns: Int
  private var place = 0
  private var style = CellStyle.plain

  init(columns: Int, rows: Int) {
    self.columns = columns
    cells = Array(repeating: .blank, count: columns * rows)
  }

  mutating func obey(_ text: String) {
    var rest = text[...]
    while let first = rest.first {
      guard first == "\u{1B}" else {
        put(first)
        rest.removeFirst()
        continue
      }
      rest.removeFirst(2)
      let end = rest.firstIndex { $0.isLetter } ?? rest.startIndex
      let numbers = rest[..<end].split(separator: ";").compactMap { Int($0) }
      switch rest[end] {
      case "H": place = (numbers[0] - 1) * columns + numbers[1] - 1
      case "J": cells = Array(repeating: .blank, count: cells.count)
      default: style = CellStyle(numbers.contains(Int(CellStyle.Color.red.rawValue)) ? .red : nil)
      }
      rest = rest[rest.index(after: end)...]
    }
  }

  private mutating func put(_ character: Character) {
    let width = CellWidth.of(character)
    for index in place..<place + width { release(index) }
    cells[place] = Cell(character: character, style: style)
    if width == 2 { cells[place + 1] = Cell(character: nil, style: style) }
    place += width
  }

  /// The remaining half of a wide character keeps its style.
  private mutating func release(_ index: Int) {
    if cells[index].character == nil { cells[index - 1].character = " " }
    if index % columns + 1 < columns, cells[index + 1].character == nil {
      cells[index + 1].character = " "
    }
  }
}
