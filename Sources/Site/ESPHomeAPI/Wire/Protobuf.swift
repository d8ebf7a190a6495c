// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Reads the fields of a Protocol Buffers message one after the other.
struct ProtobufReader {
  /// The value of a field; both fixed kinds are numbers.
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Returns the next field; `nil` at the end.
  mutating func next() throws(APIFault) -> (field: UInt64, value: Value)? {
    guard !rest.isEmpty else { return nil }
    let tag = try number()
    let field = tag >> 3
    guard field > 0 else { throw .malformed }
    switch tag & 7 {
    case 0: return (field, .number(try number()))
    case 1: return (field, .number(try fixed(8)))
    case 2:
      guard let count = Int(exactly: try number()), count <= rest.count else { throw .malformed }
      defer { rest = rest.dropFirst(count) }
      return (field, .bytes(rest.prefix(count)))
    case 5: return (field, .number(try fixed(4)))
    default: throw .malformed
    }
  }

  private mutating func number() throws(APIFault) -> UInt64 {
    guard let value = Varint.read(&rest) else { throw .malformed }
    return value
  }

  private mutating func fixed(_ count: Int) throws(APIFault) -> UInt64 {
    guard rest.count >= count else { throw .malformed }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Numbers of seven bits a byte, the lowest first.
enum Varint {
  /// The most bytes of a number.
  static let longest = 10

  /// Removes a number from the start of some bytes; `nil` if they end within it, or if it is too long.
  static func read(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for (index, byte) in bytes.prefix(longest).enumerated() {
      value |= UInt64(byte & 0x7F) << UInt64(7 * index)
      guard byte & 0x80 == 0 else { continue }
      bytes = bytes.dropFirst(index + 1)
      return value
    }
    return nil
  }

  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Writes a Protocol Buffers message.
///
/// As in the format, a field with its default is left out.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ field: UInt64, _ number: UInt64) {
    guard number != 0 else { return }
    Varint.append(field << 3, to: &bytes)
    Varint.append(number, to: &bytes)
  }

  mutating func write(_ field: UInt64, _ flag: Bool) { write(field, flag ? 1 : 0) }

  mutating func write(_ field: UInt64, _ text: String) { write(field, Array(text.utf8)) }

  mutating func write(_ field: UInt64, _ content: [UInt8]) {
    if !content.isEmpty { writeElement(field, content) }
  }

  /// Writes an element of a list, which is written even if it is empty.
  mutating func writeElement(_ field: UInt64, _ content: [UInt8]) {
    Varint.append(field << 3 | 2, to: &bytes)
    Varint.append(UInt64(content.count), to: &bytes)
    bytes += content
  }
}
