// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension JSON5Parser {
  // MARK: Space and comments

  /// Skips white space and comments; a comment that is not closed adds a fault.
  mutating func skipSpace() {
    while let byte = cursor.byte {
      switch byte {
      case 0x09...0x0D, 0x20:
        cursor.advance()
      case UInt8(ascii: "/"):
        if cursor.isAt("//") {
          skipLine()
        } else if cursor.isAt("/*") {
          skipComment()
        } else {
          return
        }
      case UInt8(ascii: "#"):
        addFault("a comment begins with '//' here, not with '#'")
        skipLine()
      case 0x80...:
        guard let (scalar, count) = cursor.scalar, Self.isSpace(scalar) else { return }
        cursor.advance(by: count)
      default:
        return
      }
    }
  }

  private mutating func skipLine() {
    while !cursor.isAtEnd, !cursor.isAtLineEnd { cursor.advance() }
  }

  private mutating func skipComment() {
    let start = cursor.position
    cursor.advance(by: 2)
    while !cursor.isAt("*/") {
      guard !cursor.isAtEnd else {
        addFault("this comment is never closed; write '*/'", at: start)
        return
      }
      cursor.advance()
    }
    cursor.advance(by: 2)
  }

  /// Whether a scalar beyond ASCII is white space of JSON5: the byte order mark, line ends and category Zs.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFEFF, 0x2028, 0x2029: true
    default: scalar.properties.generalCategory == .spaceSeparator
    }
  }

  // MARK: Identifiers

  /// Reads a name without quotes; `nil`, without moving, otherwise.
  mutating func identifier() -> String? {
    var name = String.UnicodeScalarView()
    while true {
      if cursor.byte == UInt8(ascii: "\\") {
        guard let scalar = identifierEscape(isFirst: name.isEmpty) else { break }
        name.append(scalar)
        continue
      }
      guard let (scalar, count) = cursor.scalar,
        Self.startsIdentifier(scalar) || (!name.isEmpty && Self.continuesIdentifier(scalar))
      else { break }
      name.append(scalar)
      cursor.advance(by: count)
    }
    return name.isEmpty ? nil : String(name)
  }

  /// Reads `\uHHHH` in a name; `nil`, without moving, when it does not stand for a letter.
  private mutating func identifierEscape(isFirst: Bool) -> Unicode.Scalar? {
    guard cursor.peek(1) == UInt8(ascii: "u"), let code = hexDigits(4, from: 2),
      let scalar = Unicode.Scalar(code),
      Self.startsIdentifier(scalar) || (!isFirst && Self.continuesIdentifier(scalar))
    else { return nil }
    cursor.advance(by: 6)
    return scalar
  }

  /// Whether a name may start with a scalar: a letter, `$` or `_`.
  static func startsIdentifier(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x41...0x5A, 0x61...0x7A, 0x24, 0x5F: return true
    case 0..<0x80: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .letterNumber:
      return true
    default:
      return false
    }
  }

  /// Whether a name may contain a scalar that it may not start with.
  private static func continuesIdentifier(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x200C, 0x200D: return true
    case 0..<0x80: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
    default: return false
    }
  }

  /// The value of hexadecimal digits at a distance from the cursor; `nil` when there are fewer digits.
  func hexDigits(_ count: Int, from distance: Int) -> UInt32? {
    var value: UInt32 = 0
    for index in 0..<count {
      guard let digit = cursor.peek(distance + index).flatMap(Hex.value) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Adds the fault that something else is at the place of a key or a value.
  mutating func unexpected(_ expected: StaticString) {
    guard let byte = cursor.byte else {
      addFault("\(expected) is missing at the end of the file")
      return
    }
    guard let (scalar, _) = cursor.scalar else {
      addFault("byte 0x\(Hex.text(byte)) is no UTF-8; save the file as UTF-8")
      return
    }
    switch scalar.value {
    case 0x201C, 0x201D, 0x201E, 0x2018, 0x2019, 0xAB, 0xBB, 0x60:
      addFault("write '\"' instead of '\(Character(scalar))'")
    case 0..<0x20, 0x7F:
      addFault("\(expected) is due here, not the control character 0x\(Hex.text(byte))")
    default:
      addFault("\(expected) is due here, not '\(Character(scalar))'")
    }
  }
}
