// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Computes once a second the beacons that satisfy the constraints that clients range.
///
/// A tick is measured once for all clients: each listed beacon is one ``RangedBeacon``, sorted once, and listed under every
/// constraint that it satisfies. Then the tick is delivered to one client after another.
struct RangingTicks: Sendable {
  var configuration: RangingConfiguration
  private(set) var constraints = ConstraintTable()
  /// When the next tick is due; `nil` while no client ranges.
  private(set) var nextTick: Timestamp?
  /// Whether the operator wants every beacon, whatever clients range.
  private(set) var listsAll = false
  /// All beacons of the current tick, in order; empty unless the operator wants them.
  private(set) var nearby: [RangedBeacon] = []
  /// The first of all beacons in the last tick.
  private var nearbyLeader = LeadingBeacon()
  /// How many clients were processed in the current tick; `nil` between ticks.
  var servedClients: Int?
  /// The slots of the tracks in ticks, in the order of the last tick, then in the order of their first report.
  private var listed: [Int32] = []
  /// The version of the constraints with which all listed tracks were last matched.
  private var matchedVersion: UInt32 = 0
  /// The order of the tick; kept for its storage.
  private var order = NearestFirst()

  init(_ configuration: RangingConfiguration) {
    self.configuration = configuration
  }

  /// Adds a client to a constraint and returns the constraint's number.
  mutating func subscribe(
    to constraint: IdentityConstraint,
    at now: Timestamp,
    tracks: inout TrackTable
  ) -> Int32 {
    beginTicks(after: now, &tracks)
    return constraints.subscribe(to: constraint)
  }

  /// Lists every beacon for the operator from now on.
  mutating func listAll(at now: Timestamp, tracks: inout TrackTable) {
    beginTicks(after: now, &tracks)
    listsAll = true
  }

  /// Stops to list every beacon.
  mutating func stopListingAll() {
    listsAll = false
    nearby = []
    nearbyLeader = LeadingBeacon()
    if isIdle, servedClients == nil { nextTick = nil }
  }

  /// Whether no client ranges.
  var isIdle: Bool { constraints.isEmpty && !listsAll }

  private mutating func beginTicks(after now: Timestamp, _ tracks: inout TrackTable) {
    guard nextTick == nil else { return }
    nextTick = now.nextWholeSecond < .latest ? now.nextWholeSecond : nil
    for slot in listed { tracks.tracks[Int(slot)].beginSecond() }
  }

  /// The reports since the last tick, by the order in which the beacons were first received.
  func receivedThisSecond(of tracks: borrowing TrackTable) -> [UInt64: EarlierReports] {
    var earlier: [UInt64: EarlierReports] = [:]
    // While no client ranges, a current second does not exist; the next one starts empty.
    guard nextTick != nil else { return earlier }
    for slot in listed where tracks.tracks[Int(slot)].reports > 0 {
      earlier[tracks.tracks[Int(slot)].firstReceivedOrder] = EarlierReports(
        tracks.tracks[Int(slot)]
      )
    }
    return earlier
  }

  /// Removes a client from a constraint.
  mutating func unsubscribe(from constraint: IdentityConstraint) {
    constraints.unsubscribe(from: constraint)
    if isIdle, servedClients == nil { nextTick = nil }
  }

  /// Moves the next tick past the end of a gap.
  mutating func skipTicks(to time: Timestamp) {
    guard let tick = nextTick, tick < time else { return }
    let second = time.wholeSecond
    nextTick = second < time ? time.nextWholeSecond : second
  }

  /// Lists a track that is about to process a report, unless no client ranges its beacon.
  @inline(__always)
  mutating func list(_ slot: Int, in tracks: inout TrackTable) {
    if tracks.tracks[slot].listedIndex == nil { beginListing(slot, in: &tracks) }
  }

  @inline(never)
  private mutating func beginListing(_ slot: Int, in tracks: inout TrackTable) {
    guard refreshMatches(slot, in: &tracks) else { return }
    // Reports from the time when no client ranged the beacon do not belong to the second that starts.
    tracks.tracks[slot].beginSecond()
    tracks.tracks[slot].listedIndex = Int32(truncatingIfNeeded: listed.count)
    listed.append(Int32(truncatingIfNeeded: slot))
  }

  /// Removes a track that ends from the list.
  mutating func unlist(_ slot: Int, in tracks: inout TrackTable) {
    guard let index = tracks.tracks[slot].listedIndex else { return }
    tracks.tracks[slot].listedIndex = nil
    guard let last = listed.popLast(), last != Int32(truncatingIfNeeded: slot) else { return }
    listed[Int(index)] = last
    tracks.tracks[Int(last)].listedIndex = index
  }

