// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The filter of one beacon and one receiver, of one of several kinds.
///
/// It is a closed enumeration, so that a report needs a branch instead of a dynamic call, and a track needs no object.
/// Times may repeat; a time that goes back counts as the last one.
package enum RSSIFilter: Sendable {
  /// A Bayesian filter over a grid of levels.
  case bayesian(BayesianFilter)
  /// A moving window trimmed at both ends by shares.
  case trimmedWindow(TrimmedWindowFilter)
  /// The Android Beacon Library's running average.
  case altBeacon(AltBeaconFilter)
  /// A Kalman filter.
  case kalman(KalmanFilter)
  /// No filter.
  case latest(LatestFilter)

  /// Adds a report's RSSI in dBm; 127, which means "not available", is ignored.
  package mutating func add(_ rssi: Int8, at time: Timestamp) {
    // The value is consumed, so that its payload is never shared and its samples are never copied.
    switch consume self {
    case .bayesian(var filter):
      filter.add(rssi, at: time)
      self = .bayesian(filter)
    case .trimmedWindow(var filter):
      filter.add(rssi, at: time)
      self = .trimmedWindow(filter)
    case .altBeacon(var filter):
      filter.add(rssi, at: time)
      self = .altBeacon(filter)
    case .kalman(var filter):
      filter.add(rssi, at: time)
      self = .kalman(filter)
    case .latest(var filter):
      filter.add(rssi, at: time)
      self = .latest(filter)
    }
  }

  /// Returns the filtered value of the samples that count at a time, if any.
  ///
  /// Samples that no longer count are removed.
  package mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    let estimate: FilteredRSSI?
    switch consume self {
    case .bayesian(var filter):
      estimate = filter.estimate(at: time)
      self = .bayesian(filter)
    case .trimmedWindow(var filter):
      estimate = filter.estimate(at: time)
      self = .trimmedWindow(filter)
    case .altBeacon(var filter):
      estimate = filter.estimate(at: time)
      self = .altBeacon(filter)
    case .kalman(var filter):
      estimate = filter.estimate(at: time)
      self = .kalman(filter)
    case .latest(var filter):
      estimate = filter.estimate(at: time)
      self = .latest(filter)
    }
    return estimate
  }
}
