// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// What could be reached on the rows that are judged, if limits and widths were chosen on these same rows.
struct Ceiling {
  private struct Row {
    let zone: Int
    /// The delivered distance, the true one and how far the interval's middle is from the delivered one, in dB at an
    /// exponent of 2.
    let delivered, truth, shift: Double
    /// Half the width of the interval in dB.
    let reach: Double
  }

  private var rows: [Row] = []

  mutating func add(
    _ meters: Double,
    _ interval: ClosedRange<Double>?,
    truth: Double,
    zone: Int
  ) {
    func decibels(_ meters: Double) -> Double { 20 * log10(max(meters, 0.001)) }
    let (low, high) = (interval?.lowerBound ?? meters, interval?.upperBound ?? meters)
    rows.append(
      Row(
        zone: zone,
        delivered: decibels(meters),
        truth: decibels(truth),
        shift: (decibels(low) + decibels(high)) / 2 - decibels(meters),
        reach: (decibels(high) - decibels(low)) / 2
      )
    )
  }

  /// The share of right zones in percent, the mean over the zones that occur, with the two limits of the delivered
  /// distance that are best on these rows.
  var zones: Double {
    let (step, bins) = (0.25, 512)
    var counts = [[Double]](repeating: [Double](repeating: 0, count: bins), count: 3)
    for row in rows {
      counts[row.zone][min(bins - 1, max(0, Int(row.delivered / step) + bins / 2))] += 1
    }
    let sums = counts.filter { $0.contains { $0 > 0 } }.map { zone -> [Double] in
      let all = zone.reduce(0, +)
      return zone.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1 / all) }
    }
    let occurring = counts.indices.filter { counts[$0].contains { $0 > 0 } }
    var best = 0.0
    for near in 0...bins {
      for far in near...bins {
        let shares = zip(occurring, sums).map { zone, sum in
          [sum[near], sum[far] - sum[near], 1 - sum[far]][zone]
        }
        best = max(best, shares.mean)
      }
    }
    return 100 * best
  }

  /// The share of the seconds in percent whose interval contains the truth, were each wider by a factor in decibels.
  func inside(widenedBy factor: Double) -> Double {
    let held = rows.count { abs($0.truth - $0.delivered - $0.shift) <= factor * $0.reach }
    return 100 * Double(held) / Double(rows.count)
  }

  /// The least factor with which so many percent of the intervals contain the truth.
  func factor(for percent: Double) -> Double {
    (1...400).lazy.map { Double($0) / 100 }.first { inside(widenedBy: $0) >= percent } ?? .infinity
  }

  /// Half the width of the intervals in dB, the mean.
  var reach: Double { rows.map(\.reach).mean }
}
