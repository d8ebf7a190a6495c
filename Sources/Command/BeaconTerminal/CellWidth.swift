// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How many cells of a terminal a character takes.
///
/// Terminals do not agree on every character. These widths are those of common terminals for the text of these
/// programs: East Asian wide characters and emoji take two, a mark combines with the character before it, all others
/// take one.
package enum CellWidth {
  /// Returns the width of a character with its combining marks: 1 or 2, or 0 if it takes no separate cell.
  package static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // The fast path for nearly every character shown.
    if first.value < 0x300 { return isControl(first) ? 0 : hasEmojiSelector(character) ? 2 : 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    return isWide(first) || hasEmojiSelector(character) ? 2 : 1
  }

  /// Returns how many cells a text takes.
  package static func of(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// Returns the start of a text that fits into a number of cells, with an ellipsis if the text was cut.
  package static func clip(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var clipped = ""
    var used = 0
    for character in text {
      let next = of(character)
      guard used + next <= width - 1 else { break }
      clipped.append(character)
      used += next
    }
    return clipped + "…"
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }

  /// Whether the character has a selector for its emoji form instead of its text form.
  private static func hasEmojiSelector(_ character: Character) -> Bool {
    character.unicodeScalars.count > 1
      && character.unicodeScalars.contains { $0.value == 0xFE0F || $0.value == 0x20E3 }
  }

  /// The blocks of wide characters of UAX #11, including unassigned code points in them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF,
    0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x1100 { return false }
    return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
  }
}
