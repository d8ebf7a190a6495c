// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The keys of an `Info.plist` that concern location.
enum UsageKeys {
  static let whenInUse = "NSLocationWhenInUseUsageDescription"
  static let always = "NSLocationAlwaysAndWhenInUseUsageDescription"
  static let purposes = "NSLocationTemporaryUsageDescriptionDictionary"
  static let reduced = "NSLocationDefaultAccuracyReduced"
  static let modes = "UIBackgroundModes"
  static let appClip = "NSAppClip"
  static let explicitSession = "NSLocationRequireExplicitServiceSession"

  /// Apple's key of a usage text.
  static func apple(_ key: String) -> String {
    switch key {
    case "whenInUse": whenInUse
    case "alwaysAndWhenInUse": always
    default: key
    }
  }
}
