// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a guide can do for its visitor now; the raw values are the names in outputs.
public enum GuideStatus: String, Sendable, CaseIterable {
  /// The visitor has not yet said whether the guide may know.
  case asking
  /// The visitor, or a policy, does not let it.
  case denied
  /// The guide may know only roughly where it is, and so shows nothing.
  case reduced
  /// It is not yet known whether the museum is here.
  case looking
  /// No beacon of the museum is heard.
  case outside
  /// Beacons of the museum are heard, and the guide ranges them.
  case inside
}
