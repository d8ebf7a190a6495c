// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One place of a ``Screen``.
package struct Cell: Sendable, Equatable {
  /// The character that begins here; `nil` where the second half of a wide one is.
  package var character: Character?
  /// How it looks.
  package var style: CellStyle

  /// A place with nothing in it.
  package static let blank = Cell(character: " ", style: .plain)
}
