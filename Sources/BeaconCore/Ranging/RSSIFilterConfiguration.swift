// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The configured filter with its parameters.
public enum RSSIFilterConfiguration: Sendable, Hashable {
  /// A Bayesian filter over a grid of levels.
  case bayesian(BayesianFilter.Parameters)
  /// A moving window trimmed at both ends by shares.
  case trimmedWindow(TrimmedWindowFilter.Parameters)
  /// The Android Beacon Library's running average.
  case altBeacon(AltBeaconFilter.Parameters)
  /// A Kalman filter.
  case kalman(KalmanFilter.Parameters)
  /// No filter.
  case latest(LatestFilter.Parameters)

  /// The filter of the default profile: the Bayesian one.
  ///
  /// Of all filters tested it has the smallest error, follows fastest and changes zones least often
  /// (`docs/accuracy.md`).
  public static let standard = RSSIFilterConfiguration.bayesian(BayesianFilter.Parameters())

  /// The names of all filters as a configuration writes them.
  public static let names = ["bayes", "trimmed", "altbeacon", "kalman", "none"]

  /// The name in a configuration.
  public var name: String {
    switch self {
    case .bayesian: "bayes"
    case .trimmedWindow: "trimmed"
    case .altBeacon: "altbeacon"
    case .kalman: "kalman"
    case .latest: "none"
    }
  }

  /// Creates the filter of a name, with its default parameters; `nil` for an unknown name.
  public init?(named name: String) {
    switch name {
    case "bayes": self = .standard
    case "trimmed": self = .trimmedWindow(TrimmedWindowFilter.Parameters())
    case "altbeacon": self = .altBeacon(AltBeaconFilter.Parameters())
    case "kalman": self = .kalman(KalmanFilter.Parameters())
    case "none": self = .latest(LatestFilter.Parameters())
    default: return nil
    }
  }

  /// Returns a filter without samples.
  public func makeFilter() -> RSSIFilter {
    switch self {
    case .bayesian(let parameters): .bayesian(BayesianFilter(parameters))
    case .trimmedWindow(let parameters): .trimmedWindow(TrimmedWindowFilter(parameters))
    case .altBeacon(let parameters): .altBeacon(AltBeaconFilter(parameters))
    case .kalman(let parameters): .kalman(KalmanFilter(parameters))
    case .latest(let parameters): .latest(LatestFilter(parameters))
    }
  }
}
