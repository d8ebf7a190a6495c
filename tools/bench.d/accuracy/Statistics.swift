// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension [Double] {
  /// The mean; not a number if there is nothing.
  var mean: Double { reduce(0, +) / Double(count) }

  /// The root of the mean square deviation from the mean.
  var deviation: Double {
    let mean = mean
    return (reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)).squareRoot()
  }

  /// The root of the mean square.
  var rms: Double { (reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot() }

  /// The value below which a share of the sorted values lies, interpolated; not a number if there is nothing.
  func quantile(_ share: Double) -> Double {
    guard count > 1 else { return first ?? .nan }
    let place = share * Double(count - 1)
    let index = Swift.min(Int(place), count - 2)
    return self[index] + (place - Double(index)) * (self[index + 1] - self[index])
  }

  /// The middle of unsorted values.
  var median: Double { sorted().quantile(0.5) }
}
