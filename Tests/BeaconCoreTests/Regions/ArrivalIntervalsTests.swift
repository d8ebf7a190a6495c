// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

/// The learned exit time: what it promises, and what it must not learn from.
@Suite struct ArrivalIntervalsTests {
  private let learning = ExitLearning.standard

  private func beacon(_ seconds: Double, every gap: Double) -> ArrivalIntervals {
    var intervals = ArrivalIntervals()
    for _ in 0..<Int(seconds / gap) { intervals.received(after: TimeSpan(seconds: gap), learning) }
    return intervals
  }

  @Test func `statistics are small, for there is one a beacon`() {
    #expect(MemoryLayout<ArrivalIntervals>.stride <= 48)
  }

  @Test func `without knowledge the exit time is the cap, and a steady beacon lowers it gradually`()
  {
    let times = [0.5, 30, 120, 600, 3600, 6 * 3600].map {
      beacon($0, every: 0.1).exitTime(learning).seconds
    }
    #expect(times.first == 30 && times.last == 3)
    #expect(times == times.sorted(by: >))
    #expect(times[3] < 15)
  }

  /// Row W3.
  @Test func `the interval is learned`() {
    let interval = beacon(60, every: 0.35).interval?.seconds ?? 0
    #expect(abs(interval - 0.35) < 0.001)
    #expect(ArrivalIntervals().interval == nil)
  }

  @Test func `neither an absence nor a second receiver's report counts as an interval`() {
    var intervals = beacon(600, every: 0.1)
    let before = intervals.exitTime(learning)
    intervals.received(after: .seconds(31), learning)
    intervals.received(after: .zero, learning)
    intervals.received(after: .milliseconds(3), learning)
    intervals.received(after: TimeSpan(microseconds: .max), learning)
    intervals.received(after: TimeSpan(microseconds: .min), learning)
    #expect(intervals.exitTime(learning) == before)
  }

  @Test func `a gap longer than the exit time raises it at once`() {
    var intervals = beacon(600, every: 0.1)
    let before = intervals.exitTime(learning)
    intervals.received(after: .seconds(20), learning)
    #expect(intervals.exitTime(learning) > .seconds(20))
    #expect(before < .seconds(15))
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

  @Test func `intervals that grow worse are followed within minutes`() {
    var intervals = beacon(6 * 3600, every: 0.1)
    var worse = LossyBeacon(interval: 0.1, received: 0.5, loss: .bursts, seed: 5)
    var falseExits = 0
    while worse.now < 600 {
      let gap = worse.nextGap()
      if gap > intervals.exitTime(learning).seconds { falseExits += 1 }
      intervals.received(after: TimeSpan(seconds: gap), learning)
    }
    #expect(intervals.exitTime(learning) >= .seconds(18))
    #expect(falseExits <= 12)
  }

  @Test func `intervals that grow better are followed within hours`() {
    var worse = LossyBeacon(interval: 0.1, received: 0.5, loss: .bursts, seed: 6)
    var intervals = ArrivalIntervals()
    while worse.now < 4 * 3600 {
      intervals.received(after: TimeSpan(seconds: worse.nextGap()), learning)
    }
    #expect(intervals.exitTime(learning) >= .seconds(24))
    for _ in 0..<36_000 { intervals.received(after: .milliseconds(100), learning) }
    #expect(intervals.exitTime(learning) <= .seconds(9))
  }

  @Test func `an aim out of range is brought into it`() {
    let wild = ExitLearning(falseExitsPerHour: .nan, floor: .seconds(-1), cap: .seconds(1 << 40))
    #expect(wild.falseExitsPerHour == 0.1)
    #expect(wild.floor == .milliseconds(100) && wild.cap == .seconds(60))
  }

  // MARK: The bar

  /// Hours simulated a cell; 200 or more make the bar's own table (`BEACON_TRIAL_HOURS=200`).
  private static let hours =
    ProcessInfo.processInfo.environment["BEACON_TRIAL_HOURS"].flatMap(Double.init) ?? 24

  /// The algorithm was tuned on seed 1000; these have tuned nothing.
  @Test(.slow, arguments: ExitTimingTrial.Cell.all)
  func `false exits and delay`(_ cell: ExitTimingTrial.Cell) {
    let trial = ExitTimingTrial(cell, hours: Self.hours, seed: 77_001)
    if Self.hours >= 200 { print(trial.row) }
    let best = trial.shortestFixed
    // In a short trial chance alone makes the bar uncertain by this much.
    let slack = Self.hours >= 200 ? 0 : 3 * (ExitTimingTrial.bar / Self.hours).squareRoot()
    if best <= 30 { #expect(trial.falseExitsPerHour <= ExitTimingTrial.bar + slack) }
    #expect(trial.falseExitsPerHour >= trial.falseExitsPerHour(fixed: 30))
    // Rare gaps are missing from a short trial, and the time to learn is a larger part of it.
    if Self.hours >= 200 { #expect(trial.medianDelay <= best + 2) }
    #expect(trial.medianDelay <= best + 5)
  }
}
