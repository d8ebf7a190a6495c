// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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
      case .bayesian(let parameters):
        self = .bayesian(
          BayesianFilter.Parameters(
            model: parameters.model,
            changeRate: parameters.changeRate,
            drift: parameters.drift,
            silence: newValue
          )
        )
      case .trimmedWindow(let parameters):
        self = .trimmedWindow(
          TrimmedWindowFilter.Parameters(
            window: newValue,
            lowPercent: parameters.lowPercent,
            highPercent: parameters.highPercent,
            sampleCap: parameters.sampleCap
          )
        )
      case .altBeacon(let parameters):
        self = .altBeacon(
          AltBeaconFilter.Parameters(window: newValue, sampleCap: parameters.sampleCap)
        )
      case .kalman(let parameters):
        self = .kalman(
          KalmanFilter.Parameters(
            processNoise: parameters.processNoise,
            measurementNoise: parameters.measurementNoise,
            drift: parameters.drift,
            silence: newValue
          )
        )
      case .latest: self = .latest(LatestFilter.Parameters(window: newValue))
      }
    }
  }
}
