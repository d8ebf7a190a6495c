// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the slot of a track by its key.
///
/// An open-addressing table with linear probing: the standard `Dictionary` hashes with SipHash, which alone costs as
/// much as the whole of decoding a report. The seed is the process's own, so what is on the air cannot choose to
/// collide; slots are given in the order keys arrive, so no output depends on the seed.
struct IdentityTable: Sendable {
  /// The keys by slot; `nil` where the slot is free.
  private(set) var keys: [TrackKey?] = []
  private var freeSlots: [UInt32] = []
  /// Slot + 1 by place; 0 where there is none.
  ///
  /// Its count is a power of two, at least twice the slots in use.
  private var places: [UInt32]
  private let seed: (UInt64, UInt64)

  init() {
    places = Array(repeating: 0, count: 64)
    var hasher = Hasher()
    hasher.combine(0)
    let first = UInt64(bitPattern: Int64(hasher.finalize()))
    seed = (first, first &* 0xD129_0D3A_9CB1_6A5F ^ 0x2545_F491_4F6C_DD1D)
  }

  /// Slots in use.
  var count: Int { keys.count - freeSlots.count }

  /// Returns the slot of a key, or `nil` where it has none.
  func slot(of key: TrackKey) -> Int? {
    var place = home(key)
    while places[place] != 0 {
      let slot = Int(places[place] - 1)
      if keys[slot] == key { return slot }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// Gives a new key the lowest-numbered slot that was freed last, or a new one.
  ///
  /// - Precondition: The key has no slot yet.
  mutating func insert(_ key: TrackKey) -> Int {
    if (count + 1) * 2 > places.count { grow() }
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = Int(free)
      keys[slot] = key
    } else {
      slot = keys.count
      keys.append(key)
    }
    place(slot, key)
    return slot
  }

  /// Frees the slot of a key.
  mutating func remove(_ key: TrackKey) {
    var hole = home(key)
    while true {
      guard places[hole] != 0 else { return }
      if keys[Int(places[hole] - 1)] == key { break }
      hole = (hole + 1) & (places.count - 1)
    }
    let slot = places[hole] - 1
    keys[Int(slot)] = nil
    freeSlots.append(slot)
    close(hole: hole)
  }

  /// Moves later entries of the run back over a hole, so that no search stops short of what it looks for.
  private mutating func close(hole: Int) {
    var hole = hole
    let mask = places.count - 1
    var next = (hole + 1) & mask
    places[hole] = 0
    while places[next] != 0 {
      guard let key = keys[Int(places[next] - 1)] else { return }
      if (next &- home(key)) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        places[next] = 0
        hole = next
      }
      next = (next + 1) & mask
    }
  }

  private func home(_ key: TrackKey) -> Int {
    Int(truncatingIfNeeded: key.hash(seed: seed)) & (places.count - 1)
  }

  private mutating func place(_ slot: Int, _ key: TrackKey) {
    var place = home(key)
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = UInt32(slot + 1)
  }

  private mutating func grow() {
    places = Array(repeating: 0, count: places.count * 2)
    for (slot, key) in keys.enumerated() {
      if let key { place(slot, key) }
    }
  }
}
