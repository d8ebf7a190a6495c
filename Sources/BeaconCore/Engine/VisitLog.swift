// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A stay in a region: when, and where as long as the client may know it.
public struct RegionVisit: Sendable, Hashable {
  /// The region; `nil` while the client's accuracy is reduced.
  public internal(set) var region: RegionIdentifier?
  /// When it was entered.
  public let arrival: Timestamp
  /// When it was left; `nil` while it is not.
  public internal(set) var departure: Timestamp?
}

/// The stays delivered to a client under full accuracy; beyond the limit the oldest are dropped.
struct VisitLog: Sendable {
  /// The most visits kept: a week of a stay every ten minutes, in some 100 KB.
  static let limit = 1000

  private(set) var visits: [RegionVisit] = []

  mutating func entered(_ region: RegionIdentifier, at time: Timestamp) {
    if visits.count >= Self.limit { visits.removeFirst() }
    visits.append(RegionVisit(region: region, arrival: time, departure: nil))
  }

  mutating func left(_ region: RegionIdentifier, at time: Timestamp) {
    guard
      let index = visits.lastIndex(where: { $0.region == region && $0.departure == nil })
    else { return }
    visits[index].departure = time
  }

  /// The visits as a client of an accuracy may see them: times exact, places withheld when reduced.
  func shown(to accuracy: AccuracyAuthorization) -> [RegionVisit] {
    guard accuracy == .reduced else { return visits }
    return visits.map { RegionVisit(region: nil, arrival: $0.arrival, departure: $0.departure) }
  }
}
