// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A Kalman filter for a signal strength that is constant except for noise.
///
/// Without drift it is the filter of room-assistant and others: a constant amount of process noise per report, however
/// far apart the reports are. Drift adds noise per second, so that after a silence the filter is less certain and
/// follows faster.
public struct KalmanFilter: Sendable {
  /// The parameters of the filter.
  public struct Parameters: Sendable, Hashable {
    /// The variance that each report adds to the estimate, in dB².
    public var processNoise: Float {
      didSet { processNoise = Self.clamped(processNoise) }
    }
    /// The variance of one report's RSSI, in dB².
    public var measurementNoise: Float {
      didSet { measurementNoise = Self.clamped(measurementNoise) }
    }
    /// The variance that each second adds to the estimate, in dB²/s.
    public var drift: Float {
      didSet { drift = drift > 0 ? Self.clamped(drift) : 0 }
    }
    /// How long the last sample counts, 1 ms to 60 s; after a longer silence the filter starts again.
    public var silence: TimeSpan {
      didSet { silence = SampleWindow.clamped(silence) }
    }

    /// 0.008 dB² per report, the value of those projects: a person who stands.
    public static let defaultProcessNoise: Float = 0.008
    /// 4 dB², the value of those projects: a deviation of 2 dB per report, the lower end of indoor measurements.
    public static let defaultMeasurementNoise: Float = 4
    /// 0 dB²/s: none, as in those projects, so that comparisons are fair.
    public static let defaultDrift: Float = 0
    /// Twenty seconds, the window of AltBeacon's filter.
    public static let defaultSilence = TimeSpan.seconds(20)
    /// The range of all three variances, in dB²: smaller values than (0.001 dB)² would divide by almost zero, larger
    /// values than (1000 dB)² have no meaning.
    package static let varianceRange: ClosedRange<Float> = 1e-6...1e6

    /// Creates parameters; numbers out of their range and NaN are clamped.
    public init(
      processNoise: Float = defaultProcessNoise,
      measurementNoise: Float = defaultMeasurementNoise,
      drift: Float = defaultDrift,
      silence: TimeSpan = defaultSilence
    ) {
      self.processNoise = Self.clamped(processNoise)
      self.measurementNoise = Self.clamped(measurementNoise)
      self.drift = drift > 0 ? Self.clamped(drift) : 0
      self.silence = SampleWindow.clamped(silence)
    }

    private static func clamped(_ value: Float) -> Float {
      value.isNaN
        ? varianceRange.lowerBound
        : min(max(value, varianceRange.lowerBound), varianceRange.upperBound)
    }
  }

  private var value: Double = 0
  /// The estimate's variance in dB²; 0 without an estimate.
  private var variance: Double = 0
  private var last: Int64 = 0
  private let processNoise: Float
  private let measurementNoise: Float
  private let drift: Float
  private let silence: UInt32

  /// Creates a filter without samples.
  package init(_ parameters: Parameters = Parameters()) {
    processNoise = parameters.processNoise
    measurementNoise = parameters.measurementNoise
    drift = parameters.drift
    silence = SampleWindow.length(parameters.silence)
  }

  /// Adds a report's RSSI in dBm.
  package mutating func add(_ rssi: Int8, at time: Timestamp) {
    guard rssi != 127 else { return }
    let noise = Double(measurementNoise)
    let elapsed = max(0, time.microseconds &- last)
    last = max(last, time.microseconds)
    guard variance > 0, elapsed < Int64(silence) else {
      value = Double(rssi)
      variance = noise
      return
    }
    let predicted = variance + Double(processNoise) + Double(drift) * Double(elapsed) / 1e6
    let gain = predicted / (predicted + noise)
    value += gain * (Double(rssi) - value)
    // The same as (1 − gain) · predicted, but never 0, however accurate the report is.
    variance = gain * noise
  }

  /// Returns the estimate; `nil` when nothing was received for as long as a sample counts.
  package mutating func estimate(at time: Timestamp) -> FilteredRSSI? {
    let elapsed = max(0, time.microseconds &- last)
    guard variance > 0, elapsed < Int64(silence) else {
      variance = 0
      return nil
    }
    let variance = variance + Double(drift) * Double(elapsed) / 1e6
    return FilteredRSSI(
      dBm: value,
      standardError: variance.squareRoot(),
      effectiveSamples: max(1, Double(measurementNoise) / variance)
    )
  }
}
