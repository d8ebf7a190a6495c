// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The numbers of region monitoring, each with its reason.
public enum RegionConstants {
  /// How long after the last matching advertisement Core Location's profile leaves a region: 30 s.
  ///
  /// iOS was measured at 20 to 30 s ("up to 30 seconds"); the upper end is what users of that platform plan for.
  public static let fixedExitTime = TimeSpan.seconds(30)

  /// How long a radio listens to silence before a region of unknown state is outside: 10 s.
  ///
  /// Apple is silent. A beacon at 1 s with a third of its packets received is heard within 10 s in 98 of 100 cases, and
  /// nobody waits longer for a first answer.
  public static let initialDetermination = TimeSpan.seconds(10)

  /// How often an hour a present beacon may be taken for gone: 0.1, about once in a museum's day.
  public static let falseExitsPerHour = 0.1

  /// The shortest exit time that is ever learned: 3 s.
  ///
  /// One person stepping in between silences a radio for about that long.
  public static let learnedExitFloor = TimeSpan.seconds(3)

  /// The longest exit time that is ever learned, and what holds until enough is known: 30 s, as in Core Location.
  public static let learnedExitCap = TimeSpan.seconds(30)

  /// Regions a client may monitor under Core Location's profile: 20, documented by Apple.
  public static let coreLocationRegionLimit = 20

  /// Regions a client may monitor under the default profile: 10,000, some ten megabytes of memory.
  public static let defaultRegionLimit = 10_000

  /// How old a saved state may be and still be restored: 15 minutes.
  ///
  /// Longer than a restart or an update takes, shorter than a person stays where they are as a rule.
  public static let restoredStateAge = TimeSpan.seconds(15 * 60)

  /// Beacons of a region whose habits are kept for a later run: 64, those heard last.
  ///
  /// More than one radio has in range of a room; the others are learned anew, as on a first day.
  public static let savedIntervals = 64

  /// In how long an enter policy's sightings must fall unless it says otherwise: 10 s, the time of a first determination.
  public static let enterWindow = TimeSpan.seconds(10)

  /// Beacons in range that a zone remembers: 64.
  ///
  /// A zone is drawn around one beacon or a few; when more are in range, forgetting the one whose time is up first
  /// can only matter once all the others have left.
  public static let zoneBeacons = 64
}
