// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconFormats

/// Bytes written in hexadecimal by a user.
package enum HexText {
  /// What an answer gives as the reason for text that is not bytes.
  package static let faultName = "notHexadecimal"

  /// Returns the bytes of pairs of digits; white space between pairs is passed over, and so is one `0x` before them.
  ///
  /// - Throws: ``CommandFailure`` (65) naming the place and the column of the first character that is wrong.
  package static func bytes(
    of characters: [UInt8],
    place: String
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    let start = characters.starts(with: Array("0x".utf8)) ? 2 : 0
    for (index, character) in characters.enumerated().dropFirst(start) {
      if isSpace(character), high == nil { continue }
      guard let digit = Hex.value(character) else {
        throw fault(place, index, "'\(shown(character))' is not a hexadecimal digit")
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else {
      throw fault(place, characters.count, "a byte has two digits; the last has one")
    }
    return bytes
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
