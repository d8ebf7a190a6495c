// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The library, of which the command is a part.
package enum Library {
  /// The version, by semantic versioning.
  package static let version = "0.1.0"
}
