// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// The learned exit time: what it promises, and what it must not learn from.
@Suite struct ArrivalIntervalsTests {
  private let learning = ExitLearning.standard

  private func beacon(_ seconds: Double, every gap: Double) -> ArrivalIntervals {
    var intervals = ArrivalIntervals()
    for _ in 0..<Int(seconds / gap) { intervals.received(after: TimeSpan(seconds: gap), learning) }
    return intervals
  }

  /// Lets a beacon send, and counts the false exits after the time in which nothing is learned.
  private func falseExits(
    of beacon: inout LossyBeacon,
    _ intervals: inout ArrivalIntervals,
    hours: Double,
    after start: Double = 600
  ) -> Int {
    var number = 0
    let end = beacon.now + hours * 3600
    let begin = beacon.now + start
    while beacon.now < end {
      let gap = beacon.nextGap()
      if gap > intervals.exitTime(learning).seconds, beacon.now > begin { number += 1 }
      intervals.received(after: TimeSpan(seconds: gap), learning)
    }
    return number
  }

  @Test func `statistics are small, for there is one a beacon`() {
    #expect(MemoryLayout<ArrivalIntervals>.stride <= 184)
  }

  @Test func `for ten minutes the cap holds, then a steady beacon is believed by degrees`() {
    let times = [0.5, 30, 590, 700, 3600, 43_200].map {
      beacon($0, every: 0.1).exitTime(learning).seconds
    }
    #expect(times[...2] == [30, 30, 30])
    #expect(times[3] < 10 && times.last == 3)
    #expect(times == times.sorted(by: >))
  }

  /// Row W3.
  @Test func `the interval is learned`() {
    let interval = beacon(60, every: 0.35).interval?.seconds ?? 0
    #expect(abs(interval - 0.35) < 0.001)
    #expect(ArrivalIntervals().interval == nil)
  }

  @Test func `an absence and a simultaneous second receiver teach nothing`() {
    var intervals = beacon(800, every: 0.1)
    let before = intervals.exitTime(learning)
    intervals.received(after: .seconds(31), learning)
    intervals.received(after: .zero, learning)
    intervals.received(after: .milliseconds(3), learning)
    intervals.received(after: TimeSpan(microseconds: .max), learning)
    intervals.received(after: TimeSpan(microseconds: .min), learning)
    #expect(before.seconds - intervals.exitTime(learning).seconds < 0.01)
  }

  @Test(arguments: LossyBeacon.Loss.allCases, [UInt64(1), 2, 3])
  func `last report plus exit time never moves back`(_ loss: LossyBeacon.Loss, _ seed: UInt64) {
    var beacon = LossyBeacon(interval: 0.35, received: 0.5, loss: loss, seed: seed)
    var intervals = ArrivalIntervals()
    var due = 0.0
    while beacon.now < 4 * 3600 {
      intervals.received(after: TimeSpan(seconds: beacon.nextGap()), learning)
      let next = beacon.now + intervals.exitTime(learning).seconds
      // The gaps are counted in whole milliseconds.
      #expect(next >= due - 0.001)
      due = next
    }
  }

  // MARK: The promise

  @Test(arguments: [0.1, 0.35, 1, 2, 3, 4, 5, 6, 7.5, 8, 10.24, 12, 15])
  func `a beacon of which no packet is lost is never left`(_ interval: Double) {
    for seed in UInt64(1)...3 {
      var beacon = LossyBeacon(interval: interval, received: 1, loss: .independent, seed: seed)
      var intervals = ArrivalIntervals()
      let hours = interval < 1 ? 2.0 : 12
      #expect(falseExits(of: &beacon, &intervals, hours: hours, after: 0) == 0)
      #expect(intervals.exitTime(learning).seconds > interval)
    }
  }

  @Test(arguments: [(0.35, 0.5), (1, 0.9), (1, 0.5), (2, 0.8), (3, 0.9), (5, 0.98), (5, 0.9)])
  func `a beacon of which packets are lost is left no more often than promised`(
    _ interval: Double,
    _ received: Double
  ) {
    var number = 0
    let hours = interval < 1 ? 24.0 : 48
    for seed in UInt64(11)...14 {
      var beacon = LossyBeacon(
        interval: interval,
        received: received,
        loss: .independent,
        seed: seed
      )
      var intervals = ArrivalIntervals()
      number += falseExits(of: &beacon, &intervals, hours: hours)
    }
    #expect(Double(number) <= 0.1 * hours * 4)
  }

