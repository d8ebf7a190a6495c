// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Tells once a second which beacons satisfy what clients range.
///
/// A tick is measured once for everybody: each beacon that lingers is one ``RangedBeacon``, sorted once, and listed
/// under every constraint it satisfies. Then the clients are told one after another.
struct RangingTicks: Sendable {
  let configuration: RangingConfiguration
  private(set) var constraints = ConstraintTable()
  /// When the next tick falls due; `nil` while nobody ranges.
  private(set) var nextTick: Timestamp?
  /// The clients that have had their turn in the tick being told; `nil` between ticks.
  var servedClients: Int?
  /// The slots of the tracks that ticks tell of, in the order the last tick listed them, then as they were heard.
  private var listed: [Int32] = []
  /// The version of the constraints that all listed tracks were last matched with.
  private var matchedVersion: UInt32 = 0
  /// The order of the tick; kept for its storage.
  private var order = NearestFirst()

  init(_ configuration: RangingConfiguration) {
    self.configuration = configuration
  }

  /// Takes up a constraint for one more client and returns the constraint's number.
  mutating func subscribe(
    to constraint: IdentityConstraint,
    at now: Timestamp,
    tracks: inout TrackTable
  ) -> Int32 {
    if nextTick == nil {
      nextTick = now.nextWholeSecond
      for slot in listed { tracks.tracks[Int(slot)].beginSecond() }
    }
    return constraints.subscribe(to: constraint)
  }

  /// What was heard since the last tick, by the order in which the beacons were first heard.
  func receivedThisSecond(of tracks: borrowing TrackTable) -> [UInt64: EarlierReports] {
    var heard: [UInt64: EarlierReports] = [:]
    // While nobody ranges there is no such second; the next begins empty.
    guard nextTick != nil else { return heard }
    for slot in listed where tracks.tracks[Int(slot)].reports > 0 {
      heard[tracks.tracks[Int(slot)].firstReceivedOrder] = EarlierReports(tracks.tracks[Int(slot)])
    }
    return heard
  }

  /// Gives up a constraint for one client.
  mutating func unsubscribe(from constraint: IdentityConstraint) {
    constraints.unsubscribe(from: constraint)
    if constraints.isEmpty, servedClients == nil { nextTick = nil }
  }

  /// Moves the next tick past a time of which nothing is known.
  mutating func skipTicks(to time: Timestamp) {
    guard let tick = nextTick, tick < time else { return }
    let second = Timestamp(microseconds: time.microseconds / 1_000_000 * 1_000_000)
    nextTick = second < time ? time.nextWholeSecond : second
  }

  /// Lists a track that is about to take in a report, unless nobody ranges its beacon.
  @inline(__always)
  mutating func list(_ slot: Int, in tracks: inout TrackTable) {
    if tracks.tracks[slot].listedIndex == nil { beginListing(slot, in: &tracks) }
  }

  @inline(never)
  private mutating func beginListing(_ slot: Int, in tracks: inout TrackTable) {
    guard refreshMatches(slot, in: &tracks) else { return }
    // What was heard while nobody ranged the beacon is not of the second that begins.
    tracks.tracks[slot].beginSecond()
    tracks.tracks[slot].listedIndex = Int32(truncatingIfNeeded: listed.count)
    listed.append(Int32(truncatingIfNeeded: slot))
  }

  /// Takes a track that ends off the list.
  mutating func unlist(_ slot: Int, in tracks: inout TrackTable) {
    guard let index = tracks.tracks[slot].listedIndex else { return }
    tracks.tracks[slot].listedIndex = nil
    guard let last = listed.popLast(), last != Int32(truncatingIfNeeded: slot) else { return }
    listed[Int(index)] = last
    tracks.tracks[Int(last)].listedIndex = index
  }

  /// Measures the tick at a time, unless that is done, and returns how many clients have had their turn.
  mutating func beginTick(at time: Timestamp, tracks: inout TrackTable) -> Int {
    if let servedClients { return servedClients }
    servedClients = 0
    measure(at: time, tracks: &tracks)
    return 0
  }

