// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The filter of a track: the default one in place, any other in a box of its own.
///
/// ``RSSIFilter`` moves its payload out and back for each report, which is nothing for the other filters and would be a
/// third of the cost of this one.
struct TrackFilter: Sendable {
  // In this order they leave no gap: tracks are what memory goes to.

  /// The default filter; where there is another it has heard nothing and never will.
  private var bayesian: BayesianFilter
  /// One filter where the default one is not used.
  private var other: [RSSIFilter]

  init(_ configuration: borrowing RSSIFilterConfiguration) {
    switch configuration.makeFilter() {
    case .bayesian(let filter): (bayesian, other) = (filter, [])
    case let filter: (bayesian, other) = (BayesianFilter(), [filter])
    }
  }

  /// Takes a report's RSSI in dBm.
  @inline(__always)
  mutating func add(_ rssi: Int8, at time: Timestamp) {
    if other.isEmpty { bayesian.add(rssi, at: time) } else { other[0].add(rssi, at: time) }
  }

  /// Returns what the filter makes of the samples that count at a time; `nil` when there are none.
  @inline(__always)
  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    other.isEmpty ? bayesian.estimate(at: time) : other[0].estimate(at: time)
  }

  /// Gives back what the filter holds.
  mutating func release() {
    (bayesian, other) = (BayesianFilter(), [])
  }
}
