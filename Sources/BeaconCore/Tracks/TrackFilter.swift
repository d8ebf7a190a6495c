// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The filter of a track: the default one in place, any other in a box of its own.
///
/// ``RSSIFilter`` moves its payload out and back for each report, which is nothing for the other filters and would be a
/// third of the cost of this one.
struct TrackFilter: Sendable {
  /// One filter where ``bayesian`` is none.
  private var other: [RSSIFilter]
  private var bayesian: BayesianFilter?

  init(_ configuration: borrowing RSSIFilterConfiguration) {
    switch configuration.makeFilter() {
    case .bayesian(let filter): (bayesian, other) = (filter, [])
    case let filter: (bayesian, other) = (nil, [filter])
    }
  }

  /// Takes a report's RSSI in dBm.
  @inline(__always)
  mutating func add(_ rssi: Int8, at time: Timestamp) {
    if bayesian?.add(rssi, at: time) == nil, !other.isEmpty { other[0].add(rssi, at: time) }
  }

  /// Returns what the filter makes of the samples that count at a time; `nil` when there are none.
  @inline(__always)
  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    if bayesian != nil { return bayesian?.estimate(at: time) }
    return other.isEmpty ? nil : other[0].estimate(at: time)
  }

  /// Gives back what the filter holds.
  mutating func release() {
    (bayesian, other) = (nil, [])
  }
}
