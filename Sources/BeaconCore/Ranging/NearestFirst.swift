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
    /// The slot of its track above its place among what the tick measured: in one word, to be moved as one.
    private let numbers: UInt64

    init(_ meters: Double?, slot: Int32, row: Int) {
      distance = meters?.bitPattern ?? .max
      numbers = UInt64(UInt32(bitPattern: slot)) << 32 | UInt64(UInt32(truncatingIfNeeded: row))
    }

    /// The slot of its track.
    var slot: Int32 { Int32(truncatingIfNeeded: numbers >> 32) }

    /// Its place among what the tick measured.
    var row: Int32 { Int32(truncatingIfNeeded: numbers) }

    /// The distance; `nil` for unknown.
    var meters: Double? { distance == .max ? nil : Double(bitPattern: distance) }
  }

  /// Steps a beacon, on average, that insertion may take: some hundred nanoseconds, as much as sorting anew would cost.
  private static let stepsABeacon = 32

  private(set) var entries: [Entry] = []

  /// Empties the order, and makes room for as many beacons as will come.
  mutating func removeAll(expecting count: Int) {
    entries.removeAll(makingRoomFor: count)
  }

  /// Puts a beacon behind those already in.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
  }

  /// Sorts what was put in.
  mutating func sort(_ tracks: borrowing TrackTable) {
    if !insertInOrder(tracks) {
      entries.sort { Self.isListed($0, before: $1, tracks) }
    }
  }

  /// Sorts by insertion, and returns `false` with the work half done where that takes too many steps.
  private mutating func insertInOrder(_ tracks: borrowing TrackTable) -> Bool {
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
  private static func isListed(_ mine: Entry, before other: Entry, _ tracks: borrowing TrackTable)
    -> Bool
  {
    if mine.distance != other.distance { return mine.distance < other.distance }
    return isTieListed(mine, before: other, tracks)
  }

  @inline(never)
  private static func isTieListed(
    _ mine: Entry,
    before other: Entry,
    _ tracks: borrowing TrackTable
  ) -> Bool {
    let (my, its) = (Int(mine.slot), Int(other.slot))
    let (mine, other) = (tracks.key(of: my).identity, tracks.key(of: its).identity)
    if mine != other { return mine < other }
    return tracks.tracks[my].firstHeardOrder < tracks.tracks[its].firstHeardOrder
  }
}
