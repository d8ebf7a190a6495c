// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Counts visitors by quarter of an hour.
enum OccupancyCount {
  private static let quarter: Int64 = 900_000_000
  private static let day: Int64 = 86_400_000_000
  /// The longest span that is shown by quarters of an hour, a week.
  private static let longestInQuarters: Int64 = 7 * day
  /// The most entries, a week of quarters; what spans more days than this is shown by several days at a time.
  private static let most: Int64 = 672

  /// Returns the times from the first arrival to the last departure, and how long each is: a quarter of an hour, or
  /// whole days if the visits span more than a week.
  static func entries(_ visits: [Visit]) -> (entries: [Occupancy], unit: TimeSpan) {
    guard let first = visits.map(\.start).min(), let last = visits.map(\.end).max() else {
      return ([], TimeSpan(microseconds: quarter))
    }
    let unit = unit(of: last.microseconds - first.microseconds)
    let begin = first.microseconds / unit
    let count = Int(last.microseconds / unit - begin) + 1
    return (entries(visits, begin, count, unit), TimeSpan(microseconds: unit))
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
    _ unit: Int64
  ) -> [Occupancy] {
    var entries = (0..<count).map { index in
      Occupancy(
        start: Timestamp(microseconds: (begin + Int64(index)) * unit),
        visitors: 0,
        peak: 0
      )
    }
    for visit in visits {
      let from = Int(visit.start.microseconds / unit - begin)
      let to = min(Int(visit.end.microseconds / unit - begin), count - 1)
      guard from <= to else { continue }
      for index in from...to { entries[index].visitors += 1 }
    }
    addPeaks(visits, begin, unit, to: &entries)
    return entries
  }

  private static func addPeaks(
    _ visits: [Visit],
    _ begin: Int64,
    _ unit: Int64,
    to entries: inout [Occupancy]
  ) {
    // A visitor who leaves at the same time as another arrives is counted as leaving first.
    let changes =
      (visits.map { (time: $0.start, change: 1) } + visits.map { (time: $0.end, change: -1) })
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
