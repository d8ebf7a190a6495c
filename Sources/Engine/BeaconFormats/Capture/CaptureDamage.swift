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

  /// The damage at the start of a capture of another format, in a file made of several.
  init(offset: Int, joining format: CaptureFormat) {
    self.offset = offset
    reason = "another capture starts here, \(format.name): give each as a separate file, with -f"
  }
}
