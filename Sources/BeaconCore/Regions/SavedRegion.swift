// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region as saved in a state file.
public struct SavedRegion: Sendable, Equatable {
  /// The version of the saved values; those of another version are not restored.
  public static let version = 1

  /// The region itself.
  public var region: Region
  /// The state; unknown when only the registration is to be restored.
  public var state: RegionState
  /// While the state is unknown because reception is lost: the state before that.
  public var lastKnown: RegionState?
  /// When it was saved.
  public var savedAt: Timestamp
  /// The rest of the exit time, if inside.
  public var remaining: TimeSpan?
  /// The beacon that kept the region inside; its `due` is not saved.
  public var holder: RegionHolder?
  /// The matching reports since the region was entered.
  public var reports: Int
  /// The statistics of the beacons that mark the region, in the order of their identities; of many beacons, those
  /// received last.
  public var intervals: [SavedIntervals]

  /// Creates a saved region.
  public init(
    _ region: Region,
    state: RegionState,
    lastKnown: RegionState? = nil,
    savedAt: Timestamp,
    remaining: TimeSpan? = nil,
    holder: RegionHolder? = nil,
    reports: Int = 0,
    intervals: [SavedIntervals] = []
  ) {
    self.region = region
    self.state = state
    self.lastKnown = lastKnown
    self.savedAt = savedAt
    self.remaining = remaining
    self.holder = holder
    self.reports = reports
    self.intervals = intervals
  }
}
