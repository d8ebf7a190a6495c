// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region as saved in a state file.
public struct SavedRegion: Sendable, Equatable {
  /// The version of the saved values; those of another version are not restored.
  public static let version = 1
  /// The most receivers that are restored: reports number them with eight bits.
  static let receiverLimit = 256

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
  /// What its exit clock knew of several beacons; `nil` when it has a fixed exit time, or when no state is saved.
  public var clock: SavedExitClock?
  /// While the state is unknown: how long receivers have listened in order to determine it.
  public var determined: TimeSpan
  /// The names of the receivers that received its beacons lately; empty if none is known.
  public var receivedBy: [String]
  /// The evidence that silences of all its beacons together are rests.
  public var silences: Rests

  /// Creates a saved region.
  public init(
    _ region: Region,
    state: RegionState,
    lastKnown: RegionState? = nil,
    savedAt: Timestamp,
    remaining: TimeSpan? = nil,
    holder: RegionHolder? = nil,
    reports: Int = 0,
    intervals: [SavedIntervals] = [],
    clock: SavedExitClock? = nil,
    determined: TimeSpan = .zero,
    receivedBy: [String] = [],
    silences: Rests = Rests()
  ) {
    self.region = region
    self.state = state
    self.lastKnown = lastKnown
    self.savedAt = savedAt
    self.remaining = remaining
    self.holder = holder
    self.reports = reports
    self.intervals = intervals
    self.clock = clock
    self.determined = determined
    self.receivedBy = receivedBy
    self.silences = silences
  }
}

/// What an exit clock knew of a region's beacons, as saved in a state file.
public struct SavedExitClock: Sendable, Equatable {
  /// A beacon that was present.
  public struct Presence: Sendable, Equatable {
    /// The beacon.
    public var identity: BeaconIdentity
    /// The rest of its exit time.
    public var remaining: TimeSpan

    /// Creates a beacon that was present.
    public init(_ identity: BeaconIdentity, remaining: TimeSpan) {
      self.identity = identity
      self.remaining = remaining
    }
  }

  /// The beacons whose own exit times end last: at most two, the last first.
  public var present: [Presence]
  /// How long it took until every beacon's next packet was due.
  public var packetsDue: TimeSpan
  /// The statistics of the silences that several beacons had in common; `nil` when there never were several.
  public var common: SavedIntervals?

  /// Creates a clock's state.
  public init(present: [Presence], packetsDue: TimeSpan, common: SavedIntervals?) {
    self.present = present
    self.packetsDue = packetsDue
    self.common = common
  }
}
