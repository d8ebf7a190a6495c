// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// All tracks: bounded in number, found by key, each in a slot that does not change until the track ends.
struct TrackTable: Sendable {
  private var identities = IdentityTable()
  /// The tracks by slot; the track in a free slot has no meaning.
  var tracks: [Track] = []
  /// The regions that tracks mark, by slot; it grows on demand, so it is empty when no region is monitored.
  private var marks: [RegionMarks] = []
  /// How many tracks have been started so far.
  private(set) var begun: UInt64 = 0
  /// The slot at which the next search for a track to evict continues.
  private var hand = 0
  private let limit: Int

  /// How many tracks are compared to evict one.
  ///
  /// Among this many, the one that has been silent longest is very rarely a beacon still in range, and the search takes
  /// the same time however full the table is.
  private static let candidates = 16

  init(limit: Int) {
    self.limit = max(1, limit)
    // A track is aligned to 16 bytes. In a statically linked program the storage that all empty arrays share may not be,
    // and its span traps. With room for a track the array has separate storage.
    tracks.reserveCapacity(1)
  }

  /// The number of tracks.
  var count: Int { identities.count }

  /// Whether a new track requires the eviction of another.
  var isFull: Bool { count >= limit }

  /// Returns the slot of a track, if any.
  @inline(__always)
  func slot(of key: TrackKey) -> Int? { identities.slot(of: key) }

  /// Whether there is a track in a slot.
  func isLive(_ slot: Int) -> Bool { tracks[slot].isLive }

  /// Returns the key of a track.
  func key(of slot: Int) -> TrackKey { identities.key(of: slot) }

  /// Calls a closure with all tracks, to be changed, and their keys, with a single uniqueness check of the array.
  @inline(__always)
  mutating func update(_ body: (inout MutableSpan<Track>, borrowing IdentityTable) -> Void) {
    let identities = identities
    var tracks = tracks.mutableSpan
    body(&tracks, identities)
  }

  /// Starts a track in a separate slot.
  ///
  /// - Precondition: The table is not full, and the key has no track.
  mutating func begin(_ key: TrackKey, _ make: (_ order: UInt64) -> Track) -> Int {
    let track = make(begun)
    begun &+= 1
    let slot = identities.insert(key)
    if slot == tracks.count {
      tracks.append(track)
    } else {
      tracks[slot] = track
    }
    return slot
  }

  /// Ends a track; another track may get its slot.
  mutating func end(_ slot: Int) {
    identities.remove(slot)
    tracks[slot].release()
    if slot < marks.count { marks[slot] = RegionMarks() }
  }

  /// The regions that a track marks.
  subscript(marksOf slot: Int) -> RegionMarks {
    get { slot < marks.count ? marks[slot] : RegionMarks() }
    _modify {
      while marks.count <= slot { marks.append(RegionMarks()) }
      yield &marks[slot]
    }
  }

  /// Returns the slot of a track to evict: among some tracks, the one that has been silent longest.
  ///
  /// Each call continues with the next tracks, so that every track is compared at some time.
  mutating func slotToEvict() -> Int? {
    var oldest: Int?
    var looked = 0
    var steps = 0
    while looked < Self.candidates, steps < tracks.count {
      hand = hand + 1 < tracks.count ? hand + 1 : 0
      steps += 1
      guard isLive(hand) else { continue }
      looked += 1
      if let known = oldest, tracks[known].lastReceived <= tracks[hand].lastReceived { continue }
      oldest = hand
    }
    return oldest
  }
}

/// The data that regions need of one beacon; it is separate from the track, so that ranging without regions does not need its
/// memory.
struct RegionMarks: Sendable {
  /// The statistics of the beacon's gaps, from which its exit time follows.
  var gaps = ArrivalIntervals()
  /// The regions it marks.
  private(set) var regions: [RegionReference] = []
  /// Whether any of them is a zone, which needs the distance.
  private(set) var marksZone = false
  /// The version of the regions at the last look-up; 0 before the first.
  private(set) var version: UInt32 = 0

  /// Stores which regions the beacon marks.
  mutating func set(_ found: [RegionReference], marksZone: Bool, version: UInt32) {
    regions = found
    self.marksZone = marksZone
    self.version = version
  }
}
