// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// A delivered level is the mean of the reports, as the power that makers announce.
@Suite struct MeanLevelTests {
  /// Four reports a second around a level at each receiver; some of them are faded.
  ///
  /// - Parameter receivers: By how many dB each receiver receives less; the means are those of the first.
  private static func scan(
    seconds: Int,
    share: Double,
    depth: Int,
    seed: UInt64,
    receivers: [Int] = [0],
    level: (Int) -> Int = { _ in -70 }
  ) -> (scan: TestScan, means: [Double]) {
    var random = SplitMix64(seed: seed)
    var scan = TestScan()
    var means: [Double] = []
    for second in 0..<seconds {
      var sum = 0
      for part in 0..<4 {
        for (receiver, loss) in receivers.enumerated() {
          let isFaded = Double.random(in: 0..<1, using: &random) < share
          let noise = Int.random(in: -6...6, using: &random)
          let rssi = level(second) - (isFaded ? depth : 0) + noise
          if receiver == 0 { sum += rssi }
          scan.report(
            TestScan.beacon(1, 1),
            Int8(clamping: rssi - loss),
            at: Double(second) + Double(part) / 4 + 0.1,
            receiver: UInt8(receiver)
          )
        }
      }
      means.append(Double(sum) / 4)
    }
    return (scan, means)
  }

  private static func levels(_ scan: TestScan) -> [Double] {
    HeldProximityTests.ticks(scan).compactMap { $0?.filteredRSSI }
  }

  @Test(arguments: [(0.15, 12), (0.3, 10), (0, 0)])
  func `the level is the mean of the reports, however often they fade`(
    _ share: Double,
    _ depth: Int
  ) throws {
    let (scan, means) = Self.scan(seconds: 600, share: share, depth: depth, seed: 40)
    let levels = Self.levels(scan)
    try #require(levels.count >= 599)
    let delivered = levels.dropFirst(60).reduce(0, +) / Double(levels.count - 60)
    let mean = means.dropFirst(60).reduce(0, +) / Double(means.count - 60)
    #expect(abs(delivered - mean) < 0.4)
  }

  @Test(arguments: [[0, 0], [0, 20]])
  func `each of several receivers learns from its own reports`(_ receivers: [Int]) throws {
    let (scan, means) = Self.scan(
      seconds: 600,
      share: 0.3,
      depth: 10,
      seed: 42,
      receivers: receivers
    )
    let delivered = Self.levels(scan).dropFirst(120)
    let mean = means.dropFirst(120).reduce(0, +) / Double(delivered.count)
    #expect(abs(delivered.reduce(0, +) / Double(delivered.count) - mean) < 0.8)
  }

  @Test func `a body that blocks the signal for seconds does not change the mean for long`() throws
  {
    let (scan, _) = Self.scan(seconds: 121, share: 0, depth: 0, seed: 41) { second in
      (100..<110).contains(second) ? -80 : -70
    }
    #expect(try abs(#require(Self.levels(scan).last) + 70) < 1.5)
  }

  @Test func `what is learned is bounded`() {
    var offset = MeanOffset()
    #expect(abs(offset.decibels + 0.8) < 0.01)
    for _ in 0..<200 { offset.learn(-3, reports: 4) }
    #expect(abs(offset.decibels + 3) < 0.2)
    for _ in 0..<500 { offset.learn(-60, reports: 4) }
    #expect(offset.decibels >= -6)
    for _ in 0..<500 { offset.learn(60, reports: 1000) }
    #expect(offset.decibels <= 2 && offset.decibels > 1.8)
  }

  @Test func `a track that is ranged takes at most 512 bytes, with its row of a tick`() {
    #expect(MemoryLayout<Track>.stride <= 304)
    // The likelihoods are shared by all filters; a track on one receiver that satisfies one constraint owns no array.
    let key = MemoryLayout<TrackKey>.stride + 2 * MemoryLayout<Int32>.stride
    let row = MemoryLayout<RangedBeacon>.stride + MemoryLayout<NearestFirst.Entry>.stride
    #expect(MemoryLayout<Track>.stride + key + row <= 512)
  }
}
