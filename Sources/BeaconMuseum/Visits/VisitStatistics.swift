// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// What some visits say of a museum.
///
/// Every figure counts visitors, not reports. Each formula stands where its value is; the sources are those of the INF framework
/// (Immediate, Near, Far) and of classical visitor studies.
public struct VisitStatistics: Sendable {
  /// What counts as what.
  public struct Rules: Sendable, Hashable {
    /// The shortest time stood before an exhibit that is a visit to it, in seconds.
    ///
    /// 5: the tenth percentile of viewing times is 4.9 s (log-normal fit to Smith and Smith 2001); shorter is walking by.
    public var shortestVisit: Double

    /// Creates the rules.
    public init(shortestVisit: Double = 5) {
      self.shortestVisit = shortestVisit
    }
  }

  /// How many visits there are; each is taken for one visitor.
  public let visitors: Int
  /// How long the visits were, in seconds; `nil` without any.
  public let length: Distribution?
  /// How many different exhibits each visitor visited; `nil` without any visitor.
  public let exhibitsSeen: Distribution?
  /// The share of visitors who stopped at more than half of the exhibits; `nil` without visitors.
  ///
  /// Percent diligent visitors (Serrell 1997).
  public let diligent: Double?
  /// One entry an exhibit, in the plan's order.
  public let exhibits: [ExhibitStatistics]
  /// One entry a room, in the plan's order.
  public let rooms: [RoomStatistics]
  /// From exhibit to exhibit, the most frequent first.
  public let exhibitTransitions: [Transition]
  /// From room to room, the most frequent first.
  public let roomTransitions: [Transition]
  /// The orders in which rooms were entered, the most frequent first.
  public let paths: [(rooms: [Int], visitors: Int)]
  /// Visitors by quarter of an hour, from the first arrival to the last departure.
  public let occupancy: [Occupancy]
  /// Beacons that the plan does not know, over all visits, the most heard first.
  public let strangers: [Visit.Stranger]

  /// Exhibits that nobody visited.
  public var unreached: [Int] { exhibits.filter { $0.visitors == 0 }.map(\.exhibit) }

  /// Computes the statistics of some visits.
  public init(_ visits: [Visit], of plan: Plan, rules: Rules = Rules()) {
    let tallies = VisitTally(visits, of: plan, rules: rules)
    visitors = visits.count
    length = Distribution(visits.map(\.length))
    exhibitsSeen = Distribution(tallies.seen.map { Double($0) })
    let half = Double(plan.exhibits.count) / 2
    diligent =
      visits.isEmpty
      ? nil : Double(tallies.seen.count { Double($0) > half }) / Double(visits.count)
    exhibits = tallies.exhibits
    rooms = tallies.rooms
    exhibitTransitions = tallies.exhibitTransitions.sorted
    roomTransitions = tallies.roomTransitions.sorted
    paths = Self.paths(visits)
    occupancy = OccupancyCount.quarters(visits)
    strangers = Self.strangers(visits)
  }

  private static func paths(_ visits: [Visit]) -> [(rooms: [Int], visitors: Int)] {
    var counts: [[Int]: Int] = [:]
    for visit in visits {
      var order: [Int] = []
      for stay in visit.rooms where order.last != stay.room { order.append(stay.room) }
      counts[order, default: 0] += 1
    }
    // Ties by the rooms themselves: no order of a dictionary reaches the output.
    return counts.sorted {
      $0.value != $1.value ? $0.value > $1.value : $0.key.lexicographicallyPrecedes($1.key)
    }.map { ($0.key, $0.value) }
  }

  private static func strangers(_ visits: [Visit]) -> [Visit.Stranger] {
    var counts: [BeaconIdentity: Int] = [:]
    for stranger in visits.lazy.flatMap(\.strangers) {
      counts[stranger.identity, default: 0] += stranger.reports
    }
    return counts.map { Visit.Stranger(identity: $0.key, reports: $0.value) }
      .sorted { ($1.reports, $0.identity) < ($0.reports, $1.identity) }
  }
}
