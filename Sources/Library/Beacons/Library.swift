// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Facts about this package.
package enum Library {
  /// The version of the package, following semantic versioning.
  package static let version = "0.2.0"
  /// The day of that version.
  package static let versionDate = "2026-11-27"
}
