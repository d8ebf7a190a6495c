// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension FilteredRSSI {
  /// Returns the value with a receiver's offset in dB added.
  func shifted(by offset: Double) -> FilteredRSSI {
    offset == 0
      ? self
      : FilteredRSSI(
        dBm: dBm + offset,
        standardError: standardError,
        effectiveSamples: effectiveSamples
      )
  }

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
