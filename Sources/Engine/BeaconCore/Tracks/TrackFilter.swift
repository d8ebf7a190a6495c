// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The filter of a track: the default one inline, any other in an array of one element.
///
/// ``RSSIFilter`` moves its payload out and back for each report. That is cheap for the other filters, and would be a
/// third of the time of this one.
struct TrackFilter: Sendable {
  // In this order the properties leave no gap: most memory is used by tracks.

  /// The default filter; unused when there is another.
  private var bayesian: BayesianFilter
  /// One filter when the default one is not used, otherwise empty.
  private var other: [RSSIFilter]

  init(_ configuration: borrowing RSSIFilterConfiguration) {
    switch configuration.makeFilter() {
    case .bayesian(let filter): (bayesian, other) = (filter, [])
    case let filter: (bayesian, other) = (BayesianFilter(), [filter])
    }
  }

  /// Adds a report's RSSI in dBm.
  @inline(__always)
  mutating func add(_ rssi: Int8, at time: Timestamp) {
    if other.isEmpty { bayesian.add(rssi, at: time) } else { other[0].add(rssi, at: time) }
  }

  /// Returns the filtered value of the samples that count at a time, if any.
  @inline(__always)
  mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    other.isEmpty ? bayesian.estimate(at: time) : other[0].estimate(at: time)
  }

  /// Whether its level is the most probable one, which fades do not weaken; other filters are means.
  @inline(__always)
  var isMostProbable: Bool { other.isEmpty }

  /// Whether the beacon has evidently stood still, so that the mean of its reports can be compared with the level.
  @inline(__always)
  var standsStill: Bool { other.isEmpty && bayesian.standsStill }

  /// Whether nothing was received lately, while another receiver may have received the beacon.
  func isLate(at time: Timestamp) -> Bool { other.isEmpty && bayesian.isLate(at: time) }

  /// Releases the storage of the filter.
  mutating func release() {
    (bayesian, other) = (BayesianFilter(), [])
  }
}
