// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal

/// Breaks text into lines of a width.
enum TextWrap {
  /// Returns the lines of a text, broken between words; a word longer than a line is a line of its own, to be cut.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - width: The most cells of a line.
  /// - Returns: The lines, one at least.
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
