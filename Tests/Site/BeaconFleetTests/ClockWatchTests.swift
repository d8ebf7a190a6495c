// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFleet

/// Receivers that receive the same events, some of them with a clock that is wrong.
@Suite struct ClockWatchTests {
  /// What is found in an hour of events each 2 s, with what the clock of each receiver is ahead.
  private func found(_ ahead: [Double]) -> [(receiver: Int, seconds: Double?)] {
    var watch = ReceiverClockWatch()
    var events = ahead.map { _ in FleetBeacon.Event() }
    let stretches = ahead.map { _ in 0 }
    for step in 0..<100 {
      for (receiver, offset) in ahead.enumerated() {
        let time = TestScan.at(Double(step) * 2 + offset)
        events[receiver] = FleetBeacon.Event(time: time, stretch: 0)
        watch.add(receiver, time, events, stretches, interval: 2)
      }
    }
    let found = watch.endHour()
    // An hour knows nothing of the one before.
    #expect(watch.endHour().isEmpty)
    return found
  }

  @Test func `the clock that differs from most others is named, with how far it is ahead`() {
    #expect(found([0, 0.01, -0.01]).isEmpty)
    let one = found([0, 0.6, 0.01, 0])
    #expect(one.map(\.receiver) == [1])
    #expect(one.first?.seconds.map { abs($0 - 0.6) < 0.02 } == true, "\(one)")
    // Of two nobody knows which is right; whole intervals are not seen.
    #expect(found([0.5, 0]).map(\.receiver) == [1])
    #expect(found([2, 0, 0.01]).isEmpty)
  }

  @Test func `of as many receivers as are followed, the last one is compared with all`() {
    var clocks = Array(repeating: 0.0, count: FleetHealth.receiverLimit)
    clocks[63] = -0.7
    let last = found(clocks)
    #expect(last.map(\.receiver) == [63])
    #expect(last.first?.seconds.map { abs($0 + 0.7) < 0.02 } == true, "\(last)")
  }

  @Test func `a difference of half an interval has no mean`() {
    var watch = ReceiverClockWatch()
    let events = [FleetBeacon.Event(), FleetBeacon.Event(time: TestScan.at(0), stretch: 0)]
    for step in 0..<100 {
      watch.add(0, TestScan.at(step % 2 == 0 ? 0.98 : 1.02), events, [0, 0], interval: 2)
    }
    let off = watch.endHour()
    #expect(off.map(\.receiver) == [1] && off.first?.seconds == nil, "\(off)")
  }

  @Test func `events before a pause of a receiver are not compared`() {
    var watch = ReceiverClockWatch()
    let events = [
      FleetBeacon.Event(time: TestScan.at(0.6), stretch: 0),
      FleetBeacon.Event(time: TestScan.at(0), stretch: 0),
    ]
    for _ in 0..<100 { watch.add(1, TestScan.at(0), events, [1, 0], interval: 2) }
    #expect(watch.endHour().isEmpty)
    for _ in 0..<100 { watch.add(1, TestScan.at(0), events, [0, 0], interval: 2) }
    #expect(watch.endHour().map(\.receiver) == [1])
  }
}
