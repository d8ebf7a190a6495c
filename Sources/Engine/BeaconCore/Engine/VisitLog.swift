// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A client's stay in a region, from the event that the client got to the event that it got (row C34).
public struct RegionVisit: Sendable, Hashable {
  /// The region.
  public let region: RegionIdentifier
  /// When the client learned that it is inside: by an enter at its time, otherwise by a state.
  public let arrival: Timestamp
  /// When the client learned that it is outside; `nil` while the stay continues.
  public internal(set) var departure: Timestamp?
  /// Whether the stay began before its arrival: the client was found inside, and did not enter.
  public let beganBefore: Bool

  /// How long the stay lasted; `nil` while it continues. One that began before its arrival was longer.
  public var duration: TimeSpan? { departure.map { $0 - arrival } }
}

/// The stays of a client; beyond the limit the oldest are dropped.
struct VisitLog: Sendable {
  /// The maximum number of visits: a week with a stay every ten minutes, in some 100 KB.
  static let limit = 1000

  private(set) var visits: [RegionVisit] = []

  /// Notes a state that was delivered to the client, with or without a crossing; an unknown one ends no stay.
  mutating func learned(
    _ state: RegionState,
    of region: RegionIdentifier,
    at time: Timestamp,
    isCrossing: Bool
  ) {
    let open = visits.lastIndex { $0.region == region && $0.departure == nil }
    switch (state, open) {
    case (.inside, nil):
      if visits.count >= Self.limit { visits.removeFirst() }
      visits.append(
        RegionVisit(region: region, arrival: time, departure: nil, beganBefore: !isCrossing)
      )
    case (.outside, let open?): visits[open].departure = time
    case (.inside, _), (.outside, _), (.unknown, _): break
    }
  }
}
