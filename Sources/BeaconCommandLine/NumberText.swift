// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads numbers as people type them.
package enum NumberText {
  /// Digits with or without a minus sign; nothing else that `Int` would accept.
  static func integer(_ text: String) -> Int? {
    text.hasPrefix("+") ? nil : Int(text)
  }

  /// Digits with or without a minus sign and a point; neither `inf` nor `0x`.
  package static func decimal(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (0x30...0x39).contains(first),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(String(text))
  }

  /// A number with the first of some units that it ends in, as a multiple of the unit's factor.
  package static func quantity(
    _ text: String,
    units: [(name: String, factor: Double)]
  ) -> Double? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) }),
      let value = decimal(text.dropLast(unit.name.count))
    else { return nil }
    return value * unit.factor
  }

  /// A number of bytes above zero; K, M and G are powers of 1024.
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

/// Returns a text in quotes, cut and without control characters, fit for a message of one line.
package func quoted(_ text: String) -> String {
  "'\(text.oneLine)'"
}

extension String {
  /// The text cut to what a message can hold, control characters as question marks.
  package var oneLine: String {
    let longest = 100
    let scalars = unicodeScalars.prefix(longest).map { scalar -> Character in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .format: "?"
      default: Character(scalar)
      }
    }
    return String(scalars) + (unicodeScalars.count > longest ? "..." : "")
  }
}
