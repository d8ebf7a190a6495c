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
  static let longest = 30_000
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
  }

  private var contents: [Content] = []
  private var pairs: [Pair] = []
  private var windowStart: Timestamp?
  private var latest = Timestamp.earliest

  package init() {}

  /// Adds a batch.
  package mutating func add(_ batch: ScanBatch) {
    for case .report(let report) in batch.inputs {
      let start = windowStart ?? report.time
      windowStart = start
      latest = max(latest, report.time)
      if latest - start > Self.period {
        compare()
        windowStart = latest
      } else if latest - start > Self.window {
        continue
      }
      note(report, batch)
    }
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
}
