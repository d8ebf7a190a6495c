// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The version of iOS whose authorization rules apply.
///
/// The raw values are the names for `--profile`. The profile `default` uses the rules of iOS 14.
package enum AuthorizationProfile: String, Sendable, CaseIterable {
  /// iOS 11 and 12: a two-option, a three-option and a transition prompt; no regions with when-in-use.
  case iOS12 = "coreLocation12"
  /// iOS 13.0 to 13.3: Allow Once and provisional Always, also from a when-in-use grant.
  case iOS13 = "coreLocation13.0"
  /// iOS 13.4: a prompt raises a when-in-use grant immediately.
  case iOS13Point4 = "coreLocation13.4"
  /// iOS 14 and later: accuracy becomes the second axis.
  case iOS14 = "coreLocation14"

  /// Returns the rules of a named profile, including `default`; `nil` for an unknown name.
  package init?(named name: String) {
    if name == "default" {
      self = .iOS14
    } else {
      self.init(rawValue: name)
    }
  }

  /// Whether Allow Once, provisional Always and App Clips exist (iOS 13 and later, rows A1 to A27).
  package var hasTemporaryGrants: Bool { self != .iOS12 }

  /// Whether accuracy can be anything but full.
  package var hasAccuracyAxis: Bool { self == .iOS14 }
}
