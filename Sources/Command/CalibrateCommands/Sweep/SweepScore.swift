// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The results of one set of constants on a recording without a known truth: how calm it is, how quick, and how often
/// right.
///
/// The mean RSSI of a beacon from 10 s before a time to 10 s after it stands for the truth. No filter can know it at that
/// time, so the delay that makes both fit best is the lag, and another nearest beacon than by these means is wrong.
struct SweepScore {
  /// At most so many beacons are followed; further ones are left out.
  static let beaconLimit = 256
  /// The longest lag that is looked for, in seconds.
  private static let longestLag = 20
  /// Half of the span of the mean, in seconds.
  private static let halfSpan = 10
  /// For how long a beacon counts as present, in seconds.
  private static let presence = TimeSpan.seconds(5)
  /// At most so many seconds of a recording are compared with the mean, evenly spread.
  private static let mostCompared = 20_000

  /// Seconds that were delivered.
  private(set) var seconds = 0
  /// How many beacons were left out.
  private(set) var ignored = 0
  private var flips = 0
  private var changes = 0
  private var (present, unknown) = (0, 0)
  private var nearest: BeaconIdentity?
  private var delivered: [(second: Int, nearest: Int)] = []
  private var numbers: [BeaconIdentity: Int] = [:]
  private var trails: [Trail] = []
  private let exponent: Double

  /// Creates the score of an engine with a path loss.
  init(_ pathLoss: PathLoss) {
    exponent = pathLoss.exponent ?? PathLoss.defaultExponent
  }

  /// One beacon over the recording.
  private struct Trail {
    var proximity = Proximity.unknown
    /// The power in dBm at one meter that follows from the first distance.
    var power: Double?
    /// The levels delivered.
    var levels: [(second: Int, dBm: Double)] = []
    /// Sums and numbers of all RSSI up to a second, for each second that has some.
    private var sums: [(second: Int, sum: Double, count: Int)] = []

    mutating func add(_ rssi: Double, count: Int, at second: Int) {
      let before = sums.last ?? (second, 0, 0)
      sums.append((second, before.sum + rssi * Double(count), before.count + count))
    }

    /// The mean RSSI in dBm about a second, if any.
    func level(at second: Int) -> Double? {
      let (start, end) = (sum(to: second - halfSpan), sum(to: second + halfSpan))
      let count = end.count - start.count
      return count > 0 ? (end.sum - start.sum) / Double(count) : nil
    }

    private func sum(to second: Int) -> (sum: Double, count: Int) {
      var (low, high) = (0, sums.count)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle].second <= second { low = middle + 1 } else { high = middle }
      }
      return low > 0 ? (sums[low - 1].sum, sums[low - 1].count) : (0, 0)
    }
  }

  // MARK: A run

  /// Counts a second as it was delivered, nearest beacon first.
  mutating func add(_ beacons: [RangedBeacon], at time: Timestamp) {
    seconds += 1
    let second = Int(time.microseconds / 1_000_000)
    for beacon in beacons {
      guard let number = number(of: beacon.identity) else {
        ignored += 1
        continue
      }
      if time - beacon.lastReceived <= Self.presence {
        present += 1
        if beacon.distance == nil { unknown += 1 }
      }
      count(beacon, number, at: second)
    }
    guard let first = beacons.first, first.distance != nil, let number = numbers[first.identity]
    else { return }
    if let nearest, nearest != first.identity { changes += 1 }
    nearest = first.identity
    delivered.append((second, number))
  }

  private mutating func number(of identity: BeaconIdentity) -> Int? {
    if let known = numbers[identity] { return known }
    guard trails.count < Self.beaconLimit else { return nil }
    numbers[identity] = trails.count
    trails.append(Trail())
    return trails.count - 1
  }

  private mutating func count(_ beacon: RangedBeacon, _ number: Int, at second: Int) {
    let before = trails[number].proximity
    if before != .unknown, beacon.proximity != .unknown, before != beacon.proximity { flips += 1 }
    if beacon.proximity != .unknown { trails[number].proximity = beacon.proximity }
    if let rssi = beacon.rssi {
      trails[number].add(rssi, count: beacon.reports - Int(beacon.unmeasured), at: second)
    }
    guard let level = beacon.filteredRSSI, let meters = beacon.distance?.meters, meters > 0 else {
      return
    }
    trails[number].levels.append((second, level))
    if trails[number].power == nil {
      trails[number].power = level + 10 * exponent * DeterministicMath.log10(meters)
    }
  }

  // MARK: The result

  /// The results on a recording.
  struct Result {
    /// Changes of a zone, and of the nearest beacon, a minute.
    let flips, changes: Double
    /// The share of the seconds in which another beacon is the nearest by the means, in percent.
    let wrong: Double
    /// The share of the seconds without a distance, of those in which a beacon was received within 5 s, in percent.
    let unknown: Double
    /// The delay in seconds that makes levels and means fit best.
    let lag: Int

    private var measures: [Double] { [flips, changes, wrong, unknown, Double(lag)] }

    /// Whether another result is at least as good in everything, and better in something.
    func isBeaten(by other: Result) -> Bool {
      let pairs = zip(other.measures, measures)
      return pairs.allSatisfy { $0 <= $1 } && pairs.contains { $0 < $1 }
    }
  }

  /// The result; `nil` if no beacon had a distance.
  var result: Result? {
    guard !delivered.isEmpty else { return nil }
    let minutes = Double(seconds) / 60
    return Result(
      flips: Double(flips) / minutes,
      changes: Double(changes) / minutes,
      wrong: wrong,
      unknown: present > 0 ? 100 * Double(unknown) / Double(present) : 0,
      lag: lag
    )
  }

  private var wrong: Double {
    var (count, all) = (0, 0)
    for index in stride(from: 0, to: delivered.count, by: delivered.count / Self.mostCompared + 1) {
      let (second, number) = delivered[index]
      var best: (number: Int, level: Double)?
      for (number, trail) in trails.enumerated() {
        guard let power = trail.power, let level = trail.level(at: second) else { continue }
        if level - power > best?.level ?? -.infinity { best = (number, level - power) }
      }
      guard let best else { continue }
      all += 1
      if best.number != number { count += 1 }
    }
    return all > 0 ? 100 * Double(count) / Double(all) : 0
  }

  private var lag: Int {
    var errors = [(sum: Double, count: Int)](repeating: (0, 0), count: Self.longestLag + 1)
    let all = trails.reduce(0) { $0 + $1.levels.count }
    for trail in trails {
      for index in stride(from: 0, to: trail.levels.count, by: all / Self.mostCompared + 1) {
        let (second, dBm) = trail.levels[index]
        // Every delay is judged by the same seconds.
        guard trail.level(at: second - Self.longestLag) != nil else { continue }
        for lag in errors.indices {
          guard let level = trail.level(at: second - lag) else { continue }
          errors[lag].sum += (dBm - level) * (dBm - level)
          errors[lag].count += 1
        }
      }
    }
    let means = errors.map { $0.count > 0 ? $0.sum / Double($0.count) : .infinity }
    return means.indices.min { means[$0] < means[$1] } ?? 0
  }
}
