// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Values over time, in columns of equal width: the lowest, the highest and the mean of each.
///
/// The columns become wider as values come, so that a trace of weeks takes no more memory than one of minutes, and a
/// short one keeps each value.
package struct ColumnTrace: Sendable {
  /// The values of a column.
  package struct Column: Sendable {
    fileprivate var index: Int64
    /// The lowest value, or the lower end of the lowest interval.
    package fileprivate(set) var low: Double
    /// The highest value, or the upper end of the highest interval.
    package fileprivate(set) var high: Double
    fileprivate var sum: Double
    fileprivate var count: Double

    /// The mean of the values.
    package var mean: Double { sum / count }

    fileprivate mutating func add(_ other: Column) {
      low = min(low, other.low)
      high = max(high, other.high)
      sum += other.sum
      count += other.count
    }
  }

  /// The usual most columns: more than a picture is wide.
  static let usual = 2048

  /// The most columns.
  private let most: Int

  /// The width of a column in microseconds.
  private var width: Int64 = 1000
  /// The columns with values, in the order of time.
  package private(set) var columns: [Column] = []

  package init() { self.init(most: Self.usual) }

  init(most: Int) { self.most = most }

  /// Adds a value, which may be an interval with a center.
  package mutating func add(
    _ value: Double,
    low: Double? = nil,
    high: Double? = nil,
    at time: Timestamp
  ) {
    var column = Column(
      index: time.microseconds / width,
      low: low ?? value,
      high: high ?? value,
      sum: value,
      count: 1
    )
    if let last = columns.last, last.index >= column.index {
      column.index = last.index
      columns[columns.count - 1].add(column)
      return
    }
    columns.append(column)
    while columns.count > most { widen() }
  }

  /// Makes each column twice as wide.
  private mutating func widen() {
    width *= 2
    var wide: [Column] = []
    for column in columns {
      var column = column
      column.index /= 2
      if wide.last?.index == column.index {
        wide[wide.count - 1].add(column)
      } else {
        wide.append(column)
      }
    }
    columns = wide
  }

  /// The middle of a column.
  func time(of column: Column) -> Timestamp {
    Timestamp(microseconds: column.index * width + width / 2)
  }
}

/// The silences of a region; of many, the longest.
package struct SilenceTrace: Sendable {
  /// The most silences.
  private let most: Int

  /// The silences, in the order of time.
  package private(set) var silences: [Range<Timestamp>] = []
  /// Silences shorter than this are left out.
  private var least = TimeSpan.milliseconds(1)

  package init() { self.init(most: ColumnTrace.usual) }

  init(most: Int) { self.most = most }

  /// Adds the time between two reports.
  package mutating func add(from start: Timestamp, to end: Timestamp) {
    guard end - start >= least else { return }
    silences.append(start..<end)
    while silences.count > most {
      least = least + least
      silences.removeAll { $0.upperBound - $0.lowerBound < least }
    }
  }
}
