// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where a capture stopped being readable, and why.
package struct CaptureDamage: Error, Sendable, Equatable {
  /// Bytes from the start of the block to the first that could not be read.
  package var offset: Int
  /// What is wrong there, in a phrase.
  package var reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
