// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension FilteredRSSI {
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
