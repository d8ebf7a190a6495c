// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The reports that a sum of a second stands for.
///
/// Their number, mean and span are those of the sum, so that ranging and entries from a sum equal those from the reports.
package struct SummedReports: Sendable {
  /// The most reports that stand for a second; no beacon sends as many.
  package static let limit = 50

  /// The reports: when each was, and its RSSI in whole dBm, if there was any.
  package let reports: [(time: Timestamp, rssi: Int8?)]

  /// - Parameters:
  ///   - count: How many reports there were.
  ///   - mean: The mean of their RSSI in dBm; `nil` if none had one.
  ///   - start: The start of the second.
  package init(_ count: Int, mean: Double?, from start: Timestamp) {
    let count = min(max(count, 0), Self.limit)
    reports = (0..<count).map { index in
      let part = TimeSpan(microseconds: Int64(2 * index + 1) * 500_000 / Int64(count))
      return (start + part, mean.map { Self.level($0, index) })
    }
  }

  /// Whole levels whose mean is that of the sum: the steps of the rounded sum.
  private static func level(_ mean: Double, _ index: Int) -> Int8 {
    let mean = max(-127, min(20, mean))
    let sum = (mean * Double(index + 1)).rounded() - (mean * Double(index)).rounded()
    return Int8(max(-127, min(20, sum)))
  }
}
