// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The written form of a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
package enum UUIDText {
  /// Returns the 36 ASCII characters of a UUID, upper-case with dashes.
  package static func string(_ uuid: UInt128) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for nibble in 0..<32 {
      if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { text.append(0x2D) }
      let digit = UInt8(truncatingIfNeeded: uuid >> UInt128(124 - 4 * nibble)) & 0xF
      text.append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses a UUID written with dashes in their places, or without; case does not matter.
  ///
  /// - Returns: The UUID, or `nil` when the text is not one.
  package static func parse(_ text: some StringProtocol) -> UInt128? {
    guard let read = read(text), read.digits == 32, read.dashes == 0 || read.dashes == 4 else {
      return nil
    }
    return read.value
  }

  /// Returns the UUIDs whose written form begins with a text: their first and their last.
  ///
  /// - Returns: `nil` if the text has fewer than ``fewestDigits`` digits, or is not the beginning of a UUID.
  package static func range(beginning text: some StringProtocol) -> ClosedRange<UInt128>? {
    guard let read = read(text), read.digits >= fewestDigits else { return nil }
    let open = UInt128(4 * (32 - read.digits))
    let first = open == 128 ? 0 : read.value << open
    return first...(first | (open == 0 ? 0 : .max >> (128 - open)))
  }

  /// How many digits of a UUID can stand for the whole: fewer are often the same by chance.
  package static let fewestDigits = 4

  private static func read(
    _ text: some StringProtocol
  ) -> (value: UInt128, digits: Int, dashes: Int)? {
    var value: UInt128 = 0
    var digits = 0
    var dashes = 0
    for byte in text.utf8 {
      if byte == 0x2D {
        guard dashes < 4, digits == [8, 12, 16, 20][dashes] else { return nil }
        dashes += 1
        continue
      }
      guard digits < 32, let digit = hexDigit(byte) else { return nil }
      value = value << 4 | UInt128(digit)
      digits += 1
    }
    return (value, digits, dashes)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
