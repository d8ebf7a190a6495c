// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads numbers as users type them.
package enum NumberText {
  /// Reads digits with or without a minus sign, and no other form that `Int` would accept.
  static func integer(_ text: String) -> Int? {
    text.hasPrefix("+") ? nil : Int(text)
  }

  /// Reads digits with or without a minus sign and a decimal point; neither `inf` nor `0x`.
  package static func decimal(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (0x30...0x39).contains(first),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(String(text))
  }

  /// Reads a number and its unit; returns the number times the factor of the first unit that the text ends in.
  package static func quantity(
    _ text: String,
    units: [(name: String, factor: Double)]
  ) -> Double? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) }),
      let value = decimal(text.dropLast(unit.name.count))
    else { return nil }
    return value * unit.factor
  }

  /// Reads a number of bytes above zero; K, M and G are powers of 1024.
  package static func bytes(_ text: String) -> Int? {
    let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let shift = text.last.flatMap { shifts[$0] }
    let digits = shift == nil ? text[...] : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(digits), value > 0
    else { return nil }
    let (bytes, overflow) = value.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return overflow ? nil : bytes
  }
}

/// Returns text in quotes, shortened and without control characters, for a message of one line.
package func quoted(_ text: String) -> String {
  "'\(text.oneLine)'"
}

extension String {
  /// The text, shortened for a message, with question marks in place of control characters.
  package var oneLine: String { oneLine(upTo: 100) }

  /// The text, shortened to a number of characters, with question marks in place of control characters.
  package func oneLine(upTo longest: Int) -> String {
    let scalars = unicodeScalars.prefix(longest).map { scalar -> Character in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .format: "?"
      default: Character(scalar)
      }
    }
    return String(scalars) + (unicodeScalars.count > longest ? "..." : "")
  }
}
