// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the slot of a track by its key.
///
/// An open-addressing table with linear probing: the standard `Dictionary` hashes with SipHash, which alone costs as
/// much as the whole of decoding a report. Keys lie in the table itself, so a look-up is one cache line however many
/// there are. The seed is the process's own, so what is on the air cannot choose to collide; slots are given in the
/// order keys arrive, so no output depends on the seed.
struct IdentityTable: Sendable {
  /// A key with its slot, in 32 bytes: two to a cache line.
  private struct Place {
    var uuidHigh: UInt64 = 0
    var uuidLow: UInt64 = 0
    var address: UInt64 = 0
    /// Major and minor.
    var numbers: UInt32 = 0
    /// Slot + 1; 0 where there is no key.
    var slotNumber: UInt32 = 0

    init() {}

    @inline(__always)
    init(_ key: TrackKey) {
      uuidHigh = UInt64(truncatingIfNeeded: key.identity.uuid >> 64)
      uuidLow = UInt64(truncatingIfNeeded: key.identity.uuid)
      numbers = UInt32(key.identity.major) << 16 | UInt32(key.identity.minor)
      address = key.address
    }

    @inline(__always)
    func holdsSameKey(as other: Place) -> Bool {
      numbers == other.numbers && uuidLow == other.uuidLow && uuidHigh == other.uuidHigh
        && address == other.address
    }
  }

  /// Numbers nobody on the air knows.
  private struct Seed {
    let first, second, third, fourth: UInt64

    init() {
      func number(_ index: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(index)
        return UInt64(bitPattern: Int64(hasher.finalize()))
      }
      (first, second, third, fourth) = (number(0), number(1), number(2), number(3))
    }
  }

  /// Slots in use.
  private(set) var count = 0
  /// Slots ever given, all numbered below this.
  private var slotsGiven = 0
  private var freeSlots: [UInt32] = []
  /// The keys; their count is a power of two, and at least a quarter of them are free.
  private var places: [Place]
  private let seed = Seed()

  private static let firstCapacity = 64

  init() {
    places = Array(repeating: Place(), count: Self.firstCapacity)
  }

  /// Returns the slot of a key, or `nil` where it has none.
  @inline(__always)
  func slot(of key: TrackKey) -> Int? {
    let wanted = Place(key)
    let places = places.span
    let mask = places.count &- 1
    var index = home(wanted) & mask
    while places[index].slotNumber != 0 {
      if places[index].holdsSameKey(as: wanted) { return Int(places[index].slotNumber &- 1) }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Gives a new key the slot that was freed last, or a new one.
  ///
  /// - Precondition: The key has no slot yet.
  mutating func insert(_ key: TrackKey) -> Int {
    if (count + 1) * 4 > places.count * 3 { grow() }
    count += 1
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = Int(free)
    } else {
      slot = slotsGiven
      slotsGiven += 1
    }
    var place = Place(key)
    place.slotNumber = UInt32(truncatingIfNeeded: slot + 1)
    put(place)
    return slot
  }

  /// Frees the slot of a key.
  mutating func remove(_ key: TrackKey) {
    let wanted = Place(key)
    let mask = places.count - 1
    var hole = home(wanted) & mask
    while !places[hole].holdsSameKey(as: wanted) || places[hole].slotNumber == 0 {
      guard places[hole].slotNumber != 0 else { return }
      hole = (hole + 1) & mask
    }
    freeSlots.append(places[hole].slotNumber - 1)
    count -= 1
    close(hole: hole)
  }

  /// Forgets all keys, and what room it had grown to.
  mutating func removeAll() {
    self = IdentityTable()
  }

  /// Moves later entries of the run back over a hole, so that no search stops short of what it looks for.
  private mutating func close(hole: Int) {
    var hole = hole
    let mask = places.count - 1
    var next = (hole + 1) & mask
    while places[next].slotNumber != 0 {
      if (next &- home(places[next])) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    places[hole] = Place()
  }

  private mutating func put(_ place: Place) {
    let mask = places.count - 1
    var index = home(place) & mask
    while places[index].slotNumber != 0 { index = (index + 1) & mask }
    places[index] = place
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: Place(), count: old.count * 2)
    for place in old where place.slotNumber != 0 { put(place) }
  }

  /// Where a key would best lie, before it is wrapped: two folded 128-bit products, each of numbers that someone on the
  /// air cannot steer without knowing the seed.
  @inline(__always)
  private func home(_ place: Place) -> Int {
    let uuid = (place.uuidLow ^ seed.first).multipliedFullWidth(by: place.uuidHigh ^ seed.second)
    let rest = (UInt64(place.numbers) ^ seed.third)
      .multipliedFullWidth(by: place.address ^ seed.fourth)
    return Int(truncatingIfNeeded: (uuid.high ^ uuid.low) &+ (rest.high ^ rest.low))
  }
}
