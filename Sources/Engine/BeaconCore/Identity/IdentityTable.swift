// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the slot of a track by its key, and keeps the keys by slot.
///
/// An open-addressing table with linear probing: the standard `Dictionary` hashes with SipHash, which takes as
/// long as decoding a report. A bucket contains half of the hash with the slot, so that a look-up usually compares
/// one key. Each process has its own seed, so that a transmitter cannot choose keys that collide. Slots are assigned in
/// the order in which keys arrive, so no output depends on the seed.
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

  /// An entry of the hash table: half of the hash of a key, and its slot.
  private struct Bucket {
    var tag: UInt32 = 0
    /// Slot + 1; 0 without a key.
    var slotNumber: UInt32 = 0

    var slot: Int { Int(slotNumber &- 1) }
  }

  /// Random numbers that no transmitter knows.
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
  /// The keys by slot; the key in a free slot has no meaning.
  private var keys: [Key] = []
  private var freeSlots: [UInt32] = []
  /// Their count is a power of two, and at least a quarter of them are free.
  private var buckets: [Bucket]
  private let seed = Seed()

  private static let firstCapacity = 64

  init() {
    buckets = Array(repeating: Bucket(), count: Self.firstCapacity)
  }

  /// Returns the slot of a key, if any.
  @inline(__always)
  func slot(of key: TrackKey) -> Int? {
    let wanted = Key(key)
    let hash = hash(wanted)
    let tag = Self.tag(hash)
    let buckets = buckets.span
    let mask = buckets.count &- 1
    var index = Self.place(hash) & mask
    while buckets[index].slotNumber != 0 {
      let bucket = buckets[index]
      if bucket.tag == tag, keys[bucket.slot].isSame(as: wanted) { return bucket.slot }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Returns the key of a slot in use.
  func key(of slot: Int) -> TrackKey { keys[slot].trackKey }

  /// Assigns to a new key the slot that was freed last, or a new one.
  ///
  /// - Precondition: The key has no slot yet.
  mutating func insert(_ key: TrackKey) -> Int {
    if (count + 1) * 4 > buckets.count * 3 { grow() }
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
    let mask = buckets.count - 1
    var hole = home(slot) & mask
    while buckets[hole].slotNumber != 0, buckets[hole].slot != slot { hole = (hole + 1) & mask }
    guard buckets[hole].slotNumber != 0 else { return }
    freeSlots.append(buckets[hole].slotNumber - 1)
    count -= 1
    close(hole: hole)
  }

  /// Removes all keys and returns to the initial capacity.
  mutating func removeAll() {
    self = IdentityTable()
  }

  /// Moves later entries of the probe sequence back into a hole, so that no search stops too early.
  private mutating func close(hole: Int) {
    var hole = hole
    let mask = buckets.count - 1
    var next = (hole + 1) & mask
    while buckets[next].slotNumber != 0 {
      if (next &- home(buckets[next].slot)) & mask >= (next &- hole) & mask {
        buckets[hole] = buckets[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    buckets[hole] = Bucket()
  }

  private mutating func put(_ slot: Int) {
    let hash = hash(keys[slot])
    let mask = buckets.count - 1
    var index = Self.place(hash) & mask
    while buckets[index].slotNumber != 0 { index = (index + 1) & mask }
    buckets[index] = Bucket(
      tag: Self.tag(hash),
      slotNumber: UInt32(truncatingIfNeeded: slot + 1)
    )
  }

  private mutating func grow() {
    let old = buckets
    buckets = Array(repeating: Bucket(), count: old.count * 2)
    for bucket in old where bucket.slotNumber != 0 { put(bucket.slot) }
  }

  /// The preferred bucket of a slot's key, before masking.
  private func home(_ slot: Int) -> Int { Self.place(hash(keys[slot])) }

  /// The preferred bucket of a hash, before masking: its upper half, which depends on all bits of the key.
  ///
  /// A seed with zeros at its lower end would make the lower bits those of neighbors.
  @inline(__always)
  private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) }

  private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) }

  /// Two folded 128-bit products of numbers that a transmitter cannot control without knowing the seed, mixed again.
  @inline(__always)
  private func hash(_ key: Key) -> UInt64 {
    let uuid = (key.uuidLow ^ seed.first).multipliedFullWidth(by: key.uuidHigh ^ seed.second)
    let rest = (UInt64(key.numbers) ^ seed.third)
      .multipliedFullWidth(by: key.address ^ seed.fourth)
    return ((uuid.high ^ uuid.low) &+ (rest.high ^ rest.low)) &* 0x9E37_79B9_7F4A_7C15
  }
}

/// Counts the identities sighted, each of them once while it is remembered.
struct SightedIdentities: Sendable {
  private var table = IdentityTable()
  private let limit: Int
  /// Identities counted so far.
  private(set) var count = 0

  /// - Parameter limit: How many are remembered; beyond it all are removed, and those received again count again.
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
