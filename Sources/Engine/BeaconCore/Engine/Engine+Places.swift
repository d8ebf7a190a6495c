// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Processes the place of a beacon, in the regions with a place that the beacon can be in.
  mutating func process(
    _ place: BeaconPlace,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard !placeIndex.isEmpty else { return }
    for reference in regions(concernedBy: place) {
      changeMachine(
        Int(reference.client),
        Int(reference.slot),
        reference.table,
        at: time,
        into: &out
      ) { $0.placed(place, at: time, into: &$1) }
    }
  }

  /// The regions, in the order of rule T3: by client and region identifier.
  private func regions(concernedBy place: BeaconPlace) -> [RegionReference] {
    guard let identity = place.identity else { return regionsWithPlace }
    var found: [RegionReference] = []
    placeIndex.forEachMatch(identity) { found.append($0) }
    if found.count > 1 { found.sort(by: isBefore) }
    return found
  }

  private var regionsWithPlace: [RegionReference] {
    var found: [RegionReference] = []
    for (number, client) in clients.enumerated() {
      for table in [RegionReference.Table.monitored, .notified] {
        for slot in client[table].slots where client[table].machine(in: slot)?.region.place != nil {
          found.append(
            RegionReference(
              client: Int32(truncatingIfNeeded: number),
              slot: Int32(truncatingIfNeeded: slot),
              table: table
            )
          )
        }
      }
    }
    return found
  }

  /// Adds a region to the index of what determines it: reports, or places.
  mutating func insert(_ reference: RegionReference, of region: Region) {
    if region.place == nil {
      regionIndex.insert(reference, for: region.constraint)
    } else {
      placeIndex.insert(reference, for: region.constraint)
    }
  }

  /// Removes a region from its index.
  mutating func remove(_ reference: RegionReference, of region: Region) {
    if region.place == nil {
      regionIndex.remove(reference, for: region.constraint)
    } else {
      placeIndex.remove(reference, for: region.constraint)
    }
  }
}
