// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The statistics of some visits to a museum.
///
/// Every figure counts visitors, not reports. Each formula is documented at its property; the sources are the INF
/// framework (immediate, near, far) and classical visitor studies.
public struct VisitStatistics: Sendable {
  /// The rules for counting.
  public struct Rules: Sendable, Hashable {
    /// The shortest time in seconds in front of an exhibit that counts as a visit to it.
    ///
    /// The default is 5, because the tenth percentile of viewing times is 4.9 s (log-normal fit to Smith and Smith
    /// 2001); a shorter time counts as walking by.
    public var shortestVisit: Double

    /// Creates the rules.
    public init(shortestVisit: Double = 5) {
      self.shortestVisit = shortestVisit
    }
  }

  /// The number of visits; each counts as one visitor.
  public internal(set) var visitors: Int
  /// The durations of the visits in seconds; `nil` without visits.
  public internal(set) var length: Distribution?
  /// The number of different exhibits that each visitor visited; `nil` without visitors.
  public internal(set) var exhibitsSeen: Distribution?
  /// The share of visitors who stopped at more than half of the exhibits; `nil` without visitors.
  ///
  /// This is the percentage of diligent visitors (Serrell 1997).
  public internal(set) var diligent: Double?
  /// One entry for each exhibit, in the plan's order.
  public internal(set) var exhibits: [ExhibitStatistics]
  /// One entry for each room, in the plan's order.
  public internal(set) var rooms: [RoomStatistics]
  /// One entry for each reason for which nothing is known of a time.
  public internal(set) var gaps: [GapStatistics]
  /// The moves from exhibit to exhibit, the most frequent first.
  public internal(set) var exhibitTransitions: [Transition]
  /// The moves from room to room, the most frequent first.
  public internal(set) var roomTransitions: [Transition]
  /// The orders in which rooms were entered, the most frequent first.
  public internal(set) var paths: [(rooms: [Int], visitors: Int)]
  /// Visitors by quarter of an hour, or by days, from the first arrival to the last departure.
  public internal(set) var occupancy: [Occupancy]
  /// The length of each time of ``occupancy``: a quarter of an hour, or whole days if the visits span more than a week.
  public let occupancyUnit: TimeSpan
  /// The beacons that the plan does not contain, over all visits, the most frequently received first.
  public internal(set) var strangers: [Visit.Stranger]

  /// The exhibits without a visitor.
  public var unreached: [Int] { exhibits.filter { $0.visitors == 0 }.map(\.exhibit) }

  /// Computes the statistics of some visits.
  public init(_ visits: [Visit], of plan: Plan, rules: Rules = Rules()) {
    self.init(visits, of: plan, rules: rules, .everything)
  }

  /// Computes the statistics of some visits from times as they may be shown.
  init(
    _ visits: [Visit],
    of plan: Plan,
    rules: Rules = Rules(),
    _ suppression: SmallCellSuppression
  ) {
    let tallies = VisitTally(visits, of: plan, rules: rules, suppression)
    visitors = visits.count
    length = Distribution(visits.map { suppression.coarse($0.length) })
    exhibitsSeen = Distribution(
      tallies.seen.map { min(suppression.coarse(exhibits: $0), Double(plan.exhibits.count)) }
    )
    let half = Double(plan.exhibits.count) / 2
    diligent =
      visits.isEmpty
      ? nil : Double(tallies.seen.count { Double($0) > half }) / Double(visits.count)
    exhibits = tallies.exhibits
    rooms = tallies.rooms
    gaps = Visit.Gap.Reason.allCases.map { reason in
      let times = visits.map { suppression.coarse($0.unknown(reason)) }.filter { $0 > 0 }
      return GapStatistics(reason: reason, visitors: times.count, time: Distribution(times))
    }
    exhibitTransitions = tallies.exhibitTransitions.sorted
    roomTransitions = tallies.roomTransitions.sorted
    paths = Self.paths(visits, of: plan)
    (occupancy, occupancyUnit) = OccupancyCount.entries(visits, suppression)
    strangers = Self.strangers(visits, suppression)
  }

  private static func paths(_ visits: [Visit], of plan: Plan) -> [(rooms: [Int], visitors: Int)] {
    let graph = RoomGraph(plan)
    var counts: [[Int]: Int] = [:]
    for visit in visits {
      let stays = visit.rooms.filter { plan.rooms.indices.contains($0.room) }
      let parts = visit.parts(stays, from: { $0.start }, to: { $0.end })
      let ways = parts.isEmpty ? [[]] : parts.flatMap { graph.ways(through: $0.map(\.room)) }
      // A way that no doors permit, or of a part of which nothing is known, is one of the other ways.
      if let way = ways.first, ways.count == 1 { counts[way, default: 0] += 1 }
    }
    // Ties are ordered by the rooms, so that a dictionary's order never affects the output.
    return counts.sorted {
      $0.value != $1.value ? $0.value > $1.value : $0.key.lexicographicallyPrecedes($1.key)
    }.map { ($0.key, $0.value) }
  }

  /// The beacons with their reports, or, if not everything is shown, with the visits in which they were received: a
  /// visitor may carry one.
  private static func strangers(
    _ visits: [Visit],
    _ suppression: SmallCellSuppression
  ) -> [Visit.Stranger] {
    var counts: [BeaconIdentity: Int] = [:]
    for stranger in visits.lazy.flatMap(\.strangers) {
      counts[stranger.identity, default: 0] += suppression.isEverything ? stranger.reports : 1
    }
    return counts.filter { suppression.shows($0.value) }
      .map { Visit.Stranger(identity: $0.key, reports: suppression.published($0.value)) }
      .sorted { ($1.reports, $0.identity) < ($0.reports, $1.identity) }
  }
}
