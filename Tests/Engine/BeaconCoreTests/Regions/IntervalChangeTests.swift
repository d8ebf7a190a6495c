// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// What happens to a learned exit time when a beacon changes its interval, or its statistics are in doubt (row G24).
@Suite struct IntervalChangeTests {
  private let learning = ExitLearning.standard
  private static let intervals = [0.1, 0.2, 1, 2, 5, 10.24]
  private static let losses = [0, 0.1, 0.3, 0.5]

  /// A false exit: when, and after which exit time.
  private struct Exit {
    var time: Double
    var exitTime: TimeSpan
  }

  /// Lets a beacon send for some time, and returns its false exits.
  private func exits(
    every interval: Double,
    loss: Double,
    for seconds: Double,
    seed: UInt64,
    _ intervals: inout ArrivalIntervals
  ) -> [Exit] {
    var beacon = LossyBeacon(interval: interval, received: 1 - loss, loss: .independent, seed: seed)
    var found: [Exit] = []
    while beacon.now < seconds {
      let gap = beacon.nextGap()
      let exitTime = intervals.exitTime(learning)
      if gap > exitTime.seconds { found.append(Exit(time: beacon.now, exitTime: exitTime)) }
      intervals.received(after: TimeSpan(seconds: gap), learning)
    }
    return found
  }

  @Test(.slow, arguments: intervals, losses)
  func `a beacon that changes its interval is left early once at most`(
    _ before: Double,
    _ loss: Double
  ) {
    for after in Self.intervals where after != before {
      for seed in UInt64(1)...2 {
        var intervals = ArrivalIntervals()
        _ = exits(every: before, loss: loss, for: 2400, seed: seed, &intervals)
        let early = exits(every: after, loss: loss, for: 1500, seed: seed + 100, &intervals)
          .filter { $0.exitTime < learning.cap }
        guard let first = early.first else { continue }
        // From then on the cap holds for ten minutes, whatever was lost.
        let soon = early.dropFirst().filter { $0.time < first.time + learning.hold.seconds }
        #expect(soon.isEmpty, "from \(before) to \(after) s, loss \(loss), seed \(seed)")
      }
    }
  }

  @Test(arguments: [(1.0, 5.0), (0.1, 2)])
  func `the new interval is explained once it is known`(_ before: Double, _ after: Double) {
    var intervals = ArrivalIntervals()
    _ = exits(every: before, loss: 0.5, for: 3600, seed: 1, &intervals)
    _ = exits(every: after, loss: 0.5, for: 1200, seed: 2, &intervals)
    #expect(abs((intervals.interval?.seconds ?? 0) - after) < 0.05)
  }

  @Test func `one long gap is doubted for ten minutes, then the learned time counts again`() {
    var intervals = ArrivalIntervals()
    for _ in 0..<7200 { intervals.received(after: .seconds(1), learning) }
    let learned = intervals.exitTime(learning)
    #expect(learned < .seconds(6))
    intervals.received(after: .seconds(7), learning)
    for _ in 0..<590 {
      intervals.received(after: .seconds(1), learning)
      #expect(intervals.exitTime(learning) == learning.cap)
    }
    for _ in 0..<60 { intervals.received(after: .seconds(1), learning) }
    #expect(intervals.isLearned)
    #expect((.seconds(7) ... .seconds(12)).contains(intervals.exitTime(learning)))
  }

  @Test func `a second long gap in these ten minutes starts the learning again`() {
    var intervals = ArrivalIntervals()
    for _ in 0..<7200 { intervals.received(after: .seconds(1), learning) }
    for _ in 0..<2 {
      intervals.received(after: .seconds(7), learning)
      for _ in 0..<30 { intervals.received(after: .seconds(1), learning) }
    }
    #expect(!intervals.isLearned)
    #expect(intervals.observed == .seconds(37))
    #expect(intervals.exitTime(learning) == learning.cap)
  }

  @Test func `after an absence the learned time counts from the first single interval on`() {
    var intervals = ArrivalIntervals()
    for _ in 0..<7200 { intervals.received(after: .seconds(1), learning) }
    let learned = intervals.exitTime(learning)
    intervals.received(after: .seconds(180), learning)
    #expect(intervals.exitTime(learning) == learning.cap)
    for _ in 0..<30 { intervals.received(after: .seconds(1), learning) }
    #expect(intervals.exitTime(learning) == learned)
  }

  @Test func `a beacon that is back with a longer interval is not left before its packets`() {
    var intervals = ArrivalIntervals()
    for _ in 0..<7200 { intervals.received(after: .seconds(1), learning) }
    intervals.received(after: .seconds(180), learning)
    let early = exits(every: 8, loss: 0.2, for: 3600, seed: 3, &intervals)
      .filter { $0.exitTime < learning.cap }
    #expect(early.isEmpty)
  }

  @Test func `late packets of a fast beacon are no longer interval`() {
    var intervals = ArrivalIntervals()
    var random = SplitMix64(seed: 4)
    var late = 0.0
    for _ in 0..<200_000 {
      let next = Double.random(in: 0..<0.1, using: &random)
      let lost = Bool.random(using: &random) ? 0.1 : 0
      intervals.received(after: TimeSpan(seconds: 0.1 + lost + next - late), learning)
      late = next
    }
    #expect(intervals.observed > .seconds(28_000))
    #expect(intervals.exitTime(learning) == learning.floor)
  }
}
