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
        text += scalar.writtenOut
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text as the name of something outside that this program compares with other names.
  ///
  /// Two Swift strings can be equal although their bytes differ, such as an `é` that is one scalar and an `e` with a mark: two
  /// receivers would be one. So each scalar that another text could have in another way is written as `\u{301}`. Texts that
  /// differ stay different then, unless one of them contains such a notation. A name that was written so stays as it is.
  package var exactName: String {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return String(self) }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isExact { text.unicodeScalars.append(scalar) } else { text += scalar.writtenOut }
    }
    return text
  }

  /// The text as a name in a table in which no two names look alike: in quotes if a blank in it could be overlooked, or a part of
  /// it cannot be seen.
  package var tableName: String {
    var isHidden = unicodeScalars.first == "\"" || unicodeScalars.last == " "
    var text = ""
    var previous: Unicode.Scalar = " "
    for scalar in unicodeScalars {
      let isSeen = !scalar.isUnprintable && (scalar == " " || !scalar.properties.isWhitespace)
      isHidden = isHidden || !isSeen || scalar.isJoiner || (scalar == " " && previous == " ")
      // Within quotes a backslash begins nothing but such a notation.
      if isSeen, !scalar.isJoiner, scalar != "\\" {
        text.unicodeScalars.append(scalar)
      } else {
        text += scalar.writtenOut
      }
      previous = scalar
    }
    return isHidden ? "\"\(text)\"" : String(self)
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
  fileprivate var writtenOut: String {
    "\\u{" + String(value, radix: 16, uppercase: true) + "}"
  }

  /// Whether no other sequence of such scalars is canonically equal to one that contains this one.
  ///
  /// The list is fixed, so that every version of Unicode writes the same names. It has neither marks, nor parts of syllables, nor
  /// scalars that stand for another one.
  fileprivate var isExact: Bool {
    switch value {
    // Latin, also with the accents of Vietnamese, and its signs.
    case 0x00...0x02AF, 0x1E00...0x1EFF: true
    // Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic.
    case 0x0386, 0x0388...0x038A, 0x038C, 0x038E...0x03A1, 0x03A3...0x03FF: true
    case 0x0400...0x0482, 0x048A...0x052F, 0x0531...0x0556, 0x0561...0x0587: true
    case 0x10D0...0x10FA, 0x05D0...0x05EA, 0x0620...0x064A, 0x0660...0x0669, 0x0671...0x06D3: true
    // Kana, ideographs, Hangul, and the signs of the same width.
    case 0x3001...0x3007, 0x3041...0x3096, 0x30A1...0x30FE, 0x3400...0x4DBF, 0x4E00...0x9FFF: true
    case 0xAC00...0xD7A3, 0xFF01...0xFF5E: true
    // Dashes, quotation marks, currencies, symbols and emoji, with the joiner and the selector that these need.
    case 0x200D, 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20BF, 0x2600...0x27BF, 0xFE0F: true
    case 0x1F1E6...0x1F1FF, 0x1F300...0x1FAFF: true
    default: false
    }
  }

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

  fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }

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
