// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes HTML and SVG; everything written as text is escaped, so that a plan's names cannot become markup.
package struct Markup {
  /// The markup written so far.
  package private(set) var text = ""

  /// Creates markup without contents.
  package init() {}

  /// Returns text in the form in which a page contains it.
  package static func escaped(_ string: String) -> String {
    var markup = Markup()
    markup.write(string)
    return markup.text
  }

  /// Writes text; what does something else than to be seen is written as `\u{1B}`.
  ///
  /// - Parameters:
  ///   - string: The text.
  ///   - hasLines: Whether it may have several lines.
  package mutating func write(_ string: String, inLines hasLines: Bool = true) {
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\t" where hasLines, "\n" where hasLines: text.unicodeScalars.append(scalar)
      case _ where Self.isHidden(scalar):
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether XML forbids a scalar, it cannot be seen, or it ends a line or changes the direction of our words after it.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value < 0x20 || scalar.value >= 0x7F else { return false }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    // Some scripts, emoji and flags need the joiners and tags.
    case .format: return ![0x200C, 0x200D].contains(scalar.value) && scalar.value < 0xE0000
    case .unassigned where scalar.value == 0xFFFE || scalar.value == 0xFFFF: return true
    default:
      return scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
    }
  }

  /// Writes fixed markup, which contains nothing from outside the program.
  package mutating func markup(_ markup: String) { text += markup }

  /// The elements that contain a name, of pictures and tables.
  private static let areNames: Set = ["text", "title", "td", "th", "option"]

  /// Writes the start of an element.
  package mutating func open(_ name: StaticString, _ attributes: [(StaticString, String)] = []) {
    text += "<\(name)"
    for (key, value) in attributes {
      text += " \(key)=\""
      write(value, inLines: false)
      text += "\""
    }
    text += ">"
  }

  /// Writes the end of an element.
  package mutating func close(_ name: StaticString) { text += "</\(name)>" }

  /// Writes an element that contains text.
  package mutating func element(_ name: StaticString, _ content: String) {
    element(name, [], content)
  }

  /// Writes an element with attributes that contains text.
  package mutating func element(
    _ name: StaticString,
    _ attributes: [(StaticString, String)],
    _ content: String
  ) {
    open(name, attributes)
    write(content, inLines: !Self.areNames.contains("\(name)"))
    close(name)
  }

  /// The key of a drawing for each style.
  package enum Sign {
    case square, disc

    fileprivate func markup(_ style: String) -> String {
      switch self {
      case .square:
        "0 0 10 10\" aria-hidden=\"true\"><rect class=\"\(style)\" width=\"10\" height=\"10\" rx=\"2\"/>"
      case .disc:
        "0 0 16 16\" aria-hidden=\"true\"><circle class=\"\(style)\" cx=\"8\" cy=\"8\" r=\"6\"/>"
      }
    }
  }

  /// Writes the key of a drawing: a sign and a name for each style.
  package mutating func key(_ entries: [(style: String, name: String)], as sign: Sign = .square) {
    markup("<ul class=\"key\">")
    for entry in entries {
      markup("<li><svg viewBox=\"\(sign.markup(entry.style))</svg>")
      write(entry.name)
      markup("</li>")
    }
    markup("</ul>")
  }

  /// Ends a line, to make the source easier to read.
  package mutating func line() { text += "\n" }
}
