// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// All tracks: bounded, found by key, each in a slot that stays while it lives.
struct TrackTable: Sendable {
  private var identities = IdentityTable()
  /// The tracks by slot; what stands in a free slot is of no meaning.
  var tracks: [Track] = []
  /// What the tracks mark, by slot: as many as were ever asked for, so none where nobody monitors.
  private var marks: [RegionMarks] = []
  /// Tracks ever begun.
  private(set) var begun: UInt64 = 0
  /// Where the search for a track to give up goes on.
  private var hand = 0
  private let limit: Int

  /// Tracks looked at when one must be given up: of so many, the one silent the longest is very seldom a beacon still
  /// in range, and the search costs the same however full the table is.
  private static let candidates = 16

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Tracks there are.
  var count: Int { identities.count }

  /// Whether no more tracks can begin without giving one up.
  var isFull: Bool { count >= limit }

  /// Returns the slot of a track, or `nil` where there is none.
  @inline(__always)
  func slot(of key: TrackKey) -> Int? { identities.slot(of: key) }

  /// Whether there is a track in a slot.
  func isLive(_ slot: Int) -> Bool { tracks[slot].isLive }

  /// Returns the key of a track.
  func key(of slot: Int) -> TrackKey { identities.key(of: slot) }

  /// Gives all tracks to be changed, and their keys, with one look at who else holds them.
  @inline(__always)
  mutating func update(_ body: (inout MutableSpan<Track>, borrowing IdentityTable) -> Void) {
    let identities = identities
    var tracks = tracks.mutableSpan
    body(&tracks, identities)
  }

  /// Begins a track in a slot of its own.
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

  /// Ends a track; its slot may be given to another.
  mutating func end(_ slot: Int) {
    identities.remove(slot)
    tracks[slot].release()
    if slot < marks.count { marks[slot] = RegionMarks() }
  }

  /// What a track marks.
  subscript(marksOf slot: Int) -> RegionMarks {
    get { slot < marks.count ? marks[slot] : RegionMarks() }
    _modify {
      while marks.count <= slot { marks.append(RegionMarks()) }
      yield &marks[slot]
    }
  }

  /// Returns the slot of a track to give up: of some, the one silent the longest.
  ///
  /// The tracks are looked at in turn from call to call, so that none is spared for good.
  mutating func slotToGiveUp() -> Int? {
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
