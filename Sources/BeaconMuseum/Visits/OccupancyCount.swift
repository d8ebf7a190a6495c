// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Counts visitors by quarter of an hour.
enum OccupancyCount {
  private static let quarter: Int64 = 900_000_000
  /// The maximum number of quarters, one week: recordings that span more time are not of one day.
  private static let most = 672

  /// Returns the quarters from the first arrival to the last departure, at most a week from the first one.
  static func quarters(_ visits: [Visit]) -> [Occupancy] {
    guard let first = visits.map(\.start).min(), let last = visits.map(\.end).max() else {
      return []
    }
    let begin = first.microseconds / quarter
    let count = min(Int(last.microseconds / quarter - begin) + 1, most)
    var entries = (0..<count).map { index in
      Occupancy(
        start: Timestamp(microseconds: (begin + Int64(index)) * quarter),
        visitors: 0,
        peak: 0
      )
    }
    for visit in visits {
      let from = Int(visit.start.microseconds / quarter - begin)
      let to = min(Int(visit.end.microseconds / quarter - begin), count - 1)
      guard from <= to else { continue }
      for index in from...to { entries[index].visitors += 1 }
    }
    addPeaks(visits, begin, to: &entries)
    return entries
  }

  private static func addPeaks(_ visits: [Visit], _ begin: Int64, to entries: inout [Occupancy]) {
    // A visitor who leaves at the same time as another arrives is counted as leaving first.
    let changes =
      (visits.map { (time: $0.start, change: 1) } + visits.map { (time: $0.end, change: -1) })
      .sorted { ($0.time, $0.change) < ($1.time, $1.change) }
    var present = 0
    var next = changes.makeIterator()
    var change = next.next()
    for index in entries.indices {
      let end = (begin + Int64(index) + 1) * quarter
      entries[index].peak = present
      while let due = change, due.time.microseconds < end {
        present += due.change
        entries[index].peak = max(entries[index].peak, present)
        change = next.next()
      }
    }
  }
}
