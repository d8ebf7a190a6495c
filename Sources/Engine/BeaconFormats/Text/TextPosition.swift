// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A position in a text file.
package struct TextPosition: Sendable, Hashable {
  /// The line, counted from 1; LF, CR and CR LF end one.
  package var line: Int
  /// The column in characters (Unicode scalars), counted from 1.
  package var column: Int
  /// Bytes from the start of the file.
  package var offset: Int

  /// The start of a file.
  package static let start = TextPosition(line: 1, column: 1, offset: 0)

  /// Creates a position.
  package init(line: Int, column: Int, offset: Int) {
    self.line = line
    self.column = column
    self.offset = offset
  }
}

extension TextPosition: Comparable {
  /// Orders positions as they occur in the file.
  package static func < (lhs: TextPosition, rhs: TextPosition) -> Bool {
    lhs.offset < rhs.offset
  }
}
