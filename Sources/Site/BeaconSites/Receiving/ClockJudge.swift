// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// How far a receiver's clock is from another one's.
package struct ClockOffset: Sendable, Equatable {
  /// The receiver, by its number in the inputs.
  package var receiver: Int
  /// The receiver whose clock counts as right.
  package var reference: Int
  /// How far the receiver's clock is ahead; negative if it is behind.
  package var offset: TimeSpan
}

/// A receiver whose clock is off by more than is found, or whose capture is of another time.
package struct ClockDoubt: Sendable, Equatable {
  /// The receiver, by its number in the inputs.
  package var receiver: Int
  /// A receiver that it does not agree with.
  package var reference: Int
  /// When it received something, if the others received nothing at any time in between; `nil` if they did.
  package var span: ClosedRange<Timestamp>?
}

/// Judges from packets that two receivers have in common how far their clocks are apart.
///
/// Both receive a packet at the same moment, so the difference of its two times is that of the clocks. Packets of the same
/// content are candidates: every pair of them votes for a difference. The true one gets a vote of each common packet within
/// a few milliseconds. A false one gets them spread, since a device waits a random time of up to 10 ms before each packet.
/// Where another difference has nearly as many votes, nothing is concluded.
package struct ClockJudge: Sendable {
  /// Clocks that are farther apart than this are off.
  package static let tolerance = TimeSpan.seconds(1)
  /// The largest difference that is found, in milliseconds.
  package static let longest = 30_000
  /// The width of a difference that gets a vote, in milliseconds.
  static let width = 2
  /// The fewest votes that a difference needs.
  static let fewestVotes: Int32 = 40
  /// How many times more votes than any other a difference needs.
  static let majority = 1.25
  /// Differences this near to the best one are no other ones, in milliseconds: a capture may round its times.
  static let nearby = 250
  /// Packets are compared for this long, then not until the next period starts.
  private static let (window, period) = (TimeSpan.seconds(120), TimeSpan.seconds(240))
  /// The most contents, and the most packets of one at one receiver, that are compared in a window.
  private static let (mostContents, mostPackets) = (16, 400)
  /// The most receivers that are compared, each with each.
  static let mostReceivers = 12

  /// The times of packets of one content in milliseconds, by receiver.
  private struct Content {
    var hash: UInt64
    var times: [[Int]]
  }

  /// The votes of two receivers.
  private struct Pair: Sendable {
    var first: Int
    var second: Int
    var votes = [Int32](repeating: 0, count: 2 * ClockJudge.longest / ClockJudge.width + 1)
    /// How many packets they have in common if their clocks agree, and each receives whatever the other one does.
    var expected = 0.0
  }

  private var contents: [Content] = []
  private var pairs: [Pair] = []
  private var windowStart: Timestamp?
  private var latest = Timestamp.earliest
  /// From the first to the last report of each receiver.
  private var spans = [ClosedRange<Timestamp>?](repeating: nil, count: ClockJudge.mostReceivers)

  package init() {}

  /// Adds a batch.
  package mutating func add(_ batch: ScanBatch) {
    for case .report(let report) in batch.inputs {
      let start = windowStart ?? report.time
      windowStart = start
      latest = max(latest, report.time)
      extend(Int(report.receiver), to: report.time)
      if latest - start > Self.period {
        compare()
        windowStart = latest
      } else if latest - start > Self.window {
        continue
      }
      note(report, batch)
    }
  }

  private mutating func extend(_ receiver: Int, to time: Timestamp) {
    guard receiver < Self.mostReceivers else { return }
    let span = spans[receiver] ?? time...time
    spans[receiver] = min(span.lowerBound, time)...max(span.upperBound, time)
  }

  private mutating func note(_ report: AdvertisingReport, _ batch: ScanBatch) {
    let receiver = Int(report.receiver)
    guard receiver < Self.mostReceivers, report.payloadCount > 0 else { return }
    let range = report.payloadRange
    guard range.upperBound <= batch.bytes.count else { return }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in batch.bytes[range] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var index = contents.firstIndex { $0.hash == hash }
    if index == nil, contents.count < Self.mostContents {
      contents.append(
        Content(hash: hash, times: Array(repeating: [], count: Self.mostReceivers))
      )
      index = contents.count - 1
    }
    guard let index, contents[index].times[receiver].count < Self.mostPackets else { return }
    contents[index].times[receiver].append(Int(report.time.microseconds / 1000))
  }

  /// Lets the packets of the window vote.
  private mutating func compare() {
    for content in contents {
      for second in content.times.indices where !content.times[second].isEmpty {
        for first in 0..<second where !content.times[first].isEmpty {
          let pair = index(of: first, second)
          pairs[pair].expected += Self.common(content.times[first], content.times[second])
          for time in content.times[first] {
            for other in content.times[second] where abs(other - time) <= Self.longest {
              pairs[pair].votes[(other - time + Self.longest) / Self.width] += 1
            }
          }
        }
      }
    }
    contents = []
  }

  private mutating func index(of first: Int, _ second: Int) -> Int {
    if let known = pairs.firstIndex(where: { $0.first == first && $0.second == second }) {
      return known
    }
    pairs.append(Pair(first: first, second: second))
    return pairs.count - 1
  }

  /// Returns the clocks that are off, by receiver; call it once, after everything was added.
  ///
  /// Of the receivers that have packets in common, the one in the middle counts as right; of two, the first one.
  package mutating func finish() -> [ClockOffset] {
    compare()
    let differences = pairs.compactMap { pair in
      Self.difference(pair.votes).map { (pair.first, pair.second, $0) }
    }
    var offsets = [Int?](repeating: nil, count: Self.mostReceivers)
    var found: [ClockOffset] = []
    for start in offsets.indices where offsets[start] == nil {
      offsets[start] = 0
      var group = [start]
      var next = 0
      while next < group.count {
        let known = group[next]
        next += 1
        for (first, second, difference) in differences {
          if first == known, offsets[second] == nil {
            offsets[second] = (offsets[known] ?? 0) + difference
            group.append(second)
          } else if second == known, offsets[first] == nil {
            offsets[first] = (offsets[known] ?? 0) - difference
            group.append(first)
          }
        }
      }
      found += Self.offsets(group.sorted(), offsets)
    }
    return found
  }

  private static func offsets(_ group: [Int], _ offsets: [Int?]) -> [ClockOffset] {
    let ordered = group.sorted { (offsets[$0] ?? 0, $0) < (offsets[$1] ?? 0, $1) }
    let middle = group.count == 2 ? group[0] : ordered[(ordered.count - 1) / 2]
    return group.compactMap { receiver in
      let difference = (offsets[receiver] ?? 0) - (offsets[middle] ?? 0)
      let offset = TimeSpan.milliseconds(Int64(difference))
      guard offset > tolerance || offset < .zero - tolerance else { return nil }
      return ClockOffset(receiver: receiver, reference: middle, offset: offset)
    }
  }

  /// Returns the difference that the votes agree on, in milliseconds; `nil` if they do not.
  private static func difference(_ votes: [Int32]) -> Int? {
    func score(_ index: Int) -> Int32 { votes[index - 1] + votes[index] + votes[index + 1] }
    let inner = 1..<votes.count - 1
    let best = inner.max { (score($0), votes[$0]) < (score($1), votes[$1]) }
    guard let best, score(best) >= fewestVotes else { return nil }
    let needed = Double(score(best)) / majority
    let distance = nearby / width
    for index in inner where abs(index - best) > distance && Double(score(index)) > needed {
      return nil
    }
    return best * width - longest
  }

  // MARK: Doubts

  /// Differences up to this show how many packets two receivers have in common, in milliseconds.
  private static let near = 5_000
  /// Packets that follow sooner are the same one, in milliseconds.
  private static let shortestInterval = 20
  /// Packets whose intervals scatter by more than this, in milliseconds, have no sharp difference: the host delays them.
  private static let largestScatter = 6.0
  /// The fewest packets in common to be expected, for a doubt if no difference is found.
  private static let fewestExpected = 80.0
  /// Of them, more have the right difference in spite of losses.
  private static let leastFound = 0.3
  /// From so many milliseconds on, the best difference can be next to a larger one; so many times more votes it then has than
  /// any near 0.
  private static let (outer, sharper) = (20_000, 1.5)

  /// Returns how many packets of one content two receivers have in common if their clocks agree; 0 if that is not known.
  private static func common(_ first: [Int], _ second: [Int]) -> Double {
    guard let spacing = interval(first), interval(second) != nil else { return 0 }
    var (count, start) = (0, 0)
    for time in first {
      while start < second.count, second[start] < time - near { start += 1 }
      var end = start
      while end < second.count, second[end] <= time + near { end += 1 }
      count += end - start
    }
    return Double(count * spacing) / Double(2 * near)
  }

  /// Returns the shortest interval of packets; `nil` for a few, and if intervals scatter.
  private static func interval(_ times: [Int]) -> Int? {
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 >= shortestInterval }
    guard let shortest = gaps.min() else { return nil }
    let singles = gaps.filter { 2 * $0 < 3 * shortest }.map(Double.init)
    guard singles.count >= 10 else { return nil }
    let mean = singles.reduce(0, +) / Double(singles.count)
    let square = singles.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(singles.count)
    return square <= largestScatter * largestScatter ? shortest : nil
  }

  /// Whether two receivers have no packets in common although they received the same ones: no difference has their votes, or the
  /// votes increase towards the largest difference.
  private static func isApart(_ pair: Pair) -> Bool {
    guard pair.expected >= fewestExpected, difference(pair.votes) == nil else { return false }
    let votes = pair.votes
    func score(_ index: Int) -> Int32 { votes[index - 1] + votes[index] + votes[index + 1] }
    var (best, most, center) = (0, Int32(0), Int32(0))
    for index in 1..<votes.count - 1 {
      let score = score(index)
      if score > most { (best, most) = (index * width - longest, score) }
      if abs(index * width - longest) <= near { center = max(center, score) }
    }
    if Double(most) < leastFound * pair.expected { return true }
    return abs(best) >= outer && Double(most) >= sharper * Double(center)
  }

  /// The receivers whose clocks are off by more than is found; ask after ``finish()``.
  ///
  /// Of two receivers that agree with no other one, the first one counts as right.
  package var doubts: [ClockDoubt] {
    let known = spans.indices.filter { spans[$0] != nil }
    guard known.count > 1 else { return [] }
    var doubts: [ClockDoubt] = []
    for receiver in known {
      guard let span = spans[receiver] else { continue }
      let others = known.filter { $0 != receiver }
      if let reference = others.first,
        others.allSatisfy({ spans[$0].map { !$0.overlaps(span) } ?? true })
      {
        doubts.append(ClockDoubt(receiver: receiver, reference: reference, span: span))
        continue
      }
      let own = pairs.filter { $0.first == receiver || $0.second == receiver }
      let apart = own.filter(Self.isApart)
      guard let pair = apart.first, !own.contains(where: { Self.difference($0.votes) != nil })
      else {
        continue
      }
      let reference = pair.first == receiver ? pair.second : pair.first
      doubts.append(ClockDoubt(receiver: receiver, reference: reference, span: nil))
    }
    // One of them is right, and it is not known which.
    if doubts.count == known.count { doubts.removeFirst() }
    return doubts
  }
}
