// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The constraints that clients range; each appears once, however many clients ask for it.
struct ConstraintTable: Sendable {
  /// The number of each constraint.
  private(set) var index = ConstraintIndex<Int32>()
  /// How many subscribers the constraints have, by number; none if the number is free.
  private var subscribers: [Int] = []
  private var freeNumbers: [Int32] = []
  /// The beacons of the current tick, by constraint number.
  private(set) var beacons: [[RangedBeacon]] = []
  /// The numbers of the constraints that have beacons in the current tick.
  private var listed: [Int32] = []
  /// The first beacons of the constraints in the last tick, by constraint number.
  private var leaders: [LeadingBeacon] = []
  /// Increases whenever the constraints change, so that a track knows when to look up its constraints again.
  private(set) var version: UInt32 = 1

  /// Whether no client ranges anything.
  var isEmpty: Bool { index.isEmpty }

  /// Adds a subscriber to a constraint and returns the constraint's number.
  mutating func subscribe(to constraint: IdentityConstraint) -> Int32 {
    if let number = index.first(of: constraint) {
      subscribers[Int(number)] += 1
      return number
    }
    let number = freeNumbers.popLast() ?? Int32(beacons.count)
    if Int(number) == beacons.count {
      beacons.append([])
      leaders.append(LeadingBeacon())
      subscribers.append(0)
    }
    subscribers[Int(number)] = 1
    index.insert(number, for: constraint)
    version &+= 1
    return number
  }

  /// Removes a subscriber from a constraint, and with the last one the constraint itself.
  mutating func unsubscribe(from constraint: IdentityConstraint) {
    guard let number = index.first(of: constraint) else { return }
    subscribers[Int(number)] -= 1
    guard subscribers[Int(number)] == 0 else { return }
    freeNumbers.append(number)
    beacons[Int(number)] = []
    leaders[Int(number)] = LeadingBeacon()
    index.remove(number, for: constraint)
    version &+= 1
  }

  /// Clears the last tick and returns an array with room for a number of beacons.
  mutating func beginTick(expecting count: Int) -> [RangedBeacon] {
    var rows: [RangedBeacon] = []
    // If a client still holds the last tick's array, this makes a new one of the same size; otherwise it reuses the
    // storage.
    for number in listed { beacons[Int(number)].removeAll(keepingCapacity: true) }
    listed.removeAll(keepingCapacity: true)
    if let only { swap(&rows, &beacons[Int(only)]) }
    rows.removeAll(makingRoomFor: count)
    return rows
  }

  /// Lists the beacons of a tick, in order, each under every constraint that it satisfies.
  ///
  /// - Parameters:
  ///   - rows: The beacons.
  ///   - order: Their order.
  ///   - tracks: The constraints of each beacon.
  ///   - isMixed: Whether some beacons may satisfy no constraint.
  mutating func list(
    _ rows: consuming [RangedBeacon],
    in order: borrowing NearestFirst,
    _ tracks: borrowing TrackTable,
    amongOthers isMixed: Bool
  ) {
    if let only, !isMixed {
      // With a single constraint, all measured beacons satisfy it.
      beacons[Int(only)] = rows
      listed.append(only)
      return
    }
    for (row, entry) in zip(rows, order.entries) {
      let slot = Int(entry.slot)
      guard tracks.tracks[slot].firstMatch >= 0 else { continue }
      list(row, under: tracks.tracks[slot].firstMatch)
      for number in tracks.tracks[slot].furtherMatches { list(row, under: number) }
    }
  }

  /// Lets the first beacon of the last tick remain the first of its constraint, unless another one is clearly nearer
  /// (row R20).
  ///
  /// Only the constraint's own beacons count, so the constraints of others do not change the order.
  mutating func keepLeaders(within margin: Double) {
    guard margin > 0 else { return }
    for number in beacons.indices { leaders[number].keep(in: &beacons[number], within: margin) }
  }

  /// Does the same as ``keepLeaders(within:)`` for the only constraint, before its beacons are listed.
  ///
  /// Listed beacons have two owners for a moment, so a change would copy all of them.
  ///
  /// - Returns: Whether there is only one constraint.
  mutating func keepOnlyLeader(of rows: inout [RangedBeacon], within margin: Double) -> Bool {
    guard let only else { return false }
    if margin > 0 { leaders[Int(only)].keep(in: &rows, within: margin) }
    return true
  }

  /// The number of the constraint if there is exactly one.
  private var only: Int32? {
    guard subscribers.count - freeNumbers.count == 1 else { return nil }
    return subscribers.firstIndex { $0 > 0 }.map { Int32(truncatingIfNeeded: $0) }
  }

  private mutating func list(_ beacon: borrowing RangedBeacon, under number: Int32) {
    if beacons[Int(number)].isEmpty { listed.append(number) }
    beacons[Int(number)].append(copy beacon)
  }
}
