// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes comma-separated values: fields are quoted only where necessary, lines end with a line feed.
///
/// A spreadsheet reads a field that begins with certain characters as a formula, which may run a program. Such a field gets
/// an apostrophe before it, unless it is a number.
package struct CSVWriter: Sendable {
  /// The bytes written since the last ``removeAll()``.
  package private(set) var bytes: [UInt8] = []
  /// How a line ends.
  private let lineEnd: [UInt8]

  package init(lineEnd: String = "\n") {
    self.lineEnd = Array(lineEnd.utf8)
  }

  /// Removes the written bytes and keeps the buffer's storage.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes a row.
  package mutating func row(_ fields: [String]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(field)
    }
    bytes += lineEnd
  }

  /// The first characters of formulas in some spreadsheet, also in their full width.
  private static let formulaStarts = Array(
    "=+-@\t\r\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars
  )

  /// Characters that a spreadsheet ignores at the beginning of a field.
  private static let spaces = Array(" \u{A0}".unicodeScalars)

  /// Returns a field that no spreadsheet reads as a formula, in whole or from a semicolon on.
  private static func guarded(_ field: String) -> String {
    let first = field.unicodeScalars.first { !spaces.contains($0) }
    // A level of -60 dBm stays a number.
    let isNumber = Double(field)?.isFinite ?? false
    let isFormula = first.map(formulaStarts.contains) ?? false && !isNumber
    let whole = isFormula ? "'" + field : field
    return whole.utf8.contains(UInt8(ascii: ";")) ? guardedAfterSemicolons(whole) : whole
  }

  /// Puts an apostrophe after each semicolon that a formula follows.
  ///
  /// In many languages a spreadsheet separates at semicolons, and then quotes count only at the beginning of a line.
  private static func guardedAfterSemicolons(_ field: String) -> String {
    var parts = field.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      let first = parts[index].first { !spaces.contains($0) && $0 != "\"" }
      if let first, formulaStarts.contains(first) {
        parts[index] = ("'" + String(parts[index])).unicodeScalars[...]
      }
    }
    return parts.map { String($0) }.joined(separator: ";")
  }

  /// The bytes for which a field is quoted: what separates fields, in any spreadsheet, and what ends a line.
  private static let special = Array(",;\t\"\n\r".utf8)

  private mutating func append(_ field: String) {
    let field = Self.guarded(field.printable)
    guard field.utf8.contains(where: Self.special.contains) else {
      bytes.append(contentsOf: field.utf8)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in field.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension FormValue {
  /// The value in a field of comma-separated values; a compound value as JSON.
  package var csv: String {
    switch self {
    case .null: ""
    case .text(let text): text
    case .boolean(let bool): "\(bool)"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .hundredths(let number): DecimalText.hundredths(number)
    case .span(let span): DecimalText.seconds(span)
    case .time(let time): RFC3339.string(time)
    case .list, .object: EventLineWriter.json(self)
    }
  }
}
