// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Compares the clocks of receivers by the events that two of them receive.
///
/// An event reaches all receivers at once. So the times that two receivers give to reports of a beacon differ by whole
/// intervals, unless one of the clocks is wrong.
struct ClockWatch: Sendable {
  /// What two receivers say of each other in an hour.
  private struct Pair {
    var alike = 0
    var different = 0
    /// The sum of the differences of the beacon with the longest interval, its count, and the interval.
    var sum = 0.0
    var count = 0
    var interval = 0.0
  }

  /// A pair of receivers, the smaller number first.
  private struct Key: Hashable, Comparable {
    let low: Int
    let high: Int

    static func < (one: Key, other: Key) -> Bool { (one.low, one.high) < (other.low, other.high) }
  }

  private var pairs: [Key: Pair] = [:]

  /// Only beacons with such an interval tell events apart in spite of a host's delays.
  private static let shortestInterval = 0.9
  /// A tenth of the interval is still the same event.
  private static let alike = 0.1
  /// Two events that are further apart are not compared: their delays add up.
  private static let furthest = 3.0
  /// Fewer comparisons in an hour say too little.
  private static let fewest = 40
  /// Of the comparisons, so many must differ.
  private static let share = 0.6

  /// Adds two reports of a beacon at two receivers.
  ///
  /// - Parameters:
  ///   - receiver: The first receiver.
  ///   - other: The other one.
  ///   - seconds: The time of the first receiver's report minus that of the other's.
  ///   - interval: The beacon's interval in seconds.
  mutating func add(_ receiver: Int, _ other: Int, _ seconds: Double, interval: Double) {
    guard interval >= Self.shortestInterval, seconds.magnitude <= Self.furthest * interval else {
      return
    }
    let folded = seconds - (seconds / interval).rounded() * interval
    let key = Key(low: min(receiver, other), high: max(receiver, other))
    var pair = pairs[key] ?? Pair()
    if folded.magnitude <= Self.alike * interval { pair.alike += 1 } else { pair.different += 1 }
    if interval > pair.interval * 1.1 { (pair.sum, pair.count, pair.interval) = (0, 0, interval) }
    if interval > pair.interval * 0.9 {
      pair.sum += receiver < other ? folded : -folded
      pair.count += 1
    }
    pairs[key] = pair
  }

  /// Ends an hour, and returns the receivers whose clocks differ from those of most others.
  ///
  /// The difference is in seconds, positive if the clock is ahead. It is known up to whole intervals.
  mutating func endHour() -> [(receiver: Int, seconds: Double)] {
    defer { pairs.removeAll(keepingCapacity: true) }
    var votes: [Int: (off: Int, all: Int)] = [:]
    var differences: [Int: Double] = [:]
    for (key, pair) in pairs.sorted(by: { $0.key < $1.key })
    where pair.alike + pair.different >= Self.fewest {
      let isOff = Double(pair.different) >= Self.share * Double(pair.alike + pair.different)
      for receiver in [key.low, key.high] {
        votes[receiver, default: (0, 0)].all += 1
        guard isOff else { continue }
        votes[receiver, default: (0, 0)].off += 1
        let mean = pair.count > 0 ? pair.sum / Double(pair.count) : 0
        differences[receiver] = receiver == key.low ? mean : -mean
      }
    }
    // Most of its pairs differ; of two receivers alone nobody knows which is wrong, and the second one is named.
    let off = votes.filter { 2 * $0.value.off > $0.value.all }.keys.sorted()
    let named = off.count == 2 && votes.count == 2 ? [off[1]] : off
    return named.map { ($0, differences[$0] ?? 0) }
  }
}
