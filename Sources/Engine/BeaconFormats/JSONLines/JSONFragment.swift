// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A part of a JSON line that many lines share, encoded once.
package struct JSONFragment: Sendable {
  /// The bytes as written in the line.
  package let bytes: [UInt8]

  /// `null`.
  static let null = JSONFragment(string: nil)

  /// Encodes a text as a JSON string, quotes included; `nil` as `null`.
  package init(string text: String?) {
    var writer = JSONLineWriter()
    writer.string(text)
    bytes = writer.bytes
  }

  /// Keeps a writer's bytes, as the part of a line behind another value.
  package init(continuing writer: JSONLineWriter) {
    bytes = [UInt8(ascii: ",")] + writer.bytes
  }
}
