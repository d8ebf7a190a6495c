// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the slot of a track by its key, and keeps the keys by slot.
///
/// An open-addressing table with linear probing: the standard `Dictionary` hashes with SipHash, which alone costs as
/// much as the whole of decoding a report. A place holds half of the hash beside the slot, so that a look-up reads one
/// key, its own. The seed is the process's own, so what is on the air cannot choose to collide; slots are given in the
/// order keys arrive, so no output depends on the seed.
struct IdentityTable: Sendable {
  /// A key in 32 bytes: two to a cache line.
  private struct Key {
    let uuidHigh, uuidLow, address: UInt64
    /// Major and minor.
    let numbers: UInt32

    @inline(__always)
    init(_ key: TrackKey) {
      uuidHigh = UInt64(truncatingIfNeeded: key.identity.uuid >> 64)
      uuidLow = UInt64(truncatingIfNeeded: key.identity.uuid)
      numbers = UInt32(key.identity.major) << 16 | UInt32(key.identity.minor)
      address = key.address
    }

    @inline(__always)
    func isSame(as other: Key) -> Bool {
      numbers == other.numbers && uuidLow == other.uuidLow && uuidHigh == other.uuidHigh
        && address == other.address
    }

    var trackKey: TrackKey {
      let identity = BeaconIdentity(
        uuid: UInt128(uuidHigh) << 64 | UInt128(uuidLow),
        major: UInt16(truncatingIfNeeded: numbers >> 16),
        minor: UInt16(truncatingIfNeeded: numbers)
      )
      return TrackKey(identity, address: address)
    }
  }

  /// Where a key may be found: half of its hash, and its slot.
  private struct Place {
    var tag: UInt32 = 0
    /// Slot + 1; 0 where there is no key.
    var slotNumber: UInt32 = 0

    var slot: Int { Int(slotNumber &- 1) }
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
  /// The keys by slot; what stands in a free slot is of no meaning.
  private var keys: [Key] = []
  private var freeSlots: [UInt32] = []
  /// Their count is a power of two, and at least a quarter of them are free.
  private var places: [Place]
  private let seed = Seed()

  private static let firstCapacity = 64

  init() {
    places = Array(repeating: Place(), count: Self.firstCapacity)
  }

  /// Returns the slot of a key, or `nil` where it has none.
  @inline(__always)
  func slot(of key: TrackKey) -> Int? {
    let wanted = Key(key)
    let hash = hash(wanted)
    let tag = Self.tag(hash)
    let places = places.span
    let mask = places.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while places[index].slotNumber != 0 {
      let place = places[index]
      if place.tag == tag, keys[place.slot].isSame(as: wanted) { return place.slot }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Returns the key of a slot in use.
  func key(of slot: Int) -> TrackKey { keys[slot].trackKey }

  /// Gives a new key the slot that was freed last, or a new one.
  ///
  /// - Precondition: The key has no slot yet.
  mutating func insert(_ key: TrackKey) -> Int {
    if (count + 1) * 4 > places.count * 3 { grow() }
    count += 1
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = Int(free)
      keys[slot] = Key(key)
    } else {
      slot = keys.count
      keys.append(Key(key))
    }
    put(slot)
    return slot
  }

  /// Frees a slot in use.
  mutating func remove(_ slot: Int) {
    let mask = places.count - 1
    var hole = home(slot) & mask
    while places[hole].slotNumber != 0, places[hole].slot != slot { hole = (hole + 1) & mask }
    guard places[hole].slotNumber != 0 else { return }
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
      if (next &- home(places[next].slot)) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    places[hole] = Place()
  }

  private mutating func put(_ slot: Int) {
    let hash = hash(keys[slot])
    let mask = places.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while places[index].slotNumber != 0 { index = (index + 1) & mask }
    places[index] = Place(
      tag: Self.tag(hash),
      slotNumber: UInt32(truncatingIfNeeded: slot + 1)
    )
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: Place(), count: old.count * 2)
    for place in old where place.slotNumber != 0 { put(place.slot) }
  }

  /// Where the key of a slot would best lie, before it is wrapped.
  private func home(_ slot: Int) -> Int { Int(truncatingIfNeeded: hash(keys[slot])) }

  private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

  /// Two folded 128-bit products, each of numbers that someone on the air cannot steer without knowing the seed.
  @inline(__always)
  private func hash(_ key: Key) -> UInt64 {
    let uuid = (key.uuidLow ^ seed.first).multipliedFullWidth(by: key.uuidHigh ^ seed.second)
    let rest = (UInt64(key.numbers) ^ seed.third)
      .multipliedFullWidth(by: key.address ^ seed.fourth)
    // Once more, and the upper half put first: a seed with zeros at its lower end would leave neighbors in one place.
    let mixed = ((uuid.high ^ uuid.low) &+ (rest.high ^ rest.low)) &* 0x9E37_79B9_7F4A_7C15
    return mixed >> 32 | mixed << 32
  }
}

/// Counts the identities sighted, each once as long as it is remembered.
struct SightedIdentities: Sendable {
  private var table = IdentityTable()
  private let limit: Int
  /// Identities counted so far.
  private(set) var count = 0

  /// - Parameter limit: How many are remembered; when there are more, all are forgotten and those heard again count again.
  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Whether an identity is remembered.
  @inline(__always)
  func contains(_ identity: BeaconIdentity) -> Bool { table.slot(of: TrackKey(identity)) != nil }

  /// Counts an identity that is not remembered, and remembers it.
  mutating func insert(_ identity: BeaconIdentity) {
    if table.count >= limit { table.removeAll() }
    _ = table.insert(TrackKey(identity))
    count &+= 1
  }
}
