// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A cursor over one line of text in a block.
struct TextLine {
  /// The offset of the next byte to read.
  private(set) var position: Int
  /// The offset behind the last byte of the line, without the line end.
  let end: Int
  /// The offset of the next line.
  let next: Int
  /// Whether the block contains the line end.
  let isEnded: Bool

  init(_ block: borrowing Span<UInt8>, at start: Int) {
    position = start
    var end = start
    while end < block.count, block[end] != 0x0A, block[end] != 0x0D { end += 1 }
    isEnded = end < block.count
    self.end = end
    // A line ends with LF, CR LF, or only CR.
    if isEnded, block[end] == 0x0D, end + 1 < block.count, block[end + 1] == 0x0A { end += 1 }
    next = isEnded ? end + 1 : end
  }

  /// Returns the next byte without moving.
  func peek(_ block: borrowing Span<UInt8>) -> UInt8? {
    position < end ? block[position] : nil
  }

  /// Whether the rest of the line starts with a text.
  func starts(_ block: borrowing Span<UInt8>, with text: String) -> Bool {
    var place = position
    for byte in text.utf8 {
      guard place < end, block[place] == byte else { return false }
      place += 1
    }
    return true
  }

  /// Moves over the next byte if it is the one given.
  mutating func skip(_ byte: UInt8, _ block: borrowing Span<UInt8>) -> Bool {
    guard peek(block) == byte else { return false }
    position += 1
    return true
  }

  mutating func skipSpaces(_ block: borrowing Span<UInt8>) {
    while skip(0x20, block) || skip(0x09, block) {}
  }

  /// Reads a number of decimal digits, at most eighteen of them, which 64 bits hold.
  ///
  /// - Returns: The number and how many digits it has; `nil` without one, or if it has more than eighteen.
  mutating func nextNumber(_ block: borrowing Span<UInt8>) -> (value: Int64, digits: Int)? {
    var value: Int64 = 0
    var digits = 0
    while let byte = peek(block), (0x30...0x39).contains(byte) {
      guard digits < 18 else { return nil }
      value = value * 10 + Int64(byte - 0x30)
      digits += 1
      position += 1
    }
    return digits > 0 ? (value, digits) : nil
  }

  /// Reads two hexadecimal digits that a space or the end of the line follows.
  mutating func nextHexByte(_ block: borrowing Span<UInt8>) -> UInt8? {
    skipSpaces(block)
    guard end - position >= 2, let high = Self.digit(block[position]),
      let low = Self.digit(block[position + 1])
    else { return nil }
    guard position + 2 == end || block[position + 2] == 0x20 || block[position + 2] == 0x09 else {
      return nil
    }
    position += 2
    return high << 4 | low
  }

  /// Reads the bytes up to the end of the line.
  ///
  /// - Returns: Whether the rest of the line was only bytes, and the buffer did not exceed the limit.
  mutating func appendHexBytes(
    _ block: borrowing Span<UInt8>,
    to bytes: inout [UInt8],
    limit: Int
  ) -> Bool {
    while let byte = nextHexByte(block) {
      guard bytes.count < limit else { return false }
      bytes.append(byte)
    }
    skipSpaces(block)
    return position == end
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
