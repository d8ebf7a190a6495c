// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A position in the bytes of a text that moves forward and counts lines and columns.
struct TextCursor {
  /// The text.
  let bytes: [UInt8]
  /// Where the cursor is.
  private(set) var position = TextPosition.start

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether everything has been read.
  var isAtEnd: Bool { position.offset >= bytes.count }

  /// The byte at the cursor; `nil` at the end.
  var byte: UInt8? { peek(0) }

  /// Returns the byte at a distance from the cursor; `nil` beyond the end.
  func peek(_ distance: Int) -> UInt8? {
    let index = position.offset + distance
    return index < bytes.count ? bytes[index] : nil
  }

  /// Moves over one byte.
  mutating func advance() {
    guard position.offset < bytes.count else { return }
    let byte = bytes[position.offset]
    position.offset += 1
    if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && self.byte != UInt8(ascii: "\n"))
    {
      position.line += 1
      position.column = 1
    } else if byte & 0xC0 != 0x80, byte != UInt8(ascii: "\r") {
      position.column += 1
    }
  }

  /// Moves to an offset, from which lines and columns are not counted.
  mutating func skip(to offset: Int) {
    position.offset = min(offset, bytes.count)
  }

  /// Moves over some bytes.
  mutating func advance(by count: Int) {
    for _ in 0..<count { advance() }
  }

  /// Whether the bytes at the cursor are these.
  func isAt(_ literal: StaticString) -> Bool {
    guard position.offset + literal.utf8CodeUnitCount <= bytes.count else { return false }
    var index = position.offset
    return literal.withUTF8Buffer { buffer in
      for place in 0..<buffer.count {
        if unsafe bytes[index] != buffer[place] { return false }
        index += 1
      }
      return true
    }
  }

  /// The Unicode scalar at the cursor and how many bytes it takes; `nil` at the end or where the bytes are not UTF-8.
  var scalar: (value: Unicode.Scalar, count: Int)? {
    guard let first = byte else { return nil }
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let count: Int
    var value: UInt32
    switch first {
    case 0xC2...0xDF: (count, value) = (2, UInt32(first & 0x1F))
    case 0xE0...0xEF: (count, value) = (3, UInt32(first & 0x0F))
    case 0xF0...0xF4: (count, value) = (4, UInt32(first & 0x07))
    default: return nil
    }
    for distance in 1..<count {
      guard let next = peek(distance), next & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(next & 0x3F)
    }
    let smallest: UInt32 = count == 2 ? 0x80 : count == 3 ? 0x800 : 0x10000
    guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, count)
  }

  /// Whether a line terminator of JSON5 is here: LF, CR, U+2028 or U+2029.
  var isAtLineEnd: Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    case 0xE2: peek(1) == 0x80 && (peek(2) == 0xA8 || peek(2) == 0xA9)
    default: false
    }
  }
}
