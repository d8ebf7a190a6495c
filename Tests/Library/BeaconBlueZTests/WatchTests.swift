// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import Foundation
import Testing

struct WatchTests {
  static let start = Timestamp(microseconds: 1_800_000_000_000_000)

  // MARK: The wall clock

  @Test(arguments: [0, 1_700_000_000, 1_720_000_000, 1_800_000_000])
  func `the offset from UTC is that of the machine's zone`(_ seconds: Int64) {
    let date = Date(timeIntervalSince1970: Double(seconds))
    #expect(
      WallClock.utcOffset(at: Timestamp(microseconds: seconds * 1_000_000))
        == .seconds(Int64(TimeZone.current.secondsFromGMT(for: date)))
    )
  }

  @Test func `steps are reported and slewing is not`() {
    var watch = WallClockWatch()
    var wall = Self.start
    var found: [TimeSpan] = []
    for second in 0..<200 {
      let now = Self.start + .seconds(Int64(second))
      #expect(watch.isDue(at: now))
      #expect(second == 0 || !watch.isDue(at: now - .milliseconds(1)))
      // A time server slews by up to half a millisecond a second; two steps are made as well.
      wall = now + .milliseconds(Int64(second) / 2)
      if second >= 50 { wall = wall + .seconds(3600) }
      if second >= 100 { wall = wall - .seconds(7200) }
      if let step = watch.compare(wall: wall, before: now, after: now) { found.append(step) }
    }
    #expect(found.count == 2)
    #expect(found.first.map { ($0 - .seconds(3600)).seconds.magnitude < 0.01 } == true)
    #expect(found.last.map { ($0 + .seconds(7200)).seconds.magnitude < 0.01 } == true)
  }

  @Test func `a thread that was interrupted between the clocks reports no step`() {
    var watch = WallClockWatch()
    let now = Self.start
    #expect(watch.compare(wall: now, before: now, after: now) == nil)
    let late = now + .seconds(5)
    #expect(watch.compare(wall: now + .seconds(1), before: now + .seconds(1), after: late) == nil)
    let next = late + .seconds(1)
    #expect(watch.compare(wall: next, before: next, after: next) == nil)
  }

  // MARK: The duplicate filter

  /// Returns the first verdict on devices that are received in turn, each at an interval.
  private func verdict(
    devices: Int,
    every interval: TimeSpan,
    for count: Int
  ) -> DuplicateFilterWatch.Verdict? {
    var watch = DuplicateFilterWatch()
    for round in 0..<count {
      for device in 0..<devices {
        let offset = TimeSpan(
          microseconds: interval.microseconds * Int64(round) + Int64(device) * 1000
        )
        if let verdict = watch.received(UInt64(device), at: Self.start + offset) { return verdict }
      }
    }
    return nil
  }

  /// Row B1.
  @Test(arguments: [9000, 10_240, 10_500, 12_800])
  func `one report in each scan shows the filter`(_ milliseconds: Int64) {
    #expect(verdict(devices: 1, every: .milliseconds(milliseconds), for: 5) == .limited)
    #expect(verdict(devices: 6, every: .milliseconds(milliseconds), for: 2) == .limited)
  }

  @Test(arguments: [20, 100, 1000, 5000, 8000, 20_000])
  func `any other interval does not show it`(_ milliseconds: Int64) {
    #expect(verdict(devices: 3, every: .milliseconds(milliseconds), for: 10) == .unlimited)
  }

  @Test func `few intervals are not enough`() {
    #expect(verdict(devices: 1, every: .milliseconds(10_250), for: 4) == nil)
    #expect(verdict(devices: 1000, every: .milliseconds(10_250), for: 1) == nil)
  }
}
