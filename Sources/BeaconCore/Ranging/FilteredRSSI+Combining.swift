// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension FilteredRSSI {
  /// Returns the mean of two receivers' values, each with the weight of its samples.
  func combined(with other: FilteredRSSI) -> FilteredRSSI {
    let samples = effectiveSamples + other.effectiveSamples
    let (mine, its) = (effectiveSamples / samples, other.effectiveSamples / samples)
    let variance =
      mine * mine * standardError * standardError
      + its * its * other.standardError * other.standardError
    return FilteredRSSI(
      dBm: mine * dBm + its * other.dBm,
      standardError: variance.squareRoot(),
      effectiveSamples: samples
    )
  }
}
