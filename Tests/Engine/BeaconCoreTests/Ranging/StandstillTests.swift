// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct StandstillTests {
  /// A level far above the grid's lowest; its interval is ± 1.645 dB for a variance of one.
  static let level = 40.0

  static func shares(
    _ standstill: inout Standstill,
    seconds: ClosedRange<Int64>,
    at level: Double = level
  ) -> [Double] {
    seconds.map { standstill.share(at: level, variance: 1, lastReceived: $0 * 1_000_000) }
  }

  @Test(arguments: [Int64(0), 1_600_000_000, -7_000_000, 65_500])
  func `an error is halved between 40 s and 80 s`(_ start: Int64) {
    var standstill = Standstill()
    standstill.begin(at: start * 1_000_000)
    let shares = Self.shares(&standstill, seconds: start...(start + 100))
    #expect(shares[...40].allSatisfy { $0 == 1 })
    #expect(shares[60] == 40.0 / 60)
    #expect(shares[80...].allSatisfy { $0 == 0.5 })
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 >= $1 })
  }

  @Test func `half of the intervals are kept for days`() {
    var standstill = Standstill()
    standstill.begin(at: 0)
    let shares = Self.shares(&standstill, seconds: 0...200_000)
    #expect(shares.dropFirst(80).allSatisfy { $0 == 0.5 })
  }

  @Test func `a move starts it again, a level within the interval does not`() {
    var standstill = Standstill()
    standstill.begin(at: 0)
    _ = Self.shares(&standstill, seconds: 0...100)
    #expect(Self.shares(&standstill, seconds: 101...101, at: Self.level + 1.6) == [0.5])
    #expect(Self.shares(&standstill, seconds: 102...102, at: Self.level - 1.6) == [0.5])
    let away = Self.level + 1.7
    #expect(Self.shares(&standstill, seconds: 103...143, at: away).allSatisfy { $0 == 1 })
    #expect(Self.shares(&standstill, seconds: 144...144, at: away) == [40.0 / 41])
  }

  @Test func `a slow walk is not standing still`() {
    var standstill = Standstill()
    standstill.begin(at: 0)
    // At one decibel in twenty seconds the interval no longer contains a level after 33 s.
    let shares = (0..<600).map { second in
      standstill.share(
        at: 20 + Double(second) / 20,
        variance: 1,
        lastReceived: Int64(second) * 1_000_000
      )
    }
    #expect(shares.allSatisfy { $0 == 1 })
  }

  @Test func `silence is not standing still`() {
    var standstill = Standstill()
    standstill.begin(at: 0)
    let last = Self.shares(&standstill, seconds: 0...45)
    // Called repeatedly, without reports in between.
    for _ in 0..<100 {
      #expect(standstill.share(at: Self.level, variance: 1, lastReceived: 45_000_000) == last.last)
    }
  }

  @Test(arguments: [UInt64(1), 2])
  func `its share is always from a half to one`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var standstill = Standstill()
    for _ in 0..<10_000 {
      let time = Int64.random(in: .min ... .max, using: &random)
      if Int.random(in: 0..<20, using: &random) == 0 { standstill.begin(at: time) }
      let share = standstill.share(
        at: .random(in: 0...96, using: &random),
        variance: .random(in: 0.1...900, using: &random),
        lastReceived: time
      )
      #expect(share >= 0.5 && share <= 1)
    }
  }
}
