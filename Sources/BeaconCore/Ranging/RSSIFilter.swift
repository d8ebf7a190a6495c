// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One of the filters, held for one beacon and one receiver.
///
/// A closed enumeration, so that a report costs a jump rather than a call through a table, and tens of thousands of
/// tracks cost no object each. Times may repeat; one that goes back counts as the last.
public enum RSSIFilter: Sendable {
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

  /// Takes a report's RSSI in dBm; 127, the radio's "not available", is no sample.
  public mutating func add(_ rssi: Int8, at time: Timestamp) {
    // Consumed, so that the payload is never shared and its samples are never copied.
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

  /// Returns what the filter makes of the samples that count at a time; `nil` when there are none.
  ///
  /// Samples that no longer count are forgotten.
  public mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
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
