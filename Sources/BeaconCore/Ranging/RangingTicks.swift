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
  var toldClients: Int?
  /// The slots of the tracks that ticks tell of.
  private var listed: [Int32] = []
  /// What the tick says of the listed tracks, in the same order; kept for its storage.
  private var measured: [RangedBeacon] = []

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

  /// Gives up a constraint for one client.
  mutating func unsubscribe(from constraint: IdentityConstraint) {
    constraints.unsubscribe(from: constraint)
    if constraints.isEmpty, toldClients == nil { nextTick = nil }
  }

  /// Moves the next tick past a time of which nothing is known.
  mutating func skipTicks(to time: Timestamp) {
    guard let tick = nextTick, tick < time else { return }
    let second = Timestamp(microseconds: time.microseconds / 1_000_000 * 1_000_000)
    nextTick = second < time ? time.nextWholeSecond : second
  }

  /// Lists a track that was just heard, unless nobody ranges its beacon.
  mutating func list(_ slot: Int, in tracks: inout TrackTable) {
    guard tracks.tracks[slot].listedIndex == nil, refreshMatches(slot, in: &tracks) else { return }
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
    if let toldClients { return toldClients }
    toldClients = 0
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
      if time - ranging.startedAt <= configuration.linger + .seconds(1) {
        beacons.removeAll { $0.lastHeard < ranging.startedAt }
      }
      told.append(ConstraintRanging(constraint: ranging.constraint, beacons: beacons))
    }
    return told
  }

  /// Ends the tick at a time when every client has had its turn.
  mutating func endTick(at time: Timestamp) {
    toldClients = nil
    nextTick = constraints.isEmpty ? nil : time + .seconds(1)
  }

  /// Measures every listed beacon, drops those that have lingered out, and lists the others under their constraints.
  private mutating func measure(at time: Timestamp, tracks: inout TrackTable) {
    constraints.beginTick()
    measured.removeAll(keepingCapacity: true)
    var kept = 0
    for slot in listed {
      let index = Int(slot)
      if hasLingeredOut(tracks.tracks[index], at: time) || !refreshMatches(index, in: &tracks) {
        tracks.tracks[index].listedIndex = nil
        continue
      }
      measured.append(tracks.tracks[index].measure(at: time, by: configuration))
      tracks.tracks[index].listedIndex = Int32(truncatingIfNeeded: kept)
      listed[kept] = slot
      kept += 1
    }
    listed.removeLast(listed.count - kept)
    for index in nearestFirst() {
      let track = tracks.tracks[Int(listed[index])]
      if track.firstMatch >= 0 { constraints.list(measured[index], under: track.firstMatch) }
      for number in track.furtherMatches { constraints.list(measured[index], under: number) }
    }
  }

  private func hasLingeredOut(_ track: borrowing Track, at time: Timestamp) -> Bool {
    track.reports == 0 && time - track.lastHeard > configuration.linger
  }

  /// The indices of what was measured, in the order it is listed.
  private func nearestFirst() -> [Int] {
    measured.indices.sorted { measured[$0].isListed(before: measured[$1]) }
  }

  /// Looks up what a track's beacon satisfies, unless that is known, and returns whether it is anything.
  private func refreshMatches(_ slot: Int, in tracks: inout TrackTable) -> Bool {
    if tracks.tracks[slot].matchesVersion != constraints.version {
      var numbers: [Int32] = []
      constraints.index.forEachMatch(tracks.tracks[slot].key.identity) { numbers.append($0) }
      tracks.tracks[slot].setMatches(numbers, version: constraints.version)
    }
    return tracks.tracks[slot].firstMatch >= 0
  }
}
