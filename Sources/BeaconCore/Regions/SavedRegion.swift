// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region as a state file keeps it: plain values, to be written and read by a format.
public struct SavedRegion: Sendable, Equatable {
  /// The version of what is saved; what another version wrote is not restored.
  public static let version = 1

  /// The region itself.
  public var region: Region
  /// The state that held; unknown when nothing is to be restored but the registration.
  public var state: RegionState
  /// When it held.
  public var savedAt: Timestamp
  /// What is left of the exit time, if inside.
  public var remaining: TimeSpan?
  /// The beacon that kept the region inside; its `due` is not meant to be saved.
  public var holder: RegionHolder?
  /// The matching reports since the region was entered.
  public var reports: Int
  /// What was learned of the beacons that mark the region, in the order of their identities; the latest heard where
  /// there were many.
  public var intervals: [SavedIntervals]

  /// Creates a saved region.
  public init(
    _ region: Region,
    state: RegionState,
    savedAt: Timestamp,
    remaining: TimeSpan? = nil,
    holder: RegionHolder? = nil,
    reports: Int = 0,
    intervals: [SavedIntervals] = []
  ) {
    self.region = region
    self.state = state
    self.savedAt = savedAt
    self.remaining = remaining
    self.holder = holder
    self.reports = reports
    self.intervals = intervals
  }
}
