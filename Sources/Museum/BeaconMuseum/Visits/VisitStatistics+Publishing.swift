// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension VisitStatistics {
  /// Returns the statistics as they may be shown: counts are rounded, figures about few visitors have no values, and no
  /// order follows from an exact count.
  func published(by suppression: SmallCellSuppression) -> VisitStatistics {
    guard !suppression.isEverything else { return self }
    var published = self
    if !suppression.showsSummary(of: visitors) {
      (published.length, published.exhibitsSeen) = (nil, nil)
    }
    if let diligent {
      let count = Int((diligent * Double(visitors)).rounded())
      published.diligent =
        suppression.shows(count)
        ? Double(suppression.published(count)) / Double(max(1, visitors)) : nil
    }
    published.exhibits = exhibits.map { $0.published(by: suppression) }
    published.rooms = rooms.map { $0.published(by: suppression) }
    published.exhibitTransitions = Self.published(exhibitTransitions, by: suppression)
    published.roomTransitions = Self.published(roomTransitions, by: suppression)
    published.paths = paths.filter { suppression.shows($0.visitors) }
      .map { (rooms: $0.rooms, visitors: suppression.published($0.visitors)) }
      .sorted {
        $0.visitors != $1.visitors
          ? $0.visitors > $1.visitors : $0.rooms.lexicographicallyPrecedes($1.rooms)
      }
    published.occupancy = occupancy.map { entry in
      var entry = entry
      entry.visitors = suppression.published(entry.visitors)
      entry.peak = min(entry.visitors, suppression.published(entry.peak))
      return entry
    }
    return published
  }

  /// The moves that enough visitors made; that a single visitor went some way equals a count.
  private static func published(
    _ transitions: [Transition],
    by suppression: SmallCellSuppression
  ) -> [Transition] {
    transitions.filter { suppression.shows($0.visitors) }
      .map { step in
        var step = step
        step.count = suppression.published(step.count)
        step.visitors = suppression.published(step.visitors)
        return step
      }
      .sorted { ($1.count, $0.from, $0.to) < ($0.count, $1.from, $1.to) }
  }
}

extension ExhibitStatistics {
  fileprivate func published(by suppression: SmallCellSuppression) -> ExhibitStatistics {
    let isShown = suppression.shows(visitors)
    let visits = isShown ? suppression.published(visits) : suppression.published(visitors)
    let hasSummary = suppression.showsSummary(of: visitors)
    return ExhibitStatistics(
      exhibit: exhibit,
      passed: suppression.published(passed),
      visitors: suppression.published(visitors),
      visits: visits,
      dwell: hasSummary ? dwell?.published(as: visits) : nil,
      viewingTime: hasSummary ? viewingTime : nil,
      nearness: hasSummary ? nearness : Nearness()
    )
  }
}

extension RoomStatistics {
  fileprivate func published(by suppression: SmallCellSuppression) -> RoomStatistics {
    let count = suppression.published(visitors)
    return RoomStatistics(
      room: room,
      visitors: count,
      time: suppression.showsSummary(of: visitors) ? time?.published(as: count) : nil
    )
  }
}
