// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@Suite struct IntervalEstimateTests {
  /// Receives a beacon for a while and returns the learned interval in milliseconds.
  static func learned(
    interval: Int64,
    received: Double,
    seed: UInt64,
    reports: Int = 100
  ) -> Int64? {
    var random = SplitMix64(seed: seed)
    var estimate = IntervalEstimate()
    var time: Int64 = 1_600_000_000_000_000
    var count = 0
    while count < reports {
      // A beacon adds up to 10 ms of its own to every interval.
      time += interval * 1000 + Int64.random(in: 0...10_000, using: &random)
      guard Double.random(in: 0..<1, using: &random) < received else { continue }
      estimate.received(at: Timestamp(microseconds: time))
      count += 1
    }
    return estimate.interval.map { $0.microseconds / 1000 }
  }

  @Test(arguments: [Int64(20), 100, 350, 1000, 2000, 10_240])
  func `an interval is learned, also when a third of it is lost`(_ interval: Int64) {
    for seed in UInt64(0)..<20 {
      for received in [1, 0.67] {
        let learned = Self.learned(interval: interval, received: received, seed: seed)
        #expect(learned.map { $0 >= interval && $0 <= interval + 11 } == true, "seed \(seed)")
      }
    }
  }

  @Test func `when most is lost it stays within a few intervals`() {
    for seed in UInt64(0)..<50 {
      let learned = Self.learned(interval: 1000, received: 0.3, seed: seed)
      #expect(learned.map { $0 >= 1000 && $0 <= 4040 } == true, "seed \(seed)")
    }
  }

  @Test func `there is no interval before four gaps`() {
    #expect(Self.learned(interval: 100, received: 1, seed: 1, reports: 4) == nil)
    #expect(Self.learned(interval: 100, received: 1, seed: 1, reports: 5) != nil)
  }

  @Test func `repeats on other channels, silences and times that go back are no gaps`() {
    var estimate = IntervalEstimate()
    var time: Int64 = 5_000_000
    for second in 0..<12 {
      for micros in [0, 900, 2100, -400_000] {
        estimate.received(at: Timestamp(microseconds: time + Int64(micros)))
      }
      time += second == 5 ? 90_000_000 : 1_000_000
    }
    #expect(estimate.interval == .seconds(1))
    #expect(estimate.hold == .seconds(4))
  }

  @Test func `one burst does not pass for the interval and a new interval does`() {
    var estimate = IntervalEstimate()
    var time: Int64 = 0
    for gap in [500, 500, 500, 500, 500, 60, 440, 500, 500, 500] as [Int64] {
      estimate.received(at: Timestamp(microseconds: time))
      time += gap * 1000
    }
    #expect(estimate.interval.map { $0 >= .milliseconds(440) } == true)
    for _ in 0..<10 {
      estimate.received(at: Timestamp(microseconds: time))
      time += 100_000
    }
    #expect(estimate.interval == .milliseconds(100))
  }

  /// Gaps in milliseconds, and for how many seconds a beacon with these gaps is held.
  static let holds: [(gaps: [Int64], seconds: Double)] = [
    ([100, 100, 100, 100, 100], 3),
    ([100, 100, 1100, 100], 4.4),
    ([100, 2000, 100, 4000, 300], 5),
    ([2500, 2500, 2500, 2500], 7.5),
    ([900, 900, 900], 5),
  ]

  /// Row R19.
  @Test(arguments: holds)
  func `a silent beacon is held for longer the worse and the slower it is received`(
    _ gaps: [Int64],
    _ hold: Double
  ) {
    var estimate = IntervalEstimate()
    var time: Int64 = 0
    estimate.received(at: Timestamp(microseconds: time))
    for gap in gaps {
      time += gap * 1000
      estimate.received(at: Timestamp(microseconds: time))
    }
    #expect(estimate.hold == TimeSpan(seconds: hold))
    #expect(estimate.isHeld(silentFor: TimeSpan(seconds: hold)))
    #expect(!estimate.isHeld(silentFor: TimeSpan(seconds: hold + 0.001)))
  }

  @Test func `it fits in 32 bytes`() {
    #expect(MemoryLayout<IntervalEstimate>.stride <= 32)
  }
}
