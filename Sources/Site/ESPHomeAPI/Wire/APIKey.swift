// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The key that both ends of an encrypted connection know: 32 bytes, written in Base64 as in ESPHome's configurations.
package struct APIKey: Sendable, Equatable {
  /// The length in bytes.
  package static let length = 32
  /// The length of the text: 43 characters and one `=`.
  private static let textLength = 44

  package let bytes: [UInt8]

  /// Reads a key; `nil` for any other text.
  package init?(_ text: some BidirectionalCollection<UInt8>) {
    guard text.count == Self.textLength, text.last == UInt8(ascii: "=") else { return nil }
    var bytes: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for character in text.dropLast() {
      guard let value = Self.value(character) else { return nil }
      bits = bits << 6 | value
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    guard bits & 0b11 == 0 else { return nil }
    self.bytes = bytes
  }

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
