// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A beacon by its single reports: the operator's view, beyond the ticks.
package struct RangeRowReception: Sendable, Equatable {
  /// The power byte last announced, in dBm at 1 m; `nil` before the first report.
  package private(set) var power: Int8?
  /// The receivers that received it, by number, and how many reports each.
  package private(set) var receivers: [UInt8: Int] = [:]
  /// Reports in all.
  package private(set) var reports = 0
  private var last: Timestamp?
  private var gaps: [TimeSpan] = []

  /// Enough for a median that one lost packet does not move.
  private static let gapsKept = 63

  package init() {}

  /// Receives a report.
  mutating func receive(_ sighting: Sighting) {
    power = sighting.measuredPower
    receivers[sighting.receiver, default: 0] += 1
    reports += 1
    if let last, sighting.time > last {
      gaps.append(sighting.time - last)
      if gaps.count > Self.gapsKept { gaps.removeFirst() }
    }
    last = max(last ?? sighting.time, sighting.time)
  }

  /// The median of the last gaps between reports; `nil` before there are any.
  package var medianGap: TimeSpan? {
    gaps.isEmpty ? nil : gaps.sorted()[gaps.count / 2]
  }

  /// The longest of the last gaps between reports.
  package var longestGap: TimeSpan? { gaps.max() }
}
