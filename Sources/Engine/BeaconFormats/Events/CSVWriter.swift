// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Writes comma-separated values: fields are quoted only where necessary, lines end with a line feed.
package struct CSVWriter: Sendable {
  /// The bytes written since the last ``removeAll()``.
  package private(set) var bytes: [UInt8] = []

  package init() {}

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
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func append(_ field: String) {
    let field = field.printable
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
