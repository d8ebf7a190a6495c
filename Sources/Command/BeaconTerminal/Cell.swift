// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One cell of a ``Screen``.
package struct Cell: Sendable, Equatable {
  /// The character that starts here; `nil` for the second half of a wide character.
  package var character: Character?
  /// The style of the character.
  package var style: CellStyle

  /// An empty cell.
  package static let blank = Cell(character: " ", style: .plain)
}
