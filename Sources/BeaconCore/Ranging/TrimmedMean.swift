// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The mean of a window's samples without its lowest and highest ones, and how sure it is.
///
/// RSSI is a whole number in a small range, so samples are counted rather than sorted; every sum is exact, and the
/// order in which samples came cannot matter.
struct TrimmedMean {
  /// How often each RSSI occurs; the index is the RSSI plus 128.
  private var counts = [256 of UInt16](repeating: 0)
  private var lowest = 255
  private var highest = 0
  private var sum = 0
  private var squares = 0
  private let total: Int

  /// Counts a window's samples.
  @inline(__always)
  init(of window: borrowing SampleWindow) {
    total = window.count
    var (counts, lowest, highest) = ([256 of UInt16](repeating: 0), 255, 0)
    var (sum, squares) = (0, 0)
    window.forEach { rssi in
      let level = Int(UInt8(bitPattern: rssi) ^ 0x80)
      counts[level] &+= 1
      lowest = min(lowest, level)
      highest = max(highest, level)
      sum &+= level
      squares &+= level &* level
    }
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
    while left >= Int(counts[level & 255]) {
      let taken = Int(counts[level & 255])
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
