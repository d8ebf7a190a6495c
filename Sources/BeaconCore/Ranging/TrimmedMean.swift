// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension SampleWindow {
  /// Returns the mean of the samples without the given numbers of lowest and highest ones; `nil` when nothing would be
  /// left.
  @inline(__always)
  func trimmedMean(droppingLowest low: Int, highest high: Int) -> FilteredRSSI? {
    // What is heard of a beacon in a few seconds spans some thirty decibels.
    if let mean = TrimmedMean<64>(of: self) {
      return mean.estimate(droppingLowest: low, highest: high)
    }
    return TrimmedMean<256>(of: self)?.estimate(droppingLowest: low, highest: high)
  }
}

/// The mean of a window's samples without its lowest and highest ones, and how sure it is.
///
/// RSSI is a whole number in a small range, so samples are counted rather than sorted; every sum is exact, and the
/// order in which samples came cannot matter. How many levels are told apart is a power of two: 256 suit all samples
/// there can be, fewer suit samples that lie closer together and are sooner emptied.
struct TrimmedMean<let levels: Int> {
  /// How often each RSSI occurs; the index is the RSSI plus 128, modulo the number of levels.
  private var counts = [levels of UInt16](repeating: 0)
  private var lowest = 255
  private var highest = 0
  private var sum = 0
  private var squares = 0
  private let total: Int

  /// Counts a window's samples; `nil` when they lie too far apart for the levels there are.
  @inline(__always)
  init?(of window: borrowing SampleWindow) {
    total = window.count
    var (counts, lowest, highest) = ([levels of UInt16](repeating: 0), 255, 0)
    var (sum, squares) = (0, 0)
    window.forEach { rssi in
      let level = Int(UInt8(bitPattern: rssi) ^ 0x80)
      counts[level & (levels &- 1)] &+= 1
      lowest = min(lowest, level)
      highest = max(highest, level)
      sum &+= level
      squares &+= level &* level
    }
    guard highest &- lowest < levels else { return nil }
    self.counts = counts
    (self.lowest, self.highest) = (lowest, highest)
    (self.sum, self.squares) = (sum, squares)
  }

  /// Returns the mean without the given numbers of lowest and highest samples; `nil` when nothing would be left.
  ///
  /// The standard error is Tukey and McLaughlin's for a trimmed mean: the deviation of the winsorized samples over
  /// the share kept and √n, here with the assumed deviation mixed in, so that few samples never look sure.
  @inline(__always)
  consuming func estimate(droppingLowest low: Int, highest high: Int) -> FilteredRSSI? {
    let kept = total &- low &- high
    guard low >= 0, high >= 0, kept > 0 else { return nil }
    let floor = trim(low, from: lowest, by: 1)
    let ceiling = trim(high, from: highest, by: -1)
    let deviation = FilteredRSSI.assumedDeviation
    let weight = FilteredRSSI.assumedDeviationWeight
    let winsorized = sum &+ low &* floor &+ high &* ceiling
    let winsorizedSquares = squares &+ low &* floor &* floor &+ high &* ceiling &* ceiling
    let n = Double(total)
    let seen = Double(total &* winsorizedSquares &- winsorized &* winsorized) / n
    let variance =
      (seen + weight * deviation * deviation) / (n - 1 + weight) + FilteredRSSI.roundingVariance
    return FilteredRSSI(
      dBm: Double(sum &- kept &* 128) / Double(kept),
      standardError: (variance * n).squareRoot() / Double(kept),
      effectiveSamples: Double(kept)
    )
  }

  /// Takes samples off one end and returns the outermost level that is left.
  @inline(__always)
  private mutating func trim(_ number: Int, from end: Int, by step: Int) -> Int {
    var (left, level) = (number, end)
    // Ends before the range does: fewer samples are taken than there are.
    while left >= Int(counts[level & (levels &- 1)]) {
      let taken = Int(counts[level & (levels &- 1)])
      left &-= taken
      sum &-= taken &* level
      squares &-= taken &* level &* level
      level &+= step
    }
    sum &-= left &* level
    squares &-= left &* level &* level
    return level
  }
}
