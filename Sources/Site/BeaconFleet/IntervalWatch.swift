// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Watches a beacon's advertising interval.
///
/// The gaps of an hour are counted in bins of 5 %. Where packets are lost independently, the single interval is the most
/// frequent gap, however many are lost. But a window that is wide enough for a fast beacon's jitter contains three and four
/// intervals immediately. So where many gaps are shorter than those of the window, the interval is looked for among them.
struct IntervalWatch: Sendable {
  /// An interval that changed, in seconds.
  struct Change: Equatable {
    var before: Double
    var after: Double
  }

  private var counts: [UInt16] = []
  private var sums: [Float] = []
  private var total = 0
  /// The first estimates, while the usual interval is unknown.
  private var first: [Double] = []
  /// The usual interval in seconds; `nil` while it is unknown.
  private(set) var usual: Double?
  /// The last estimate.
  private(set) var latest: Double?
  /// Estimates in succession that differ from the usual interval.
  private var different: [Double] = []
  private var alike = 0
  private(set) var change: Change?
  private var changedFor = 0

  private static let shortest = 0.02
  private static let binRatio = 1.05
  /// 170 bins of 5 % reach from 20 ms to 80 s.
  private static let bins = 170
  /// The logarithm of `binRatio`.
  private static let binWidth = 0.048_790_164_169_432
  /// Seven bins together are 40 % wide: the jitter of fast beacons stays inside, twice the interval outside.
  private static let window = 7
  /// Fewer single gaps are not enough.
  private static let fewest = 12
  /// Of all gaps, so many must be single ones; otherwise the counts are not an interval.
  private static let share = 0.12
  /// A device sends nothing within its interval: fewer shorter gaps, as a part of those in the window, came late or early.
  private static let shorter = 0.25
  /// The median of five hours is the usual interval.
  private static let learned = 5
  /// A change of more than a tenth in three hours in succession.
  private static let limit = 0.1
  private static let hours = 3
  /// After a week the new interval is the usual one.
  private static let adoptedAfter = 7 * 24

  /// The smaller of the usual interval and the last estimate, in seconds: no single beacon sends more often.
  var smallest: Double? {
    guard let usual else { return nil }
    return min(usual, latest ?? usual)
  }

  mutating func add(_ gap: TimeSpan) {
    let seconds = gap.seconds
    guard seconds >= Self.shortest, seconds < 60 else { return }
    if counts.isEmpty {
      counts = Array(repeating: 0, count: Self.bins)
      sums = Array(repeating: 0, count: Self.bins)
    }
    let bin = Int(DeterministicMath.log(seconds / Self.shortest) / Self.binWidth)
    guard bin >= 0, bin < Self.bins, counts[bin] < .max else { return }
    counts[bin] += 1
    sums[bin] += Float(seconds)
    total += 1
  }

  /// Ends an hour.
  mutating func endHour(isContested: Bool) {
    let estimate = isContested ? nil : estimate()
    for bin in counts.indices { (counts[bin], sums[bin]) = (0, 0) }
    total = 0
    guard let estimate else { return }
    latest = estimate
    guard let usual else {
      first.append(estimate)
      guard first.count >= Self.learned else { return }
      self.usual = first.sorted()[Self.learned / 2]
      return first.removeAll()
    }
    judge(estimate, usual)
  }

  private mutating func judge(_ estimate: Double, _ usual: Double) {
    if (estimate / usual - 1).magnitude <= Self.limit {
      different.removeAll()
      alike += 1
      if alike >= Self.hours { (change, changedFor) = (nil, 0) }
      return
    }
    alike = 0
    if let last = different.last, (estimate / last - 1).magnitude > Self.limit {
      different.removeAll()
    }
    different.append(estimate)
    guard different.count >= Self.hours else { return }
    different.removeFirst()
    change = Change(before: usual, after: estimate)
    changedFor += 1
    if changedFor >= Self.adoptedAfter {
      self.usual = estimate
      (change, changedFor) = (nil, 0)
    }
  }

  private func estimate() -> Double? {
    guard total >= Self.fewest else { return nil }
    var window = mostFrequent(below: Self.bins)
    while case let start = window.bins.lowerBound,
      case let shorter = counts[..<start].reduce(0, { $0 + Int($1) }),
      shorter > 0, Double(shorter) >= Self.shorter * Double(window.count)
    {
      window = mostFrequent(below: start)
    }
    guard window.count >= Self.fewest, Double(window.count) >= Self.share * Double(total) else {
      return nil
    }
    let sum = window.bins.reduce(into: 0.0) { $0 += Double(sums[$1]) }
    return sum / Double(window.count)
  }

  /// The window with the most gaps among the bins below one.
  private func mostFrequent(below end: Int) -> (bins: Range<Int>, count: Int) {
    var (best, bestCount) = (0, 0)
    var count = 0
    for bin in 0..<end {
      count += Int(counts[bin])
      if bin >= Self.window { count -= Int(counts[bin - Self.window]) }
      if count > bestCount { (best, bestCount) = (bin, count) }
    }
    return (max(0, best - Self.window + 1)..<best + 1, bestCount)
  }
}
