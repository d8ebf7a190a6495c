// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What visitors did at one exhibit.
public struct ExhibitStatistics: Sendable, Hashable {
  /// The exhibit, an index into the plan.
  public let exhibit: Int
  /// Visitors who were in the exhibit's room.
  public let passed: Int
  /// Visitors who stood before it for at least the shortest visit.
  public let visitors: Int
  /// Their visits, by ``Visit/viewings(shortest:)``.
  public let visits: Int
  /// How long visitors stood before it in each visit, in seconds; `nil` without any.
  public let dwell: Distribution?
  /// How long it takes to see it in seconds, as the curator says; `nil` where nobody does.
  public let viewingTime: Double?
  /// Seconds at each proximity, over all visits.
  public let nearness: Nearness

  /// Visitors who stopped ÷ visitors who passed, being in its room; `nil` where nobody passed.
  ///
  /// Attraction power of the INF framework (Ateneo Art Gallery), in museology since Robinson 1928; there the
  /// passers-by are those observed in the room.
  public var attraction: Double? { passed > 0 ? Double(visitors) / Double(passed) : nil }

  /// Mean dwell ÷ the time needed to see it; `nil` without a viewing time or visits.
  ///
  /// Holding power in classical museology (Shettel 1968): 1 is as long as the curator meant.
  public var holding: Double? {
    guard let dwell, let viewingTime, viewingTime > 0 else { return nil }
    return dwell.mean / viewingTime
  }

  /// Visits after the first by the same visitor ÷ first visits; `nil` without visits.
  ///
  /// Re-attraction power of the INF framework; the name is theirs, the formula our reading of it.
  public var reattraction: Double? {
    visitors > 0 ? Double(visits - visitors) / Double(visitors) : nil
  }
}
