// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Returns the learned arrival intervals of the beacons that mark a client's regions, by the regions' slots.
  ///
  /// Regions that are left after a fixed time are included, since their explanations give the beacon's interval.
  /// Regions whose states the client may not know now have no entry, because intervals contain received identities.
  func savedIntervals(of client: Client) -> [Int: [SavedIntervals]] {
    if let rules = client.rules(at: now), rules.stateRequest != .cached { return [:] }
    var found: [Int: [(lastReceived: Timestamp, intervals: SavedIntervals)]] = [:]
    for track in tracks.tracks.indices where tracks.isLive(track) {
      let gaps = tracks[marksOf: track].gaps
      guard gaps.observed > .zero else { continue }
      let identity = tracks.key(of: track).identity
      let entry = (tracks.tracks[track].lastReceived, gaps.saved(of: identity))
      regionIndex.forEachMatch(identity) { reference in
        guard reference.table == .monitored, reference.client == Int32(client.id.number) else {
          return
        }
        found[Int(reference.slot), default: []].append(entry)
      }
    }
    return found.mapValues(Self.latest)
  }

  /// The intervals of the beacons received last, each identity once, in the order of the identities.
  private static func latest(
    _ entries: [(lastReceived: Timestamp, intervals: SavedIntervals)]
  ) -> [SavedIntervals] {
    let ordered = entries.sorted {
      ($1.lastReceived, $0.intervals.identity) < ($0.lastReceived, $1.intervals.identity)
    }
    var seen: Set<BeaconIdentity> = []
    let first = ordered.filter { seen.insert($0.intervals.identity).inserted }
      .prefix(RegionConstants.savedIntervals)
    return first.map(\.intervals).sorted { $0.identity < $1.identity }
  }

  /// Restores what an earlier run learned about a region's beacons, unless that is too old.
  mutating func restoreIntervals(of saved: SavedRegion) {
    let age = now - saved.savedAt
    guard !saved.intervals.isEmpty, age >= .zero, age <= configuration.regions.restoredStateAge
    else {
      return
    }
    restoredIntervals.add(
      saved.intervals,
      until: now + configuration.tracks.retention,
      configuration.regions.learning
    )
  }
}
