// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A named set of constants and rules.
public enum Profile: String, Sendable, CaseIterable {
  /// Ours: iOS 14's authorization rules, quick and learned exits, proximity held over a beacon's own interval.
  case standard = "default"
  /// Core Location of iOS 14 and later, to the letter.
  case coreLocation14
  /// Core Location of iOS 13.4.
  case coreLocation13_4 = "coreLocation13.4"
  /// Core Location of iOS 13.0 to 13.3.
  case coreLocation13_0 = "coreLocation13.0"
  /// Core Location of iOS 11 and 12.
  case coreLocation12

  /// Whether Apple's rows hold to the letter, better ideas or not.
  public var followsCoreLocation: Bool { self != .standard }
}
