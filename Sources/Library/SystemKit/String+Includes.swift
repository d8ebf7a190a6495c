// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension StringProtocol {
  /// Whether this text includes another one, byte for byte.
  ///
  /// The standard library's `contains(_:)` with a text, and its `replacing(_:with:)`, link regular expressions, 1.5 MB.
  package func includes(_ part: String) -> Bool {
    var rest = utf8[...]
    repeat {
      if rest.starts(with: part.utf8) { return true }
    } while rest.popFirst() != nil
    return false
  }
}
