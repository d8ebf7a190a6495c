// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the regions need of one beacon beside its track, so that ranging alone does not pay for it.
struct RegionMarks: Sendable {
  /// What the beacon's own gaps say about how long it may be silent and still be there.
  var gaps = ArrivalIntervals()
  /// The regions it marks.
  private(set) var regions: [RegionReference] = []
  /// Whether any of them is a zone, which must be told the distance.
  private(set) var marksZone = false
  /// The version of the regions that these were looked up in; 0 for never.
  private(set) var version: UInt32 = 0

  /// Remembers which regions the beacon marks.
  mutating func set(_ found: [RegionReference], marksZone: Bool, version: UInt32) {
    regions = found
    self.marksZone = marksZone
    self.version = version
  }
}
