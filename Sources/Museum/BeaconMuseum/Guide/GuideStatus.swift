// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A guide's current service for its visitor; the raw values are the names in outputs.
public enum GuideStatus: String, Sendable, CaseIterable {
  /// The visitor has not yet decided whether the guide may use the location.
  case asking
  /// The visitor or a policy does not allow it.
  case denied
  /// The guide may know the location only roughly, so it shows nothing.
  case reduced
  /// It is not known yet whether the visitor is in the museum.
  case looking
  /// No beacon of the museum is received.
  case outside
  /// Beacons of the museum are received, and the guide ranges them.
  case inside
}
