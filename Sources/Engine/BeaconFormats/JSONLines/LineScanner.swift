// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Reads the parts of a line that has exactly the form of the project's writers.
///
/// Every function moves `index` over the bytes read. For any other bytes it returns `nil` or `false`, and the general
/// reader reads the line.
enum LineScanner {
  /// Moves over a literal.
  @inline(__always)
  static func pass(_ literal: [UInt8], _ bytes: borrowing Span<UInt8>, at index: inout Int) -> Bool
  {
    let end = index + literal.count
    guard end <= bytes.count else { return false }
    for place in 0..<literal.count where bytes[index + place] != literal[place] { return false }
    index = end
    return true
  }

  /// Moves over one of some literals.
  ///
  /// - Returns: The index of that literal.
  @inline(__always)
  static func pass(
    oneOf literals: [[UInt8]],
    _ bytes: borrowing Span<UInt8>,
    at index: inout Int
  ) -> Int? {
    for place in 0..<literals.count where pass(literals[place], bytes, at: &index) { return place }
    return nil
  }

  /// Moves over one byte.
  @inline(__always)
  static func pass(_ byte: UInt8, _ bytes: borrowing Span<UInt8>, at index: inout Int) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  /// Reads a time in UTC with microseconds and the quote behind it.
  @inline(__always)
  static func timestamp(_ bytes: borrowing Span<UInt8>, at index: inout Int) -> Timestamp? {
    let end = index + 27
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\""),
      let time = RFC3339.parse(bytes, in: index..<end)
    else { return nil }
    index = end + 1
    return time
  }

  /// Reads a whole number without leading zeros, of at most five digits.
  @inline(__always)
  static func integer(_ bytes: borrowing Span<UInt8>, at index: inout Int) -> Int? {
    var end = index
    let isNegative = end < bytes.count && bytes[end] == UInt8(ascii: "-")
    if isNegative { end += 1 }
    let first = end
    var value = 0
    while end < bytes.count, end - first < 6, Hex.isDecimal(bytes[end]) {
      value = value * 10 + Int(bytes[end] &- UInt8(ascii: "0"))
      end += 1
    }
    guard end > first, end - first <= 5, end < bytes.count,
      bytes[end] == UInt8(ascii: ",") || bytes[end] == UInt8(ascii: "}"),
      bytes[first] != UInt8(ascii: "0") || end - first == 1 && !isNegative
    else { return nil }
    index = end
    return isNegative ? -value : value
  }

  /// Reads six octets as `AA:BB:CC:DD:EE:FF`, and the quote behind them.
  @inline(__always)
  static func address(_ bytes: borrowing Span<UInt8>, at index: inout Int) -> UInt64? {
    let end = index + 17
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    var bits: UInt64 = 0
    for octet in 0..<6 {
      let place = index + octet * 3
      let high = Hex.values[Int(bytes[place])]
      let low = Hex.values[Int(bytes[place + 1])]
      guard high | low < 16, octet == 5 || bytes[place + 2] == UInt8(ascii: ":") else { return nil }
      bits = bits << 8 | UInt64(high << 4 | low)
    }
    index = end + 1
    return bits
  }

  /// Reads 36 characters of a UUID with dashes, and the quote behind them.
  @inline(__always)
  static func uuid(_ bytes: borrowing Span<UInt8>, at index: inout Int) -> UInt128? {
    let end = index + 36
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for place in 0..<36 {
      let byte = bytes[index + place]
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit = Hex.values[Int(byte)]
      guard digit < 16 else { return nil }
      if place < 18 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
    }
    index = end + 1
    return UInt128(halves.0) << 64 | UInt128(halves.1)
  }

  /// Reads pairs of hexadecimal digits up to and including a quote, and appends the bytes to a buffer.
  ///
  /// - Returns: Whether there were only complete pairs, and no more bytes than allowed.
  @inline(__always)
  static func hex(
    _ bytes: borrowing Span<UInt8>,
    at index: inout Int,
    atMost limit: Int,
    onto buffer: inout [UInt8]
  ) -> Bool {
    var place = index
    let fullest = buffer.count + limit
    while place + 1 < bytes.count {
      let high = Hex.values[Int(bytes[place])]
      let low = Hex.values[Int(bytes[place + 1])]
      guard high | low < 16 else { break }
      guard buffer.count < fullest else { return false }
      buffer.append(high << 4 | low)
      place += 2
    }
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return false }
    index = place + 1
    return true
  }
}
