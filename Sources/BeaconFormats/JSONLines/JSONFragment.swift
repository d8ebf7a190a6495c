// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Constant bytes of a JSON line, encoded once: the text between two values.
package struct JSONFragment: Sendable, ExpressibleByStringLiteral {
  /// The bytes as written in the line.
  package let bytes: [UInt8]

  /// Creates a fragment of a literal as written in the line, such as `,"power":`.
  package init(stringLiteral text: StaticString) {
    bytes = text.withUTF8Buffer { unsafe Array($0) }
  }

  /// Encodes a text as a JSON string, quotes included, for values that many lines share.
  package init(string text: String) {
    var writer = JSONLineWriter()
    writer.string(text)
    bytes = writer.bytes
  }

  /// Keeps what a writer has, as the part of a line behind another value.
  package init(continuing writer: JSONLineWriter) {
    bytes = [UInt8(ascii: ",")] + writer.bytes
  }
}
