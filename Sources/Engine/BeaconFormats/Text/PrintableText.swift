// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension StringProtocol {
  /// The text as a terminal, a log or a table may get it, on one line.
  ///
  /// Names and texts come from captures, plans, manifests and other devices. What could move a cursor, set a title, end a
  /// line or change the direction of writing is written as `\u{1B}`. So no foreign text can pass for one of ours.
  package var printable: String {
    // The fast path: nearly every text is ASCII.
    guard !utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return String(self) }
    var text = ""
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.isMark ? marks + 1 : 0
      if scalar.isUnprintable || marks > Self.mostMarks {
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The most marks on one letter: no language writes as many, and more would cover the lines above and below.
  private static var mostMarks: Int { 8 }

  /// Whether nothing in the text does something else than to be seen.
  package var isPrintable: Bool { !unicodeScalars.contains(where: \.isUnprintable) }

  /// The text as a quotation: printable, without double quotes or runs of blanks, and cut to a length.
  package func quotation(upTo count: Int) -> String {
    // A text padded with blanks could begin a line of the terminal with words that look like ours.
    let words = split(whereSeparator: \.isWhitespace).map { String($0.printable) }
    let text = String(words.joined(separator: " ").map { $0 == "\"" ? "'" : $0 })
    return "\"" + text.printable(upTo: count) + "\""
  }

  /// The printable text, cut to a number of Unicode scalars: one character may have any number of bytes.
  package func printable(upTo count: Int) -> String {
    let text = printable
    let start = text.unicodeScalars.prefix(count)
    return String(start) + (start.endIndex < text.endIndex ? "…" : "")
  }
}

extension Unicode.Scalar {
  /// Whether the scalar does something else than to be seen, or cannot be seen.
  ///
  /// The two joiners and the selectors of variants stay, since some scripts and emoji need them.
  var isUnprintable: Bool {
    guard value < 0x20 || value >= 0x7F else { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
    case .format: return !isJoiner
    default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }

  private var isJoiner: Bool { value == 0x200C || value == 0x200D }

  /// Whether the scalar stands on the one before it, or changes it.
  fileprivate var isMark: Bool {
    guard value >= 0x300 else { return false }
    if isJoiner { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
