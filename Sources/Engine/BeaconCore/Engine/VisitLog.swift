// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A client's stay in a region, from its deliveries (row C34).
public struct RegionVisit: Sendable, Hashable {
  /// The region.
  public let region: RegionIdentifier
  /// When the client learned that it is inside: by an enter, otherwise by a state that is not assumed.
  public let arrival: Timestamp
  /// When the client learned that it is outside; `nil` while the stay continues.
  public internal(set) var departure: Timestamp?
  /// Whether the stay began before its arrival: the client was found inside, and did not enter.
  public let beganBefore: Bool

  /// How long the stay lasted; `nil` while it continues.
  ///
  /// One that began before its arrival was longer.
  public var duration: TimeSpan? { departure.map { $0 - arrival } }
}

/// The stays of a client, from its deliveries; beyond the limit the oldest are dropped.
package struct VisitLog: Sendable, Equatable {
  /// The maximum number of visits: a week with a stay every ten minutes, in some 100 KB.
  static let limit = 1000

  package private(set) var visits: [RegionVisit] = []

  package init() {}

  /// Notes an event that was delivered to the client.
  ///
  /// - Returns: The stay that began or ended.
  @discardableResult
  package mutating func note(_ event: Event, at time: Timestamp) -> RegionVisit? {
    switch event {
    case .regionEntered(let region, _, _): learned(.inside, of: region, at: time, isCrossing: true)
    case .regionExited(let region, _, _): learned(.outside, of: region, at: time, isCrossing: true)
    case .regionState(let region, let state, let origin, _) where origin != .assumed:
      learned(state, of: region, at: time, isCrossing: false)
    default: nil
    }
  }

  /// Notes a state; an unknown one ends no stay.
  private mutating func learned(
    _ state: RegionState,
    of region: RegionIdentifier,
    at time: Timestamp,
    isCrossing: Bool
  ) -> RegionVisit? {
    let open = visits.lastIndex { $0.region == region && $0.departure == nil }
    switch (state, open) {
    case (.inside, nil):
      if visits.count >= Self.limit { visits.removeFirst() }
      visits.append(
        RegionVisit(region: region, arrival: time, departure: nil, beganBefore: !isCrossing)
      )
      return visits.last
    case (.outside, let open?):
      visits[open].departure = time
      return visits[open]
    case (.inside, _), (.outside, _), (.unknown, _): return nil
    }
  }
}
