// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension VisitStatistics {
  /// Returns the statistics as they may be shown: counts are rounded, figures about few visitors have no values, and no
  /// order follows from an exact count.
  func published(by suppression: SmallCellSuppression) -> VisitStatistics {
    guard !suppression.isEverything else { return self }
    var published = self
    published.visitors = suppression.published(visitors)
    let hasSummary = suppression.showsSummary(of: visitors)
    published.length =
      hasSummary
      ? length?.published(as: published.visitors, of: visitors, by: suppression) : nil
    published.exhibitsSeen =
      hasSummary
      ? exhibitsSeen?.published(as: published.visitors, withDecile: false) { $0.rounded() } : nil
    if let diligent {
      let count = Int((diligent * Double(visitors)).rounded())
      published.diligent =
        suppression.shows(count)
        ? Double(suppression.published(count)) / Double(published.visitors) : nil
    }
    published.exhibits = exhibits.map { $0.published(by: suppression) }
    published.rooms = rooms.map { $0.published(by: suppression) }
    published.gaps = gaps.map { gap in
      // A room's figures are those of any time of some visitors.
      let figures = RoomStatistics(room: 0, visitors: gap.visitors, time: gap.time)
        .published(by: suppression)
      return GapStatistics(reason: gap.reason, visitors: figures.visitors, time: figures.time)
    }
    published.exhibitTransitions = Self.published(exhibitTransitions, by: suppression)
    published.roomTransitions = Self.published(roomTransitions, by: suppression)
    published.paths = paths.filter { suppression.shows($0.visitors) }
      .map { (rooms: $0.rooms, visitors: suppression.published($0.visitors)) }
      .sorted {
        $0.visitors != $1.visitors
          ? $0.visitors > $1.visitors : $0.rooms.lexicographicallyPrecedes($1.rooms)
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
        step.visitors = suppression.published(step.visitors)
        // A visitor who goes to and fro counts once.
        step.count = step.visitors
        return step
      }
      .sorted { ($1.count, $0.from, $0.to) < ($0.count, $1.from, $1.to) }
  }
}

extension ExhibitStatistics {
  fileprivate func published(by suppression: SmallCellSuppression) -> ExhibitStatistics {
    let again = suppression.published(visits - visitors)
    let visits = suppression.shows(visitors) ? suppression.published(visitors) + again : 0
    let hasSummary = suppression.showsSummary(of: visitors)
    let dwell = hasSummary ? dwell?.published(as: visits, of: visitors, by: suppression) : nil
    return ExhibitStatistics(
      exhibit: exhibit,
      passed: suppression.published(passed),
      visitors: suppression.published(visitors),
      visits: visits,
      dwell: dwell,
      viewingTime: hasSummary ? viewingTime : nil,
      nearness: dwell.map { nearness.published(of: $0.total, by: suppression) } ?? Nearness()
    )
  }
}

extension RoomStatistics {
  fileprivate func published(by suppression: SmallCellSuppression) -> RoomStatistics {
    let count = suppression.published(visitors)
    return RoomStatistics(
      room: room,
      visitors: count,
      time: suppression.showsSummary(of: visitors)
        ? time?.published(as: count, of: visitors, by: suppression) : nil
    )
  }
}

extension Distribution {
  /// Times of some visitors with figures on the grid.
  fileprivate func published(
    as count: Int,
    of visitors: Int,
    by suppression: SmallCellSuppression
  ) -> Distribution {
    published(as: count, withDecile: suppression.showsDecile(of: visitors)) {
      suppression.coarse($0)
    }
  }
}

extension Nearness {
  /// Returns seconds of a total, divided as the visitors are who were mostly at each proximity; these are rounded as all counts.
  fileprivate func published(of total: Double, by suppression: SmallCellSuppression) -> Nearness {
    var counts = rounded { Double(suppression.published(Int($0))) }
    counts.unknown = 0
    let known = max(1, counts.known)
    return counts.rounded { $0 / known * total }
  }
}
