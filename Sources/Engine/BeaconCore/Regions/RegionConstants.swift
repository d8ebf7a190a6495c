// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The numbers of region monitoring, each with its reason.
public enum RegionConstants {
  /// How long after the last matching advertisement Core Location's profile leaves a region: 30 s.
  ///
  /// iOS was measured at 20 to 30 s ("up to 30 seconds"); users of that platform plan for the upper end.
  package static let fixedExitTime = TimeSpan.seconds(30)

  /// How long a radio listens to silence before a region of unknown state is outside: 10 s.
  ///
  /// Apple documents nothing. A beacon with an interval of 1 s, of which a third of the packets is received, is
  /// received within 10 s in 98 of 100 cases, and a first answer should not take longer.
  public static let initialDetermination = TimeSpan.seconds(10)

  /// How often an hour a present beacon may count as gone: 0.1, about once in a museum's day.
  public static let falseExitsPerHour = 0.1

  /// The shortest exit time that is ever learned: 3 s.
  ///
  /// A person who steps in front of a beacon blocks it for about that long.
  public static let learnedExitFloor = TimeSpan.seconds(3)

  /// The longest learned exit time, also used until enough is known: 30 s, as in Core Location.
  public static let learnedExitCap = TimeSpan.seconds(30)

  /// How long a beacon must have been present until its exit time is learned: 10 minutes.
  ///
  /// In that time a beacon at 5 s sends 120 packets, enough to know its loss to a few percent, and a place with
  /// frequent bursts of loss has shown three of them.
  public static let learnedExitHold = TimeSpan.seconds(600)

  /// Regions a client may monitor under Core Location's profile: 20, documented by Apple.
  package static let coreLocationRegionLimit = 20

  /// Regions a client may monitor under the default profile: 10,000, some ten megabytes of memory.
  package static let defaultRegionLimit = 10_000

  /// How old a saved state may be and still be restored: 15 minutes.
  ///
  /// Longer than a restart or an update takes, shorter than a visitor usually stays in one place.
  public static let restoredStateAge = TimeSpan.seconds(15 * 60)

  /// How many beacons of a region have their intervals saved for a later run: 64, those received last.
  ///
  /// More than are in range of one receiver in a room; the intervals of the others are learned again.
  package static let savedIntervals = 64

  /// The default window of an enter policy: 10 s, the time of a first determination.
  public static let enterWindow = TimeSpan.seconds(10)

  /// Beacons in range that a zone remembers: 64.
  ///
  /// A zone surrounds one beacon or a few. When more are in range, removing the one whose exit time ends first only
  /// matters after all the others have left.
  package static let zoneBeacons = 64
  /// How many beacons that are in its place, or can be, a region with a place remembers.
  ///
  /// As many as fusion follows.
  package static let placeBeacons = 1000
}
