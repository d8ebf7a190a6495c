// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension SampleWindow {
  /// Returns the mean of the samples without the given numbers of lowest and highest ones, with its error; `nil` if no
  /// sample would be left.
  @inline(__always)
  func trimmedMean(droppingLowest low: Int, highest high: Int) -> FilteredRSSI? {
    guard low >= 0, high >= 0, count &- low &- high > 0 else { return nil }
    // The RSSI of a beacon spans about thirty decibels within a few seconds.
    var few = [64 of UInt16](repeating: 0)
    if let mean = TrimmedMean(of: self, droppingLowest: low, highest: high, counting: &few) {
      return mean.estimate
    }
    var all = [256 of UInt16](repeating: 0)
    return TrimmedMean(of: self, droppingLowest: low, highest: high, counting: &all)?.estimate
  }
}

/// The mean of a window's samples without its lowest and highest ones, with its error.
///
/// RSSI is a whole number in a small range, so samples are counted rather than sorted; every sum is exact, and the
/// order of the samples does not matter.
private struct TrimmedMean {
  /// The number of all samples, and of those left.
  private let total, kept: Int
  /// The lowest and the highest level left; a level is an RSSI plus 128.
  private var floor = 255
  private var ceiling = 0
  /// The sum of the levels left, and of their squares.
  private var sum = 0
  private var squares = 0
  private let low, high: Int

  /// Computes the sums for the mean and its error; `nil` if the samples are too far apart for the counters.
  ///
  /// - Parameters:
  ///   - window: The samples, at least one more than are removed.
  ///   - low: How many samples to remove at the weak end.
  ///   - high: How many samples to remove at the strong end.
  ///   - counts: A counter for each level, modulo their number, all zero. Their number is a power of two; fewer take
  ///     less time to clear.
  @inline(__always)
  init?<let levels: Int>(
    of window: borrowing SampleWindow,
    droppingLowest low: Int,
    highest high: Int,
    counting counts: inout [levels of UInt16]
  ) {
    total = window.count
    kept = total &- low &- high
    (self.low, self.high) = (low, high)
    var (lowest, highest, sum, squares) = (255, 0, 0, 0)
    window.forEach { rssi in
      let level = Int(UInt8(bitPattern: rssi) ^ 0x80)
      counts[level & (levels &- 1)] &+= 1
      lowest = min(lowest, level)
      highest = max(highest, level)
      sum &+= level
      squares &+= level &* level
    }
    guard highest &- lowest < levels else { return nil }
    (self.sum, self.squares) = (sum, squares)
    floor = trim(low, from: lowest, by: 1, counts)
    ceiling = trim(high, from: highest, by: -1, counts)
  }

  /// Removes samples from one end and returns the outermost level that is left.
  @inline(__always)
  private mutating func trim<let levels: Int>(
    _ number: Int,
    from end: Int,
    by step: Int,
    _ counts: borrowing [levels of UInt16]
  ) -> Int {
    var (left, level) = (number, end)
    // The loop ends within the range: fewer samples are removed than there are.
    while left >= Int(counts[level & (levels &- 1)]) {
      let removed = Int(counts[level & (levels &- 1)])
      left &-= removed
      sum &-= removed &* level
      squares &-= removed &* level &* level
      level &+= step
    }
    sum &-= left &* level
    squares &-= left &* level &* level
    return level
  }

  /// The mean and its standard error.
  ///
  /// The error is Tukey and McLaughlin's for a trimmed mean: the deviation of the winsorized samples, divided by the
  /// share kept and by √n. The assumed deviation is mixed in, so that few samples never look accurate.
  @inline(__always)
  var estimate: FilteredRSSI {
    let deviation = FilteredRSSI.assumedDeviation
    let weight = FilteredRSSI.assumedDeviationWeight
    let winsorized = sum &+ low &* floor &+ high &* ceiling
    let winsorizedSquares = squares &+ low &* floor &* floor &+ high &* ceiling &* ceiling
    // n times the samples' squared deviations, n times the variance over it, and so on: in this form the result waits
    // for one division instead of three.
    let seen = Double(total &* winsorizedSquares &- winsorized &* winsorized)
    let (n, k) = (Double(total), Double(kept))
    let freedom = n - 1 + weight
    let scaled =
      seen + n * (weight * deviation * deviation + freedom * FilteredRSSI.roundingVariance)
    return FilteredRSSI(
      dBm: Double(sum &- kept &* 128) / k,
      standardError: (scaled / (freedom * k * k)).squareRoot(),
      effectiveSamples: k
    )
  }
}
