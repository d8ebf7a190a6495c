// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes HTML and SVG: whatever is written as text is escaped, so that a plan's names stay text.
struct Markup {
  /// What was written.
  private(set) var text = ""

  /// Writes text.
  mutating func write(_ string: String) {
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      // What XML forbids has no place on a page either.
      case "\u{0}"..<"\t", "\u{B}"..<"\r", "\u{E}"..<" ": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Writes markup that is made here and holds nothing from outside.
  mutating func markup(_ markup: String) { text += markup }

  /// Begins an element.
  mutating func open(_ name: StaticString, _ attributes: [(StaticString, String)] = []) {
    text += "<\(name)"
    for (key, value) in attributes {
      text += " \(key)=\""
      write(value)
      text += "\""
    }
    text += ">"
  }

  /// Ends an element.
  mutating func close(_ name: StaticString) { text += "</\(name)>" }

  /// Writes an element that holds text.
  mutating func element(_ name: StaticString, _ content: String) { element(name, [], content) }

  /// Writes an element with attributes that holds text.
  mutating func element(
    _ name: StaticString,
    _ attributes: [(StaticString, String)],
    _ content: String
  ) {
    open(name, attributes)
    write(content)
    close(name)
  }

  /// Ends a line, for people who read the source.
  mutating func line() { text += "\n" }
}
