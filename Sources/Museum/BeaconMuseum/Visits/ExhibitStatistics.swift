// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What visitors did at one exhibit.
public struct ExhibitStatistics: Sendable, Hashable {
  /// The exhibit's index in the plan.
  public let exhibit: Int
  /// The number of visitors who were in the exhibit's room.
  public let passed: Int
  /// The number of visitors who stood in front of it for at least the shortest visit.
  public let visitors: Int
  /// The number of their visits, by ``Visit/viewings(shortest:)``.
  public let visits: Int
  /// How long visitors stood in front of it in each visit, in seconds; `nil` without visits.
  public let dwell: Distribution?
  /// How long a visitor needs to see it in seconds, as the curator gives it; `nil` if not given.
  public let viewingTime: Double?
  /// The seconds at each proximity, over all visits.
  public let nearness: Nearness

  /// The number of visitors who stopped ÷ the number who were in its room; `nil` without one.
  ///
  /// This is the attraction power of the INF framework (Ateneo Art Gallery), in museology since Robinson 1928; there it
  /// is relative to the visitors observed in the room.
  public var attraction: Double? { passed > 0 ? Double(visitors) / Double(passed) : nil }

  /// The mean dwell time ÷ the time needed to see it; `nil` without a viewing time or visits.
  ///
  /// This is the holding power of classical museology (Shettel 1968); 1 means as long as the curator intended.
  public var holding: Double? {
    guard let dwell, let viewingTime, viewingTime > 0 else { return nil }
    return dwell.mean / viewingTime
  }

  /// The number of repeated visits by the same visitor ÷ the number of first visits; `nil` without visits.
  ///
  /// This is the re-attraction power of the INF framework; the name is theirs, the formula is our interpretation.
  public var reattraction: Double? {
    visitors > 0 ? Double(visits - visitors) / Double(visitors) : nil
  }
}

/// Figures as they may be shown: from the least to the greatest value that published counts and times permit.
extension ExhibitStatistics {
  /// The range of ``attraction``.
  func attraction(by suppression: SmallCellSuppression) -> ClosedRange<Double>? {
    suppression.share(visitors, of: passed)
  }

  /// The range of ``holding``.
  func holding(by suppression: SmallCellSuppression) -> ClosedRange<Double>? {
    guard let dwell, let viewingTime else { return nil }
    return suppression.holding(dwell.mean, of: viewingTime)
  }

  /// The range of ``reattraction``.
  func reattraction(by suppression: SmallCellSuppression) -> ClosedRange<Double>? {
    suppression.again(visits, of: visitors)
  }
}
