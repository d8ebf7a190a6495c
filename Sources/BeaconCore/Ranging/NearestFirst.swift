// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Puts the beacons of a tick in the order they are listed: nearest first, unknown last, ties by identity, then by which
/// was heard first.
///
/// From one second to the next the order hardly changes. So beacons are put in as the last tick left them and sorted by
/// insertion, which then takes a few steps each; where it does not, the standard library's sort takes over.
struct NearestFirst: Sendable {
  /// One beacon among those to be ordered, without what it is told with: sixteen bytes to move instead of a hundred.
  struct Entry: Sendable {
    /// The distance's bits, which order as distances do, since none is negative; all ones for unknown.
    let distance: UInt64
    /// The slot of its track.
    let slot: Int32
    /// Its place among what the tick measured.
    let row: Int32

    init(_ distance: DistanceEstimate?, slot: Int32, row: Int) {
      self.distance = distance?.meters.bitPattern ?? .max
      self.slot = slot
      self.row = Int32(truncatingIfNeeded: row)
    }
  }

  /// Steps a beacon, on average, that insertion may take: some hundred nanoseconds, as much as sorting anew would cost.
  private static let stepsABeacon = 32

  private(set) var entries: [Entry] = []

  /// Empties the order, and keeps its storage.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }

  /// Puts a beacon behind those already in.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
  }

  /// Sorts what was put in.
  mutating func sort(_ tracks: [Track]) {
    if !insertInOrder(tracks) {
      entries.sort { Self.isListed($0, before: $1, tracks) }
    }
  }

  /// Sorts by insertion, and returns `false` with the work half done where that takes too many steps.
  private mutating func insertInOrder(_ tracks: [Track]) -> Bool {
    var steps = entries.count &* Self.stepsABeacon
    var entries = entries.mutableSpan
    for index in entries.indices.dropFirst() {
      let moving = entries[index]
      var place = index
      while place > 0, Self.isListed(moving, before: entries[place &- 1], tracks) {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = moving
      steps &-= index &- place
      if steps < 0 { return false }
    }
    return true
  }

  @inline(__always)
  private static func isListed(_ mine: Entry, before other: Entry, _ tracks: [Track]) -> Bool {
    if mine.distance != other.distance { return mine.distance < other.distance }
    return isTieListed(mine, before: other, tracks)
  }

  @inline(never)
  private static func isTieListed(_ mine: Entry, before other: Entry, _ tracks: [Track]) -> Bool {
    let (my, its) = (Int(mine.slot), Int(other.slot))
    if tracks[my].key.identity != tracks[its].key.identity {
      return tracks[my].key.identity < tracks[its].key.identity
    }
    return tracks[my].firstHeardOrder < tracks[its].firstHeardOrder
  }
}
