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
  package func makeFilter() -> RSSIFilter {
    switch self {
    case .bayesian(let parameters): .bayesian(BayesianFilter(parameters))
    case .trimmedWindow(let parameters): .trimmedWindow(TrimmedWindowFilter(parameters))
    case .altBeacon(let parameters): .altBeacon(AltBeaconFilter(parameters))
    case .kalman(let parameters): .kalman(KalmanFilter(parameters))
    case .latest(let parameters): .latest(LatestFilter(parameters))
    }
  }
}

extension RSSIFilterConfiguration {
  /// How long a sample counts; for the Bayesian and the Kalman filter, the silence after which it starts again.
  public var window: TimeSpan {
    get {
      switch self {
      case .bayesian(let parameters): parameters.silence
      case .trimmedWindow(let parameters): parameters.window
      case .altBeacon(let parameters): parameters.window
      case .kalman(let parameters): parameters.silence
      case .latest(let parameters): parameters.window
      }
    }
    set {
      switch self {
      case .bayesian(var parameters):
        parameters.silence = newValue
        self = .bayesian(parameters)
      case .trimmedWindow(var parameters):
        parameters.window = newValue
        self = .trimmedWindow(parameters)
      case .altBeacon(var parameters):
        parameters.window = newValue
        self = .altBeacon(parameters)
      case .kalman(var parameters):
        parameters.silence = newValue
        self = .kalman(parameters)
      case .latest(var parameters):
        parameters.window = newValue
        self = .latest(parameters)
      }
    }
  }

  /// The parameters of the Bayesian filter; `nil` while another filter is chosen.
  ///
  /// Setting them does not choose the filter.
  var bayesian: BayesianFilter.Parameters? {
    get {
      guard case .bayesian(let parameters) = self else { return nil }
      return parameters
    }
    set {
      if case .bayesian = self, let newValue { self = .bayesian(newValue) }
    }
  }

  /// The parameters of the trimmed window; `nil` while another filter is chosen.
  ///
  /// Setting them does not choose the filter.
  var trimmedWindow: TrimmedWindowFilter.Parameters? {
    get {
      guard case .trimmedWindow(let parameters) = self else { return nil }
      return parameters
    }
    set {
      if case .trimmedWindow = self, let newValue { self = .trimmedWindow(newValue) }
    }
  }
}
