// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads and writes hexadecimal digits by table.
package enum Hex {
  /// The value of each byte as a hexadecimal digit; 0xFF if it is not one.
  static let values: [UInt8] = (0...255).map { byte -> UInt8 in
    switch UInt8(byte) {
    case 0x30...0x39: UInt8(byte) - 0x30
    case 0x41...0x46: UInt8(byte) - 0x41 + 10
    case 0x61...0x66: UInt8(byte) - 0x61 + 10
    default: 0xFF
    }
  }

  /// The digits that payloads are written with.
  static let lowercase: [UInt8] = Array("0123456789abcdef".utf8)
  /// The digits that UUIDs and addresses are written with.
  static let uppercase: [UInt8] = Array("0123456789ABCDEF".utf8)

  /// The value of a hexadecimal digit; `nil` when the byte is not one.
  package static func value(_ byte: UInt8) -> UInt8? {
    let value = values[Int(byte)]
    return value == 0xFF ? nil : value
  }

  /// Whether a byte is a decimal digit.
  @inline(__always)
  static func isDecimal(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Returns the bytes of pairs of digits; `nil` if the text is anything else.
  package static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap(value)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Returns a byte as two capital digits.
  package static func text(_ byte: UInt8) -> String {
    String(decoding: [uppercase[Int(byte >> 4)], uppercase[Int(byte & 15)]], as: UTF8.self)
  }
}
