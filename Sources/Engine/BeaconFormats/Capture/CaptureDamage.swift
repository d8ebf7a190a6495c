// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The place from which a capture cannot be read, and the reason.
package struct CaptureDamage: Error, Sendable, Equatable {
  /// The offset in the block of the first byte that could not be read.
  package var offset: Int
  /// A phrase that names the fault there.
  package var reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
