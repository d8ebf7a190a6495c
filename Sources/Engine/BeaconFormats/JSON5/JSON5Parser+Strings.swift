// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension JSON5Parser {
  /// Reads a text in single or double quotes.
  ///
  /// - Returns: The text; `nil` if it is not closed on its line, with the cursor at the end of the line. A wrong
  ///   escape adds a fault and is skipped.
  mutating func string() -> String? {
    guard let quote = cursor.byte else { return nil }
    let start = cursor.position
    cursor.advance()
    var text: [UInt8] = []
    while let byte = cursor.byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      if byte == quote {
        cursor.advance()
        guard let string = String(validating: text, as: UTF8.self) else {
          addFault("this text is no UTF-8; save the file as UTF-8", at: start)
          return ""
        }
        return string
      }
      if byte == UInt8(ascii: "\\") {
        escape(into: &text)
      } else {
        text.append(byte)
        cursor.advance()
      }
    }
    addFault(
      "this text is not closed on its line; write \(Character(Unicode.Scalar(quote))) at its end,"
        + " or '\\' before the line break to go on",
      at: start
    )
    return nil
  }

  private mutating func escape(into text: inout [UInt8]) {
    let start = cursor.position
    cursor.advance()
    guard let (scalar, count) = cursor.scalar else {
      // The end of the file, or a byte that is not UTF-8: reading the text adds the fault for either.
      return
    }
    switch scalar {
    case "b": text.append(0x08)
    case "f": text.append(0x0C)
    case "n": text.append(0x0A)
    case "r": text.append(0x0D)
    case "t": text.append(0x09)
    case "v": text.append(0x0B)
    case "0":
      if let next = cursor.peek(1), Hex.isDecimal(next) {
        addFault("there are no octal escapes; write \\x and two hexadecimal digits", at: start)
      }
      text.append(0)
    case "1"..."9":
      addFault("there is no escape \\\(scalar); write \\x and two hexadecimal digits", at: start)
    case "x":
      cursor.advance()
      guard let code = hexDigits(2, from: 0), let value = Unicode.Scalar(code) else {
        addFault("write two hexadecimal digits after \\x", at: start)
        return
      }
      text.append(contentsOf: value.utf8)
      cursor.advance(by: 2)
      return
    case "u":
      cursor.advance()
      unicodeEscape(at: start, into: &text)
      return
    case "\r" where cursor.peek(1) == UInt8(ascii: "\n"):
      cursor.advance()
    case "\n", "\r", "\u{2028}", "\u{2029}":
      break
    default:
      text.append(contentsOf: scalar.utf8)
    }
    cursor.advance(by: count)
  }

  /// Reads the digits after `\u`, and those of the second half of a surrogate pair.
  private mutating func unicodeEscape(at start: TextPosition, into text: inout [UInt8]) {
    guard let first = hexDigits(4, from: 0) else {
      addFault("write four hexadecimal digits after \\u", at: start)
      return
    }
    cursor.advance(by: 4)
    var code = first
    if (0xD800..<0xDC00).contains(first), cursor.isAt("\\u"), let second = hexDigits(4, from: 2),
      (0xDC00..<0xE000).contains(second)
    {
      code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      cursor.advance(by: 6)
    }
    guard let scalar = Unicode.Scalar(code) else {
      addFault("half of a surrogate pair stands for no character; write both halves", at: start)
      return
    }
    text.append(contentsOf: scalar.utf8)
  }
}
