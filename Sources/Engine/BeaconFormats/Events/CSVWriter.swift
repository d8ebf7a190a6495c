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

  /// Returns a field that no spreadsheet reads as a formula.
  private static func guarded(_ field: String) -> String {
    let first = field.unicodeScalars.first { $0 != " " && $0 != "\u{A0}" }
    guard let first, formulaStarts.contains(first) else {
      return field
    }
    // A level of -60 dBm stays a number.
    return Double(field)?.isFinite ?? false ? field : "'" + field
  }

  private mutating func append(_ field: String) {
    let field = Self.guarded(field.printable)
    let special: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D]
    guard field.utf8.contains(where: special.contains) else {
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
