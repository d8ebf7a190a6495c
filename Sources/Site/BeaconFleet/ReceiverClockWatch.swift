// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Compares the clocks of receivers by the events that two of them receive.
///
/// An event reaches all receivers together. So the times that two receivers give to reports of a beacon differ by whole
/// intervals, unless one of the clocks is wrong.
struct ReceiverClockWatch: Sendable {
  /// The comparisons of two receivers in an hour.
  private struct Pair {
    var alike = 0
    var different = 0
    /// The sum of the differences of the beacon with the longest interval, its count, and the interval.
    var sum = 0.0
    var squares = 0.0
    var count = 0
    var interval = 0.0

    /// Adds the time of the receiver with the smaller number minus that of the other one, in seconds.
    mutating func add(_ difference: Double, interval: Double) {
      let folded = difference - (difference / interval).rounded() * interval
      if folded.magnitude <= ReceiverClockWatch.alike * interval {
        alike += 1
      } else {
        different += 1
      }
      if interval > self.interval * 1.1 {
        (sum, squares, count, self.interval) = (0, 0, 0, interval)
      }
      if interval > self.interval * 0.9 {
        sum += folded
        squares += folded * folded
        count += 1
      }
    }

    /// The mean difference; `nil` if the differences lie around half an interval, ahead and behind.
    var mean: Double? {
      guard count > 0 else { return nil }
      let mean = sum / Double(count)
      let deviation = max(0, squares / Double(count) - mean * mean).squareRoot()
      return deviation <= ReceiverClockWatch.largestDeviation * interval ? mean : nil
    }
  }

  /// The pairs of receivers by their numbers; those with the same larger number stand together.
  ///
  /// Each report is compared with those of all other receivers, so a table that is looked up would cost most of the time.
  private var pairs: [Pair] = []

  /// Only beacons with such an interval tell events apart in spite of a host's delays.
  private static let shortestInterval = 0.9
  /// A tenth of the interval is still the same event.
  private static let alike = 0.1
  /// The largest standard deviation of differences that have a mean, in intervals: any differences have 0.29.
  private static let largestDeviation = 0.2
  /// Two events that are further apart are not compared: their delays add up.
  private static let furthest = 3.0
  /// Fewer comparisons in an hour are not enough.
  private static let fewest = 40
  /// Of the comparisons, so many must differ.
  private static let share = 0.6

  /// The position of a pair, and how many pairs there are with smaller numbers.
  private static func index(_ low: Int, _ high: Int) -> Int { high * (high - 1) / 2 + low }

  /// Compares a report with the last ones of the beacon at the other receivers.
  ///
  /// - Parameters:
  ///   - receiver: The receiver of the report.
  ///   - time: The time of the report.
  ///   - events: When each receiver received the beacon last, in which stretch of listening.
  ///   - stretches: The present stretch of each receiver.
  ///   - interval: The beacon's interval in seconds.
  mutating func add(
    _ receiver: Int,
    _ time: Timestamp,
    _ events: [FleetBeacon.Event],
    _ stretches: [Int],
    interval: Double
  ) {
    guard interval >= Self.shortestInterval else { return }
    let highest = max(receiver, events.count - 1)
    while pairs.count < Self.index(0, highest + 1) { pairs.append(Pair()) }
    for other in events.indices where other != receiver {
      guard let last = events[other].time, events[other].stretch == stretches[other] else {
        continue
      }
      let seconds = (time - last).seconds
      guard seconds.magnitude <= Self.furthest * interval else { continue }
      let difference = other > receiver ? seconds : -seconds
      let pair = Self.index(min(receiver, other), max(receiver, other))
      pairs[pair].add(difference, interval: interval)
    }
  }

  /// Ends an hour, and returns the receivers whose clocks differ from those of most others.
  ///
  /// The difference is in seconds, positive if the clock is ahead. It is known up to whole intervals; `nil` if it is not known.
  mutating func endHour() -> [(receiver: Int, seconds: Double?)] {
    defer { pairs.removeAll(keepingCapacity: true) }
    var votes: [Int: (off: Int, all: Int)] = [:]
    var differences: [Int: Double] = [:]
    for (low, high, pair) in compared {
      let isOff = Double(pair.different) >= Self.share * Double(pair.alike + pair.different)
      for receiver in [low, high] {
        votes[receiver, default: (0, 0)].all += 1
        guard isOff else { continue }
        votes[receiver, default: (0, 0)].off += 1
        guard let mean = pair.mean else { continue }
        differences[receiver] = receiver == low ? mean : -mean
      }
    }
    // Most of its pairs differ; of two receivers the wrong one cannot be determined, and the second one is named.
    let off = votes.filter { 2 * $0.value.off > $0.value.all }.keys.sorted()
    let named = off.count == 2 && votes.count == 2 ? [off[1]] : off
    return named.map { ($0, differences[$0]) }
  }

  /// The receivers that were compared often enough in the hour.
  var comparedReceivers: Set<Int> { Set(compared.flatMap { [$0.low, $0.high] }) }

  /// The pairs that were compared often enough, by the smaller number and then the larger one.
  private var compared: [(low: Int, high: Int, pair: Pair)] {
    let receivers = FleetHealth.receiverLimit
    return (0..<receivers).flatMap { low in
      (low + 1..<receivers).compactMap { high in
        let index = Self.index(low, high)
        guard index < pairs.count else { return nil }
        let pair = pairs[index]
        return pair.alike + pair.different >= Self.fewest ? (low, high, pair) : nil
      }
    }
  }
}