  @Test(arguments: [(0.1, 5.0), (0.35, 10.24), (1, 8)])
  func `a beacon that sends more slowly is left once`(_ fast: Double, _ slow: Double) {
    var day = LossyBeacon(interval: fast, received: 1, loss: .independent, seed: 4)
    var night = LossyBeacon(interval: slow, received: 1, loss: .independent, seed: 5)
    var intervals = ArrivalIntervals()
    #expect(falseExits(of: &day, &intervals, hours: 2, after: 0) == 0)
    #expect(falseExits(of: &night, &intervals, hours: 6, after: 0) == 1)
    #expect(abs((intervals.interval?.seconds ?? 0) - slow) < 0.01)
    // The next day and evening it is known.
    #expect(falseExits(of: &day, &intervals, hours: 2, after: 0) == 0)
    #expect(falseExits(of: &night, &intervals, hours: 2, after: 0) == 0)
  }

  @Test func `reception that grows worse is followed at once`() {
    var intervals = beacon(6 * 3600, every: 0.1)
    var worse = LossyBeacon(interval: 0.1, received: 0.5, loss: .bursts, seed: 5)
    #expect(falseExits(of: &worse, &intervals, hours: 1, after: 0) <= 2)
    #expect(intervals.exitTime(learning) >= .seconds(18))
  }

  @Test func `reception that grows better is followed when the old gaps are forgotten`() {
    var worse = LossyBeacon(interval: 1, received: 0.5, loss: .bursts, seed: 6)
    var intervals = ArrivalIntervals()
    _ = falseExits(of: &worse, &intervals, hours: 4)
    #expect(intervals.exitTime(learning) >= .seconds(20))
    for _ in 0..<(36 * 3600) { intervals.received(after: .seconds(1), learning) }
    #expect(intervals.exitTime(learning) <= .seconds(4))
  }

  @Test func `a cap that is too short is known, and one that suffices is not blamed`() {
    var slow = LossyBeacon(interval: 10.24, received: 0.5, loss: .independent, seed: 7)
    var intervals = ArrivalIntervals()
    _ = falseExits(of: &slow, &intervals, hours: 3)
    #expect(intervals.needsLongerCap)
    let share = intervals.receivedShare(learning) ?? 0
    #expect(abs(share - 0.5) < 0.1)
    for (interval, received) in [(1, 0.5), (5, 0.9), (3, 0.8), (10.24, 1)] {
      var beacon = LossyBeacon(
        interval: interval,
        received: received,
        loss: .independent,
        seed: 8
      )
      var intervals = ArrivalIntervals()
      _ = falseExits(of: &beacon, &intervals, hours: 6)
      #expect(!intervals.needsLongerCap, "\(interval) s, \(received)")
    }
  }

  @Test(arguments: LossyBeacon.Loss.allCases)
  func `saved and restored it goes on as if it had never been`(_ loss: LossyBeacon.Loss) throws {
    var beacon = LossyBeacon(interval: 2, received: 0.7, loss: loss, seed: 9)
    var whole = ArrivalIntervals()
    var pieces = ArrivalIntervals()
    let identity = RegionHarness.beacon(1)
    for number in 0..<40_000 {
      let gap = TimeSpan(seconds: beacon.nextGap())
      whole.received(after: gap, learning)
      pieces.received(after: gap, learning)
      if number.isMultiple(of: 997) {
        pieces = try #require(ArrivalIntervals(pieces.saved(of: identity), learning))
      }
    }
    #expect(whole.isLearned)
    #expect(whole.saved(of: identity) == pieces.saved(of: identity))
  }

  @Test func `an aim out of range is brought into it`() {
    let wild = ExitLearning(
      falseExitsPerHour: .nan,
      floor: .seconds(-1),
      cap: .seconds(1 << 40),
      hold: .zero
    )
    #expect(wild.falseExitsPerHour == 0.1)
    #expect(wild.floor == .milliseconds(100) && wild.cap == .seconds(60))
    #expect(wild.hold == .seconds(10))
  }
}
