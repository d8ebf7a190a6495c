// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Counts visitors by quarter of an hour, or by longer times of which most have enough visitors to be shown.
enum OccupancyCount {
  private static let quarter: Int64 = 900_000_000
  /// The grid of arrivals and departures from which the largest number at the same time is counted.
  private static let grid: Int64 = 300_000_000
  private static let day: Int64 = 86_400_000_000
  /// The longest span that is shown by quarters of an hour, a week.
  private static let longestInQuarters: Int64 = 7 * day
  /// Longer than all time: the whole is one entry.
  private static let lastUnit: Int64 = 1 << 60
  /// The most entries, a week of quarters; what spans more days than this is shown by several days at a time.
  private static let most: Int64 = 672

  /// Returns the times from the first arrival to the last departure, and how long each is: a quarter of an hour, or
  /// whole days if the visits span more than a week.
  ///
  /// If not everything is shown, times are longer until half of the visitors arrive in shown ones, by counts as they may
  /// be shown. The first and the last are shown ones: the first arrival and the last departure are of one visitor each.
  static func entries(
    _ visits: [Visit],
    _ suppression: SmallCellSuppression
  ) -> (entries: [Occupancy], unit: TimeSpan) {
    // Before so many have come and after so many have left, no time is shown.
    let few = max(1, suppression.fewest) - 1
    guard few < visits.count else { return ([], TimeSpan(microseconds: quarter)) }
    let bounds = [visits.map(\.start).sorted()[few], visits.map(\.end).sorted(by: >)[few]].sorted()
    let (first, last) = (bounds[0].microseconds, bounds[1].microseconds)
    var unit = unit(of: last - first)
    if !suppression.isEverything, unit <= day {
      unit = shownInDays(visits, first, last, suppression) > longestInQuarters ? day : quarter
    }
    while true {
      let begin = first / unit
      let count = Int(last / unit - begin) + 1
      let found = entries(visits, begin, count, unit, isExact: suppression.isEverything)
      if suppression.isEverything { return (found, TimeSpan(microseconds: unit)) }
      let shown = found.map { suppression.shows($0.visitors) }
      let isMost =
        2 * arrivals(visits, begin, count, unit, suppression)
        >= suppression.published(visits.count)
      if isMost, let first = shown.firstIndex(of: true), let last = shown.lastIndex(of: true) {
        return (found[first...last].map(suppression.published), TimeSpan(microseconds: unit))
      }
      guard unit < lastUnit else { return ([], TimeSpan(microseconds: unit)) }
      unit = 2 * unit > day / 2 && unit < day ? day : 2 * unit
    }
  }

  /// Returns how long the days are in which enough visitors were there, from the first to the last.
  private static func shownInDays(
    _ visits: [Visit],
    _ first: Int64,
    _ last: Int64,
    _ suppression: SmallCellSuppression
  ) -> Int64 {
    let begin = first / day
    let days = entries(visits, begin, Int(last / day - begin) + 1, day, isExact: false)
      .map { suppression.shows($0.visitors) }
    guard let first = days.firstIndex(of: true), let last = days.lastIndex(of: true) else {
      return 0
    }
    return Int64(last - first + 1) * day
  }

  /// Returns the number of arrivals by the counts of each time as they may be shown.
  private static func arrivals(
    _ visits: [Visit],
    _ begin: Int64,
    _ count: Int,
    _ unit: Int64,
    _ suppression: SmallCellSuppression
  ) -> Int {
    var counts = [Int](repeating: 0, count: count)
    for visit in visits {
      let index = Int(visit.start.microseconds / unit - begin)
      if counts.indices.contains(index) { counts[index] += 1 }
    }
    return counts.reduce(0) { $0 + suppression.published($1) }
  }

  private static func unit(of span: Int64) -> Int64 {
    guard span > longestInQuarters else { return quarter }
    // One entry fewer, since a span can begin within one and end within another.
    return day * (span / (day * (most - 1)) + 1)
  }

  private static func entries(
    _ visits: [Visit],
    _ begin: Int64,
    _ count: Int,
    _ unit: Int64,
    isExact: Bool
  ) -> [Occupancy] {
    var entries = (0..<count).map { index in
      Occupancy(
        start: Timestamp(microseconds: (begin + Int64(index)) * unit),
        visitors: 0,
        peak: 0
      )
    }
    for visit in visits {
      var next = 0
      for known in visit.known {
        let from = max(next, Int(known.start.microseconds / unit - begin))
        let to = min(Int(known.end.microseconds / unit - begin), count - 1)
        guard from <= to else { continue }
        for index in from...to { entries[index].visitors += 1 }
        next = to + 1
      }
    }
    let spans = visits.flatMap { visit in
      visit.known.map { known in
        isExact
          ? known : (whole(known.start.microseconds), whole(known.end.microseconds + grid - 1))
      }
    }
    addPeaks(spans, begin, unit, to: &entries)
    return entries
  }

  /// Returns the time of the grid before a time, or the time itself.
  private static func whole(_ microseconds: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds / grid * grid)
  }

  private static func addPeaks(
    _ spans: [(start: Timestamp, end: Timestamp)],
    _ begin: Int64,
    _ unit: Int64,
    to entries: inout [Occupancy]
  ) {
    // A visitor who leaves at the same time as another arrives is counted as leaving first.
    let changes =
      (spans.map { (time: $0.start, change: 1) } + spans.map { (time: $0.end, change: -1) })
      .sorted { ($0.time, $0.change) < ($1.time, $1.change) }
    var present = 0
    var next = changes.makeIterator()
    var change = next.next()
    for index in entries.indices {
      let end = (begin + Int64(index) + 1) * unit
      entries[index].peak = present
      while let due = change, due.time.microseconds < end {
        present += due.change
        entries[index].peak = max(entries[index].peak, present)
        change = next.next()
      }
    }
  }
}

extension SmallCellSuppression {
  /// Returns a time of the day as it may be shown.
  fileprivate func published(_ entry: Occupancy) -> Occupancy {
    var entry = entry
    entry.visitors = published(entry.visitors)
    entry.peak = min(entry.visitors, published(entry.peak))
    return entry
  }
}
