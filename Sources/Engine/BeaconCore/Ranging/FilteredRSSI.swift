// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The result of a filter.
package struct FilteredRSSI: Sendable, Hashable {
  /// The filtered signal strength in dBm; always finite.
  package let dBm: Double
  /// The standard error of ``dBm`` in dB: the error of the filter itself, without that of the surroundings; always
  /// above 0.
  ///
  /// It includes the possibility that a walk has just started; proximity zones use it.
  package let standardError: Double
  /// The standard error in dB, given how long the beacon has evidently stood still: at most ``standardError``.
  ///
  /// The interval of a distance uses it.
  package let settledError: Double
  /// The number of independent samples that would give the same accuracy; at least 1 for every filter that averages.
  package let effectiveSamples: Double

  /// The standard deviation of one report's RSSI in dB, assumed until a filter has measured another.
  ///
  /// Even if beacon and receiver both stand still indoors, the RSSI varies by 3 to 6 dB, because each advertisement is
  /// sent on three channels that fade independently.
  package static let assumedDeviation: Double = 5

  /// How many samples the assumption ``assumedDeviation`` counts for, relative to the measured ones.
  ///
  /// Three, one for each advertising channel: with fewer, two equal samples would look certain; with many more, the
  /// samples of a short window would hardly count.
  package static let assumedDeviationWeight: Double = 3

  /// The variance in dB² that rounding to whole dBm adds to every sample: one twelfth of a squared step.
  package static let roundingVariance: Double = 1.0 / 12

  /// Creates a filtered value; without a settled error, that of a filter that does not detect standing still.
  @inlinable
  package init(
    dBm: Double,
    standardError: Double,
    effectiveSamples: Double,
    settledError: Double? = nil
  ) {
    self.dBm = dBm
    self.standardError = standardError
    self.effectiveSamples = effectiveSamples
    self.settledError = settledError ?? standardError
  }

  /// Returns the value with a receiver's offset in dB added; its error does not change.
  @inlinable
  package func shifted(by decibels: Double) -> FilteredRSSI {
    FilteredRSSI(
      dBm: dBm + decibels,
      standardError: standardError,
      effectiveSamples: effectiveSamples,
      settledError: settledError
    )
  }
}

extension FilteredRSSI {
  /// Returns the stronger of two receivers' values, or their mean if they agree within their errors.
  func ofShorterPath(with other: FilteredRSSI) -> FilteredRSSI {
    let difference = dBm - other.dBm
    let variance = standardError * standardError + other.standardError * other.standardError
    let reach = DistanceEstimate.intervalDeviations
    if difference * difference <= reach * reach * variance { return combined(with: other) }
    return difference > 0 ? self : other
  }

  /// Returns the mean of two receivers' values, each with the weight of its samples.
  func combined(with other: FilteredRSSI) -> FilteredRSSI {
    let samples = effectiveSamples + other.effectiveSamples
    let (mine, its) = (effectiveSamples / samples, other.effectiveSamples / samples)
    func error(_ first: Double, _ second: Double) -> Double {
      (mine * mine * first * first + its * its * second * second).squareRoot()
    }
    return FilteredRSSI(
      dBm: mine * dBm + its * other.dBm,
      standardError: error(standardError, other.standardError),
      effectiveSamples: samples,
      settledError: error(settledError, other.settledError)
    )
  }
}
