// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconFormats

/// Bytes written in hexadecimal by a user.
package enum HexText {
  /// What an answer gives as the reason for text that is not bytes.
  package static let faultName = "notHexadecimal"

  /// Bytes as a user writes them.
  package struct Written: Sendable, Equatable {
    /// The bytes.
    package var bytes: [UInt8]
    /// Whether they are manufacturer data with its company, since they were written as such.
    package var isManufacturerData = false
  }

  /// Returns the bytes of a text: in hexadecimal, or as Python writes them.
  ///
  /// Pairs of digits may have white space, colons, dashes or commas between them, and `0x` or `\x` before them. Python's
  /// form is `b'\x02\x15…'`, or `{76: b'\x02\x15…'}` with the company's number, as bleak has it.
  ///
  /// - Throws: ``CommandFailure`` (65) naming the place and the column of the first character that is wrong.
  package static func written(
    _ characters: [UInt8],
    place: String
  ) throws(CommandFailure) -> Written {
    if let python = python(characters) { return python }
    return Written(bytes: try bytes(of: characters, place: place))
  }

  private static func bytes(
    of characters: [UInt8],
    place: String
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    var index = 0
    while index < characters.count {
      let character = characters[index]
      if high == nil {
        if isSpace(character) || isSeparator(character) {
          index += 1
          continue
        }
        let next = index + 1 < characters.count ? characters[index + 1] | 0x20 : 0
        if next == UInt8(ascii: "x"), character == UInt8(ascii: "0") || character == backslash {
          index += 2
          continue
        }
      }
      guard let digit = Hex.value(character) else {
        throw fault(place, index, "'\(shown(character))' is not a hexadecimal digit")
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
      index += 1
    }
    guard high == nil else {
      throw fault(place, characters.count, "a byte has two digits; the last has one")
    }
    return bytes
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func isSeparator(_ character: UInt8) -> Bool {
    character == UInt8(ascii: ":") || character == UInt8(ascii: "-")
      || character == UInt8(ascii: ",")
  }

  /// Reads Python's bytes, with a company's number before them or without; `nil` if the text is not of that form.
  private static func python(_ characters: [UInt8]) -> Written? {
    var rest = characters.filter { !isSpace($0) || $0 == 0x20 }[...]
    func skipSpaces() { rest = rest.drop { $0 == 0x20 } }
    skipSpaces()
    var company: UInt16?
    if rest.first == UInt8(ascii: "{") {
      rest = rest.dropFirst()
      skipSpaces()
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
      company = number
      rest = rest.dropFirst(digits.count)
      skipSpaces()
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
      skipSpaces()
    }
    guard rest.popFirst() == UInt8(ascii: "b"), let quote = rest.popFirst(),
      quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
    else { return nil }
    var bytes: [UInt8] = []
    while let character = rest.first, character != quote {
      rest = rest.dropFirst()
      guard character == backslash else {
        bytes.append(character)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "x"):
        guard let high = rest.popFirst().flatMap(Hex.value),
          let low = rest.popFirst().flatMap(Hex.value)
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case let other?: bytes.append(other)
      case nil: return nil
      }
    }
    guard rest.popFirst() == quote else { return nil }
    skipSpaces()
    // Several companies are for the user to choose from.
    let end = company == nil ? [] : [UInt8(ascii: "}")]
    guard Array(rest.prefix { $0 != 0x20 }) == end else { return nil }
    guard let company else { return Written(bytes: bytes) }
    let head = [UInt8(truncatingIfNeeded: company), UInt8(truncatingIfNeeded: company >> 8)]
    return Written(bytes: head + bytes, isManufacturerData: true)
  }

  private static func fault(_ place: String, _ index: Int, _ what: String) -> CommandFailure {
    CommandFailure(.badData, "\(place), column \(index + 1): \(what)")
  }

  private static func shown(_ character: UInt8) -> String {
    (0x20..<0x7F).contains(character)
      ? String(Unicode.Scalar(character)) : "\\x" + String(character, radix: 16)
  }

  private static func isSpace(_ character: UInt8) -> Bool {
    character == 0x20 || character == 0x09 || character == 0x0D
  }
}
