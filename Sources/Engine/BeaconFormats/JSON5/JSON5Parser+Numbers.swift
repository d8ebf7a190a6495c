// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension JSON5Parser {
  /// Reads a number; `nil` if it is not one, with a fault added.
  mutating func number() -> JSON5Number? {
    let start = cursor.position
    let isNegative = cursor.byte == UInt8(ascii: "-")
    if isNegative || cursor.byte == UInt8(ascii: "+") { cursor.advance() }
    let number: JSON5Number?
    if cursor.isAt("0x") || cursor.isAt("0X") {
      number = hexNumber(isNegative: isNegative, at: start)
    } else if cursor.byte.map({ Hex.isDecimal($0) || $0 == UInt8(ascii: ".") }) ?? false {
      number = decimalNumber(isNegative: isNegative, at: start)
    } else {
      number = namedNumber(isNegative: isNegative, at: start)
    }
    guard let number else { return nil }
    if limits.plainNumbers, !isPlain(cursor.bytes[start.offset..<cursor.position.offset]) {
      addFault("JSON has no such number; write it as -60 or -60.5", at: start)
      return nil
    }
    if let (scalar, _) = cursor.scalar,
      Self.startsIdentifier(scalar) || scalar == "." || ("0"..."9").contains(scalar)
    {
      addFault("a number goes on with '\(scalar)'; write a number alone, or a text in quotes")
      return nil
    }
    return number
  }

  /// Whether a number, apart from zeros before it, is one of JSON too: digits stand at both sides of its point.
  private func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.allSatisfy { $0.first.map(Hex.isDecimal) ?? false }
      && !digits.contains { $0 | 0x20 == UInt8(ascii: "x") }
  }

  /// Reads `Infinity` or `NaN` after a sign.
  private mutating func namedNumber(isNegative: Bool, at start: TextPosition) -> JSON5Number? {
    let name = identifier()
    if name == "Infinity" { return JSON5Number(value: isNegative ? -.infinity : .infinity) }
    if name == "NaN" { return JSON5Number(value: .nan) }
    addFault("write a number after the sign", at: start)
    return nil
  }

  private mutating func hexNumber(isNegative: Bool, at start: TextPosition) -> JSON5Number? {
    cursor.advance(by: 2)
    var value = 0.0
    var exact: UInt64? = 0
    var digits = 0
    while let digit = cursor.byte.flatMap(Hex.value) {
      value = value * 16 + Double(digit)
      // The highest four bits must be free for the next digit.
      exact = exact.flatMap { $0 >> 60 == 0 ? $0 << 4 | UInt64(digit) : nil }
      digits += 1
      cursor.advance()
    }
    guard digits > 0 else {
      addFault("write hexadecimal digits after 0x", at: start)
      return nil
    }
    return JSON5Number(
      value: isNegative ? -value : value,
      integer: exact.flatMap { Self.signed($0, isNegative: isNegative) }
    )
  }

  private mutating func decimalNumber(isNegative: Bool, at start: TextPosition) -> JSON5Number? {
    let first = cursor.position.offset
    var exact: UInt64? = 0
    var digits = 0
    var isWhole = true
    while let byte = cursor.byte, Hex.isDecimal(byte) {
      exact = exact.flatMap { Self.appending(byte - UInt8(ascii: "0"), to: $0) }
      digits += 1
      cursor.advance()
    }
    if digits > 1, cursor.bytes[first] == UInt8(ascii: "0") {
      addFault("write the number without zeros before it", at: start)
    }
    if cursor.byte == UInt8(ascii: ".") {
      isWhole = false
      cursor.advance()
      digits += skipDigits()
    }
    guard digits > 0 else {
      addFault("write digits before or after the point", at: start)
      return nil
    }
    if cursor.byte == UInt8(ascii: "e") || cursor.byte == UInt8(ascii: "E") {
      isWhole = false
      cursor.advance()
      if cursor.byte == UInt8(ascii: "-") || cursor.byte == UInt8(ascii: "+") { cursor.advance() }
      guard skipDigits() > 0 else {
        addFault("write digits after the exponent's 'e'", at: start)
        return nil
      }
    }
    let text = String(decoding: cursor.bytes[first..<cursor.position.offset], as: UTF8.self)
    guard let value = Double(text) else {
      addFault("this is no number", at: start)
      return nil
    }
    return JSON5Number(
      value: isNegative ? -value : value,
      integer: isWhole ? exact.flatMap { Self.signed($0, isNegative: isNegative) } : nil
    )
  }

  private mutating func skipDigits() -> Int {
    var digits = 0
    while let byte = cursor.byte, Hex.isDecimal(byte) {
      digits += 1
      cursor.advance()
    }
    return digits
  }

  private static func appending(_ digit: UInt8, to value: UInt64) -> UInt64? {
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    return overflow || carry ? nil : sum
  }

  private static func signed(_ magnitude: UInt64, isNegative: Bool) -> Int64? {
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude == 1 << 63 ? .min : Int64(exactly: magnitude).map { -$0 }
  }
}
