// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The times from the left to the right of a picture.
struct TimeAxis {
  /// A time with a label.
  struct Tick {
    let x: Double
    let label: String
    /// The day, if it is another than at the tick before; after a change of the clock its zone.
    let note: String?
  }

  let span: ClosedRange<Timestamp>
  let left: Double
  let right: Double
  private let zone: LocalZone
  /// When clocks were changed, to the quarter of an hour.
  let changes: [Timestamp]

  /// The least width of a label with its margin.
  private static let labelWidth = 72.0
  /// The spans between two labels, in seconds.
  private static let steps: [Double] = [
    0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600,
    43_200, 86_400, 172_800, 604_800, 2_419_200,
  ]

  init(_ span: ClosedRange<Timestamp>, left: Double, right: Double, _ zone: LocalZone) {
    // A single moment has no width.
    let end = max(span.upperBound, span.lowerBound + .milliseconds(100))
    self.span = span.lowerBound...end
    self.left = left
    self.right = right
    self.zone = zone
    changes = Self.changes(span.lowerBound...end, zone)
  }

  /// The changes of the clock: those of a week are some hours apart at least.
  private static func changes(_ span: ClosedRange<Timestamp>, _ zone: LocalZone) -> [Timestamp] {
    let width = max(
      900,
      ((span.upperBound - span.lowerBound).seconds / 4096 / 900).rounded(.up) * 900
    )
    var changes: [Timestamp] = []
    var (time, offset) = (span.lowerBound, zone.offset(span.lowerBound))
    while time < span.upperBound {
      let next = min(time + TimeSpan(seconds: width), span.upperBound)
      let other = zone.offset(next)
      if other != offset {
        var (before, after) = (time, next)
        while after - before > .seconds(1) {
          let middle = before + TimeSpan(microseconds: (after - before).microseconds / 2)
          if zone.offset(middle) == offset { before = middle } else { after = middle }
        }
        changes.append(after.wholeSecond)
      }
      (time, offset) = (next, other)
    }
    return changes
  }

  private var seconds: Double { (span.upperBound - span.lowerBound).seconds }

  /// The place of a time; that of the nearest end for a time outside.
  func x(_ time: Timestamp) -> Double {
    let time = min(max(time, span.lowerBound), span.upperBound)
    return left + (right - left) * (time - span.lowerBound).seconds / seconds
  }

  /// The labeled times.
  var ticks: [Tick] {
    let wanted = seconds * Self.labelWidth / (right - left)
    let step = Self.steps.first { $0 >= wanted } ?? (wanted / 2_419_200).rounded(.up) * 2_419_200
    let width = Int64(step * 1_000_000)
    var ticks: [Tick] = []
    var (day, offset): (Substring?, TimeSpan?)
    // Each time between two changes of the clock has its own labels, so that an hour that is shown twice has them twice.
    for (start, end) in zip([span.lowerBound] + changes, changes + [span.upperBound]) {
      let zone = zone.offset(start)
      let first = zone.moved(start).microseconds / width
      for index in first...first + Int64((end - start).microseconds) / width + 1 {
        let time = Timestamp(microseconds: index * width) - zone
        guard time >= start, time < end || time == end && end == span.upperBound,
          ticks.last.map({ x(time) - $0.x >= Self.labelWidth - 0.01 }) ?? true
        else { continue }
        let text = RFC3339.string(zone.moved(time))
        let isNew = day != text.prefix(10)
        day = text.prefix(10)
        let isChanged = offset.map { $0 != zone } ?? false
        offset = zone
        ticks.append(
          Tick(
            x: x(time),
            label: String(text.dropFirst(11).prefix(step < 1 ? 10 : step < 60 ? 8 : 5)),
            note: isChanged ? RowClock.name(zone) : isNew ? day.map(String.init) : nil
          )
        )
      }
    }
    return ticks
  }

  /// The values of a trace that are drawn at one place, merged.
  func points(_ trace: ColumnTrace) -> [(x: Double, low: Double, high: Double, mean: Double)] {
    var points: [(x: Double, low: Double, high: Double, mean: Double, count: Double)] = []
    for column in trace.columns {
      let time = trace.time(of: column)
      // The middle of a column may lie outside, as may the inside of a span.
      guard time >= span.lowerBound - .seconds(1), time <= span.upperBound + .seconds(1) else {
        continue
      }
      // Half a unit is a pixel of a large picture.
      let x = (x(time) * 2).rounded() / 2
      guard let last = points.last, last.x == x else {
        points.append((x, column.low, column.high, column.mean, 1))
        continue
      }
      points[points.count - 1] = (
        x, min(last.low, column.low), max(last.high, column.high), last.mean + column.mean,
        last.count + 1
      )
    }
    return points.map { ($0.x, $0.low, $0.high, $0.mean / $0.count) }
  }
}

/// The values from the bottom to the top of a chart.
struct ValueAxis {
  let values: ClosedRange<Double>
  let top: Double
  let bottom: Double
  /// Whether equal factors are equally high.
  var isLogarithmic = false

  /// The place of a value; that of the nearest end for a value outside.
  func y(_ value: Double) -> Double {
    let (low, high) = (scaled(values.lowerBound), scaled(values.upperBound))
    guard high > low else { return bottom }
    let share = (scaled(min(max(value, values.lowerBound), values.upperBound)) - low) / (high - low)
    return bottom - (bottom - top) * share
  }

  private func scaled(_ value: Double) -> Double {
    isLogarithmic ? DeterministicMath.log2(max(value, 1e-3)) : value
  }

  /// About so many round values.
  func ticks(_ count: Double) -> [Double] {
    if isLogarithmic {
      // The decades first, then what fits between them.
      var ticks: [Double] = []
      for factor in [1.0, 5, 2] {
        for decade in [0.1, 1, 10, 100] where values.contains(factor * decade) {
          let place = y(factor * decade)
          if ticks.allSatisfy({ abs(y($0) - place) > 13 }) { ticks.append(factor * decade) }
        }
      }
      return ticks.sorted()
    }
    let step = Self.step((values.upperBound - values.lowerBound) / count)
    let first = (values.lowerBound / step).rounded(.up)
    let last = (values.upperBound / step).rounded(.down)
    guard first <= last, last - first < 20 else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// The smallest round number that is not below a value.
  static func step(_ value: Double) -> Double {
    var unit = 1e-3
    while unit < 1e9 {
      for factor in [1.0, 2, 5] where unit * factor >= value { return unit * factor }
      unit *= 10
    }
    return unit
  }
}
