// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The samples of one beacon at one measured distance, for calibration.
///
/// Stand still at the distance, add every report, and read the ``verdict``. The level is the one that ranging would
/// deliver there: the most probable level under the model of the default filter (``SignalModel``), which includes
/// fades, and how far the mean of these reports is below it. So a power that was measured here and one that a maker
/// announces mean the same.
package struct CalibrationSession: Sendable {
  /// The distance from the beacon in meters.
  package let meters: Double
  /// The distribution of a report's RSSI around its level.
  package let model: SignalModel
  /// How many samples were added.
  package private(set) var count = 0

  /// The fewest samples for a level: twenty, or five seconds of a typical beacon.
  ///
  /// With fewer, the level of a beacon that scatters by 5 dB is less accurate than a decibel and a half.
  package static let fewestSamples = 20
  /// The largest spread in dB that is steady: the three advertising channels cause about 5.
  package static let steadySpread: Double = 6
  /// The standard error in dB from which a level is not used: 2 dB, a quarter of the distance.
  ///
  /// The spread does not decide by itself: the mean of many samples is known well, however much they scatter.
  package static let largestError: Double = 2
  /// The plausible levels in dBm at one meter, from the weakest setting of a beacon hidden by a body to the strongest.
  package static let plausiblePowers: ClosedRange<Double> =
    MeasuredPower.weakestPlausible...MeasuredPower.strongestPlausible
  /// The smallest and the largest distance in meters of a session.
  package static let distances: ClosedRange<Double> = 0.1...100

  /// How many samples had each RSSI; the index is the RSSI plus 128.
  private var counts = [Int](repeating: 0, count: 256)

  /// Starts a session at a distance; it is clamped into ``distances``, NaN becomes one meter.
  package init(at meters: Double = MeasuredPower.distance, model: SignalModel = .standard) {
    let known = meters.isNaN ? MeasuredPower.distance : meters
    self.meters = min(max(known, Self.distances.lowerBound), Self.distances.upperBound)
    self.model = model
  }

  /// Adds a report's RSSI in dBm; 127, which means "not available", is ignored.
  package mutating func add(_ rssi: Int8) {
    guard rssi != 127 else { return }
    counts[Int(rssi) &+ 128] &+= 1
    count &+= 1
  }

  /// The middle sample in dBm; `nil` without one.
  package var median: Double? {
    guard count > 0 else { return nil }
    return (rank(count &- 1) + rank(count)) / 2
  }

  /// Half the width of the middle two thirds of the samples, in dB: the standard deviation, without fades.
  package var spread: Double? {
    guard count > 0 else { return nil }
    return (rank(2 &* count &* 5 / 6) - rank(2 &* count / 6)) / 2
  }

  /// The standard error of the ``level`` in dB; `nil` without a sample.
  ///
  /// It is that of the model, or that of a mean of samples with this spread, whichever is larger.
  package var standardError: Double? {
    guard let level, let spread else { return nil }
    return max(level.standardError, spread / Double(count).squareRoot())
  }

  /// The RSSI at a rank of the ordered samples; the rank is given doubled.
  private func rank(_ twice: Int) -> Double {
    var left = min(max(twice / 2, 0), count &- 1)
    for (index, number) in counts.enumerated() {
      if left < number { return Double(index &- 128) }
      left &-= number
    }
    return 0
  }

  /// The level in dBm that ranging delivers for these samples, with its error; `nil` without a sample.
  ///
  /// It is computed on a grid of a tenth of a decibel around the median, as wide as a fade can have moved the median.
  package var level: FilteredRSSI? {
    guard let median else { return nil }
    let middle = Int(median * Self.tenths)
    let reach = Int(((model.deepestFade + model.deviation) * Self.tenths).rounded(.up))
    let logs = logLikelihoods(of: middle - reach...middle + reach)
    let most = logs.max() ?? 0
    var (sum, weightedSum, square) = (0.0, 0.0, 0.0)
    for (place, log) in logs.enumerated() {
      let (weight, offset) = (DeterministicMath.exp(log - most), Double(place - reach))
      sum += weight
      weightedSum += weight * offset
      square += weight * offset * offset
    }
    let mean = weightedSum / sum
    let spread = max(0, square / sum - mean * mean) / (Self.tenths * Self.tenths)
    let level = median + mean / Self.tenths
    var offset = MeanOffset()
    offset.learn(self.mean - level, reports: Int32(clamping: count))
    return FilteredRSSI(
      dBm: level + offset.decibels,
      standardError: (spread + FilteredRSSI.roundingVariance / Double(count)).squareRoot(),
      effectiveSamples: Double(count)
    )
  }

  /// The mean of the samples in dBm; 0 without one.
  private var mean: Double {
    let sum = counts.enumerated().reduce(0.0) { $0 + Double($1.element) * Double($1.offset &- 128) }
    return sum / Double(max(count, 1))
  }

  private static let tenths: Double = 10

  /// The logarithms of how likely each level makes all samples; levels in tenths of a decibel.
  private func logLikelihoods(of levels: ClosedRange<Int>) -> [Double] {
    let present = counts.indices.filter { counts[$0] > 0 }
    guard let weakest = present.first, let strongest = present.last else { return [] }
    let lowest = (weakest - 128) * 10 - levels.upperBound
    let highest = (strongest - 128) * 10 - levels.lowerBound
    // One row for all levels: only the distance between sample and level matters.
    let row = (lowest...highest).map { tenths in
      DeterministicMath.log(model.likelihood(above: Double(tenths) / Self.tenths))
    }
    return levels.map { level in
      present.reduce(0) { $0 + Double(counts[$1]) * row[($1 - 128) * 10 - level - lowest] }
    }
  }

  /// The power in dBm at one meter that follows from the level; `nil` without a sample.
  ///
  /// - Parameter exponent: The site's path loss exponent; at one meter it does not matter.
  /// - Returns: The power in dBm.
  package func measuredPower(exponent: Double = PathLoss.defaultExponent) -> Double? {
    level.map { level in
      let decades = DeterministicMath.log10(meters)
      return level.dBm + 10 * PathLoss.clampedExponent(exponent) * decades
    }
  }
}
