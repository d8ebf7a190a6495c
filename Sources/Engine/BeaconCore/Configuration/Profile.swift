// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A named set of defaults and rules.
public enum Profile: String, Sendable, CaseIterable {
  /// The project's own profile: iOS 14's authorization rules, quick and learned exits, and proximity held for a
  /// beacon's own interval.
  case standard = "default"
  /// Core Location of iOS 14 and later, followed exactly.
  case coreLocation14
  /// Core Location of iOS 13.4.
  case coreLocation13_4 = "coreLocation13.4"
  /// Core Location of iOS 13.0 to 13.3.
  case coreLocation13_0 = "coreLocation13.0"
  /// Core Location of iOS 11 and 12.
  case coreLocation12

  /// Whether Core Location's documented behavior is followed exactly, even if the engine could do better.
  public var followsCoreLocation: Bool { self != .standard }
}
