// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Whose authorization rules hold.
///
/// The raw values are the names that `--profile` takes. The profile `default` uses iOS 14's rules.
public enum AuthorizationProfile: String, Sendable, CaseIterable {
  /// iOS 11 and 12: a two-option, a three-option and a transition prompt; no regions with when-in-use.
  case iOS12 = "coreLocation12"
  /// iOS 13.0 to 13.3: Allow Once and provisional Always, also from a when-in-use grant.
  case iOS13 = "coreLocation13.0"
  /// iOS 13.4: a when-in-use grant is raised by a prompt at once.
  case iOS13Point4 = "coreLocation13.4"
  /// iOS 14 and later: accuracy becomes the second axis.
  case iOS14 = "coreLocation14"

  /// Returns the rules of a named profile, `default` among them, or `nil` for a name that is none.
  public init?(named name: String) {
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