  /// Measures the tick at a time, unless it is measured, and returns how many clients were processed.
  mutating func beginTick(at time: Timestamp, tracks: inout TrackTable) -> Int {
    if let servedClients { return servedClients }
    servedClients = 0
    measure(at: time, tracks: &tracks)
    return 0
  }

  /// Returns a client's part of the tick at a time; empty when the client ranges nothing yet.
  func tick(for client: Client, at time: Timestamp) -> [ConstraintRanging] {
    var rangings: [ConstraintRanging] = []
    rangings.reserveCapacity(client.rangings.count)
    for ranging in client.rangings where ranging.startedAt < time && client.isInside(ranging) {
      var beacons = constraints.beacons[Int(ranging.number)]
      // The beacon may be listed for another client; reports before this client's request do not belong to this client.
      if time - ranging.startedAt <= configuration.linger + .seconds(1),
        beacons.contains(where: { $0.lastReceived < ranging.firstReports })
      {
        beacons.removeAll { $0.lastReceived < ranging.firstReports }
      }
      if !ranging.earlier.isEmpty {
        beacons = beacons.compactMap { beacon in
          guard let earlier = ranging.earlier[beacon.firstReceivedOrder] else { return beacon }
          return earlier.subtracted(from: beacon)
        }
      }
      rangings.append(ConstraintRanging(constraint: ranging.constraint, beacons: beacons))
    }
    return rangings
  }

  /// Ends the tick at a time, after every client was processed.
  mutating func endTick(at time: Timestamp) {
    servedClients = nil
    nextTick = isIdle ? nil : time + .seconds(1)
  }

  /// Measures every listed beacon, removes those that have been silent for too long, and lists the others under their
  /// constraints.
  private mutating func measure(at time: Timestamp, tracks: inout TrackTable) {
    if matchedVersion != constraints.version {
      for slot in listed { _ = refreshMatches(Int(slot), in: &tracks) }
      matchedVersion = constraints.version
    }
    var rows = constraints.beginTick(expecting: listed.count)
    order.removeAll(expecting: listed.count)
    Self.measure(listed, at: time, by: configuration, all: listsAll, &tracks, into: &rows, &order)
    order.sort(&rows)
    let margin = configuration.nearestMargin
    let isOrdered = !listsAll && constraints.keepOnlyLeader(of: &rows, within: margin)
    listed.removeAll(keepingCapacity: true)
    Self.list(order.entries, &tracks, into: &listed)
    nearby = listsAll ? rows : []
    constraints.list(rows, in: order, tracks, amongOthers: listsAll)
    if !isOrdered { constraints.keepLeaders(within: margin) }
    if listsAll, margin > 0 { nearbyLeader.keep(in: &nearby, within: margin) }
  }

  /// Measures listed beacons, and adds each to the tick unless it has been silent for too long.
  private static func measure(
    _ listed: [Int32],
    at time: Timestamp,
    by configuration: RangingConfiguration,
    all: Bool,
    _ tracks: inout TrackTable,
    into rows: inout [RangedBeacon],
    _ order: inout NearestFirst
  ) {
    // To append nothing to an empty array traps in a statically linked program, as in ``TrackTable/init(limit:)``.
    guard !listed.isEmpty else { return }
    let listed = listed.span
    rows.append(addingCapacity: listed.count) { (rows: inout OutputSpan<RangedBeacon>) in
      order.append(addingCapacity: listed.count) { (order: inout OutputSpan<NearestFirst.Entry>) in
        tracks.update { tracks, identities in
          for index in listed.indices {
            let slot = Int(listed[index])
            guard all || tracks[slot].firstMatch >= 0,
              !tracks[slot].fellSilent(at: time, by: configuration)
            else {
              tracks[slot].listedIndex = nil
              continue
            }
            let identity = identities.key(of: slot).identity
            let beacon = tracks[slot].drainRanged(identity, at: time, by: configuration)
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
    // To append nothing to an empty array writes to the storage that all empty arrays of all threads share.
    guard !order.isEmpty else { return }
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

  /// Looks up the constraints that a track's beacon satisfies, unless they are known, and returns whether a client ranges it.
  @inline(__always)
  private func refreshMatches(_ slot: Int, in tracks: inout TrackTable) -> Bool {
    if tracks.tracks[slot].matchesVersion != constraints.version {
      lookUpMatches(slot, in: &tracks)
    }
    return listsAll || tracks.tracks[slot].firstMatch >= 0
  }

  @inline(never)
  private func lookUpMatches(_ slot: Int, in tracks: inout TrackTable) {
    var numbers: [Int32] = []
    constraints.index.forEachMatch(tracks.key(of: slot).identity) { numbers.append($0) }
    tracks.tracks[slot].setMatches(numbers, version: constraints.version)
  }
}
