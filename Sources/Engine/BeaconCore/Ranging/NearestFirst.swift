// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Sorts the beacons of a tick: nearest first, unknown distances last; ties by identity, then by the first reception.
///
/// From one second to the next the order hardly changes. So beacons are added in the order of the last tick and sorted
/// by insertion, which then takes a few steps for each. If it takes more, the standard library's sort is used.
struct NearestFirst: Sendable {
  /// The sort key of one beacon: moving it moves sixteen bytes instead of a hundred.
  struct Entry: Sendable {
    /// The distance's bits, which have the order of the distances, since none is negative; all ones for an unknown
    /// distance.
    let distance: UInt64
    /// The slot of its track (upper half) and its row among the results of the tick (lower half), in one word, so that
    /// they are moved together.
    private var numbers: UInt64

    init(_ meters: Double?, slot: Int32, row: Int) {
      distance = meters?.bitPattern ?? .max
      numbers = UInt64(UInt32(bitPattern: slot)) << 32 | UInt64(UInt32(truncatingIfNeeded: row))
    }

    /// The slot of its track.
    var slot: Int32 { Int32(truncatingIfNeeded: numbers >> 32) }

    /// Its row among the results of the tick.
    var row: Int32 {
      get { Int32(truncatingIfNeeded: numbers) }
      set { numbers = (numbers & ~0xFFFF_FFFF) | UInt64(UInt32(bitPattern: newValue)) }
    }
  }

  /// The most steps that insertion may take for each beacon, on average: this takes about a hundred nanoseconds, as
  /// long as a complete sort.
  private static let stepsABeacon = 32

  /// The distance of the entries that are sorted first, so that no entry has to move far in single steps.
  private static let stride = 8

  private(set) var entries: [Entry] = []

  /// Removes all entries, and reserves capacity for the expected number of beacons.
  mutating func removeAll(expecting count: Int) {
    entries.removeAll(makingRoomFor: count)
  }

  /// Appends beacons.
  @inline(__always)
  mutating func append(
    addingCapacity count: Int,
    _ body: (inout OutputSpan<Entry>) -> Void
  ) {
    entries.append(addingCapacity: count, initializingWith: body)
  }

  /// Sorts the entries and their rows.
  mutating func sort(_ rows: inout [RangedBeacon]) {
    // The span of an empty array traps in a statically linked program, as in ``TrackTable/init(limit:)``.
    guard !rows.isEmpty else { return }
    if !insertInOrder(rows.span) {
      let span = rows.span
      entries.sort { Self.isListed($0, before: $1, span) }
    }
    var rows = rows.mutableSpan
    arrange(&rows)
  }

  /// Sorts by insertion, first every eighth entry; returns `false`, with the work half done, if that takes too many
  /// steps.
  private mutating func insertInOrder(_ rows: Span<RangedBeacon>) -> Bool {
    var steps = entries.count &* Self.stepsABeacon
    var entries = entries.mutableSpan
    return Self.insert(&entries, Self.stride, rows, &steps)
      && Self.insert(&entries, 1, rows, &steps)
  }

  #if compiler(<6.3)
    @_lifetime(entries: copy entries)
  #endif
  @inline(__always)
  private static func insert(
    _ entries: inout MutableSpan<Entry>,
    _ stride: Int,
    _ rows: Span<RangedBeacon>,
    _ steps: inout Int
  ) -> Bool {
    for index in entries.indices.dropFirst(stride) {
      let moving = entries[index]
      var place = index
      // Safe: the place is at least the stride, and at most the index.
      while place >= stride {
        let before = unsafe entries[unchecked: place &- stride]
        guard isListed(moving, before: before, rows) else { break }
        unsafe entries[unchecked: place] = before
        place &-= stride
      }
      // Safe: the place is as before, or has not changed.
      unsafe entries[unchecked: place] = moving
      steps &-= index &- place
      if steps < 0 { return false }
    }
    return true
  }

  /// Moves each row to the place of its entry, following the cycles of the permutation, and updates the row numbers of
  /// the entries.
  private mutating func arrange(_ rows: inout MutableSpan<RangedBeacon>) {
    var entries = entries.mutableSpan
    for start in entries.indices where Int(entries[start].row) != start {
      let first = rows[start]
      var place = start
      while true {
        let next = Int(entries[place].row)
        entries[place].row = Int32(truncatingIfNeeded: place)
        if next == start { break }
        rows[place] = rows[next]
        place = next
      }
      rows[place] = first
    }
  }

  @inline(__always)
  private static func isListed(_ mine: Entry, before other: Entry, _ rows: Span<RangedBeacon>)
    -> Bool
  {
    if mine.distance != other.distance { return mine.distance < other.distance }
    return isTieListed(mine, before: other, rows)
  }

  @inline(never)
  private static func isTieListed(
    _ mine: Entry,
    before other: Entry,
    _ rows: Span<RangedBeacon>
  ) -> Bool {
    let (mine, other) = (Int(mine.row), Int(other.row))
    if rows[mine].identity != rows[other].identity {
      return rows[mine].identity < rows[other].identity
    }
    return rows[mine].firstReceivedOrder < rows[other].firstReceivedOrder
  }
}
