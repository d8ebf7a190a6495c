// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Bytes of a JSON line that never change, encoded once: what stands between two values of a line.
package struct JSONFragment: Sendable, ExpressibleByStringLiteral {
  /// The bytes as they stand in the line.
  package let bytes: [UInt8]

  /// Takes a literal as it is to stand in the line, such as `,"power":`.
  package init(stringLiteral text: StaticString) {
    bytes = text.withUTF8Buffer { unsafe Array($0) }
  }

  /// Encodes a text as a JSON string, quotes included, for values that many lines share.
  package init(string text: String) {
    var writer = JSONLineWriter()
    writer.string(text)
    bytes = writer.bytes
  }
}