  /// Returns what the tick at a time says to a client: nothing where the client ranges nothing yet.
  func tick(for client: Client, at time: Timestamp) -> [ConstraintRanging] {
    var told: [ConstraintRanging] = []
    told.reserveCapacity(client.rangings.count)
    for ranging in client.rangings where ranging.startedAt < time && client.isInside(ranging) {
      var beacons = constraints.beacons[Int(ranging.number)]
      // Another client's request may have the beacon listed already; what was heard before this one is not this one's.
      if time - ranging.startedAt <= configuration.linger + .seconds(1),
        beacons.contains(where: { $0.lastReceived < ranging.startedAt })
      {
        beacons.removeAll { $0.lastReceived < ranging.startedAt }
      }
      if !ranging.earlier.isEmpty {
        beacons = beacons.compactMap { beacon in
          guard let earlier = ranging.earlier[beacon.firstReceivedOrder] else { return beacon }
          return earlier.taken(from: beacon)
        }
      }
      told.append(ConstraintRanging(constraint: ranging.constraint, beacons: beacons))
    }
    return told
  }

  /// Ends the tick at a time when every client has had its turn.
  mutating func endTick(at time: Timestamp) {
    servedClients = nil
    nextTick = constraints.isEmpty ? nil : time + .seconds(1)
  }

  /// Measures every listed beacon, drops those that have lingered out, and lists the others under their constraints.
  private mutating func measure(at time: Timestamp, tracks: inout TrackTable) {
    if matchedVersion != constraints.version {
      for slot in listed { _ = refreshMatches(Int(slot), in: &tracks) }
      matchedVersion = constraints.version
    }
    var rows = constraints.beginTick(expecting: listed.count)
    order.removeAll(expecting: listed.count)
    Self.measure(listed, at: time, by: configuration, &tracks, into: &rows, &order)
    order.sort(&rows)
    listed.removeAll(keepingCapacity: true)
    Self.list(order.entries, &tracks, into: &listed)
    constraints.list(rows, in: order, tracks)
  }

  /// Measures listed beacons, and puts each into the tick unless it has lingered out.
  private static func measure(
    _ listed: [Int32],
    at time: Timestamp,
    by configuration: RangingConfiguration,
    _ tracks: inout TrackTable,
    into rows: inout [RangedBeacon],
    _ order: inout NearestFirst
  ) {
    let listed = listed.span
    rows.append(addingCapacity: listed.count) { (rows: inout OutputSpan<RangedBeacon>) in
      order.append(addingCapacity: listed.count) { (order: inout OutputSpan<NearestFirst.Entry>) in
        tracks.update { tracks, identities in
          for index in listed.indices {
            let slot = Int(listed[index])
            guard tracks[slot].firstMatch >= 0,
              let beacon = tracks[slot].takeRanged(
                identities.key(of: slot).identity,
                at: time,
                by: configuration
              )
            else {
              tracks[slot].listedIndex = nil
              continue
            }
            let meters = beacon.distance?.meters
            order.append(NearestFirst.Entry(meters, slot: listed[index], row: rows.count))
            rows.append(beacon)
          }
        }
      }
    }
  }

  /// Lists the tracks of a tick in its order.
  private static func list(
    _ order: [NearestFirst.Entry],
    _ tracks: inout TrackTable,
    into listed: inout [Int32]
  ) {
    let order = order.span
    listed.append(addingCapacity: order.count) { (listed: inout OutputSpan<Int32>) in
      tracks.update { tracks, _ in
        for index in order.indices {
          let slot = order[index].slot
          tracks[Int(slot)].listedIndex = Int32(truncatingIfNeeded: index)
          listed.append(slot)
        }
      }
    }
  }

  /// Looks up what a track's beacon satisfies, unless that is known, and returns whether it is anything.
  @inline(__always)
  private func refreshMatches(_ slot: Int, in tracks: inout TrackTable) -> Bool {
    if tracks.tracks[slot].matchesVersion != constraints.version {
      lookUpMatches(slot, in: &tracks)
    }
    return tracks.tracks[slot].firstMatch >= 0
  }

  @inline(never)
  private func lookUpMatches(_ slot: Int, in tracks: inout TrackTable) {
    var numbers: [Int32] = []
    constraints.index.forEachMatch(tracks.key(of: slot).identity) { numbers.append($0) }
    tracks.tracks[slot].setMatches(numbers, version: constraints.version)
  }
}
