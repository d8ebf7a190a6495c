// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension JSON5Parser {
  // MARK: Space and comments

  /// Skips white space and comments, telling comments that are not closed.
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
        tell("a comment begins with '//' here, not with '#'")
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
        tell("this comment is never closed; write '*/'", at: start)
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

  /// Reads a name without quotes; `nil`, with nothing read, where none begins.
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

  /// Reads `\uHHHH` in a name; `nil`, with nothing read, when it stands for no letter.
  private mutating func identifierEscape(isFirst: Bool) -> Unicode.Scalar? {
    guard cursor.peek(1) == UInt8(ascii: "u"), let code = hexDigits(4, from: 2),
      let scalar = Unicode.Scalar(code),
      Self.startsIdentifier(scalar) || (!isFirst && Self.continuesIdentifier(scalar))
    else { return nil }
    cursor.advance(by: 6)
    return scalar
  }

  /// Whether a scalar may begin a name: a letter, `$` or `_`.
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

  /// Whether a scalar may go on a name, beyond those that may begin one.
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

  /// The value of hexadecimal digits some places on; `nil` when there are fewer.
  func hexDigits(_ count: Int, from distance: Int) -> UInt32? {
    var value: UInt32 = 0
    for index in 0..<count {
      guard let digit = cursor.peek(distance + index).flatMap(Hex.value) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Tells that something else stands where a key or a value was due.
  mutating func unexpected(_ due: StaticString) {
    guard let byte = cursor.byte else {
      tell("\(due) is missing at the end of the file")
      return
    }
    guard let (scalar, _) = cursor.scalar else {
      tell("byte 0x\(Hex.text(byte)) is no UTF-8; save the file as UTF-8")
      return
    }
    switch scalar.value {
    case 0x201C, 0x201D, 0x201E, 0x2018, 0x2019, 0xAB, 0xBB, 0x60:
      tell("write '\"' instead of '\(Character(scalar))'")
    case 0..<0x20, 0x7F:
      tell("\(due) is due here, not the control character 0x\(Hex.text(byte))")
    default:
      tell("\(due) is due here, not '\(Character(scalar))'")
    }
  }
}
