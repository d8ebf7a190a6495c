// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A stay in a region: its times, and its region if the client may know it.
public struct RegionVisit: Sendable, Hashable {
  /// The region; `nil` while the client's accuracy is reduced.
  public internal(set) var region: RegionIdentifier?
  /// The time at which it was entered.
  public let arrival: Timestamp
  /// The time at which it was left; `nil` while the stay lasts.
  public internal(set) var departure: Timestamp?
}

/// The stays delivered to a client under full accuracy; beyond the limit the oldest are dropped.
struct VisitLog: Sendable {
  /// The maximum number of visits: a week with a stay every ten minutes, in some 100 KB.
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

  /// Returns the visits as a client with an accuracy may see them: exact times, and no regions when it is reduced.
  func shown(to accuracy: AccuracyAuthorization) -> [RegionVisit] {
    guard accuracy == .reduced else { return visits }
    return visits.map { RegionVisit(region: nil, arrival: $0.arrival, departure: $0.departure) }
  }
}
