// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFleet

/// Advertising intervals from gaps, most of which are several intervals.
@Suite struct IntervalWatchTests {
  /// What is usual after six hours of a beacon of which a part of the packets is received.
  private func usual(_ interval: Double, received: Double, late: Double = 0) -> Double? {
    var random = SplitMix64(seed: 5)
    func unit() -> Double { Double(random.next() >> 11) / 0x1p53 }
    var watch = IntervalWatch()
    for _ in 0..<6 {
      var (time, last) = (0.0, 0.0)
      while time < 3600 {
        time += interval + unit() * 0.01
        guard unit() < received else { continue }
        let stamp = time + unit() * late
        watch.add(TimeSpan(seconds: stamp - last))
        last = stamp
      }
      watch.endHour(isContested: false)
    }
    return watch.usual
  }

  @Test(arguments: [0.1, 0.3, 1, 2, 5])
  func `the interval is a single one, however many packets are lost`(interval: Double) {
    for received in [1, 0.6, 0.3, 0.2, 0.15] {
      let usual = usual(interval, received: received)
      #expect(
        usual.map { abs($0 / (interval + 0.005) - 1) < 0.1 } == true,
        "\(received): \(usual ?? 0)"
      )
    }
  }

  @Test func `where too little is received, nothing is said`() {
    for received in [0.1, 0.07, 0.05] { #expect(usual(1, received: received) == nil) }
  }

  @Test func `a host that delays reports changes nothing`() {
    for received in [1, 0.6, 0.3] {
      let usual = usual(1, received: received, late: 0.15)
      #expect(usual.map { abs($0 - 1) < 0.12 } == true, "\(received): \(usual ?? 0)")
    }
  }

  @Test func `a beacon that is seldom received does not send at multiples of its interval`() {
    var watch = IntervalWatch()
    func hour(single: Int, double: Int) {
      for _ in 0..<single { watch.add(.seconds(10)) }
      for _ in 0..<double { watch.add(.seconds(20)) }
      watch.endHour(isContested: false)
    }
    for _ in 0..<6 { hour(single: 30, double: 20) }
    // Fewer single gaps than an estimate needs, but a device that sends each 20 s has none.
    for _ in 0..<6 { hour(single: 8, double: 14) }
    #expect(watch.usual == 10 && watch.change == nil)
    for _ in 0..<3 { hour(single: 0, double: 14) }
    #expect(watch.change == IntervalWatch.Change(before: 10, after: 20))
  }
}
