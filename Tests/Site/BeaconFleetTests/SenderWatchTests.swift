// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconFleet

/// Two devices that send one identity, and what only looks like it.
@Suite struct SenderWatchTests {
  private struct Gaps {
    var watch = SenderWatch()
    var last: Double?
    var previous: Double?
    var minute: Int64 = 0
    let interval: Double
    /// The minute in which the contest was found.
    var found: Int64?

    init(_ interval: Double) { self.interval = interval }

    mutating func add(_ time: Double) {
      while Double(minute + 1) * 60 <= time { endMinute() }
      if let last, time - last > SenderWatch.oneEvent {
        watch.add(time - last, after: previous, interval: interval)
        previous = time - last
      }
      if last.map({ time - $0 > SenderWatch.oneEvent }) ?? true { last = time }
    }

    private mutating func endMinute() {
      watch.endMinute(minute)
      if minute % 60 == 59 { watch.endHour(minute) }
      if found == nil, watch.isContested(in: minute) { found = minute }
      minute += 1
    }
  }

  /// The times at which a device sends.
  private static func events(
    _ interval: Double,
    from: Double = 0,
    until: Double,
    received: Double = 1,
    seed: UInt64
  ) -> [Double] {
    var random = SplitMix64(seed: seed)
    func unit(_ random: inout SplitMix64) -> Double { Double(random.next() >> 11) / 0x1p53 }
    var times: [Double] = []
    var time = from + unit(&random) * interval
    while time < until {
      if unit(&random) < received { times.append(time + unit(&random) * 0.008) }
      time += interval + unit(&random) * 0.01
    }
    return times
  }

  private func found(_ times: [Double], interval: Double) -> Int64? {
    var gaps = Gaps(interval)
    for time in times.sorted() { gaps.add(time) }
    return gaps.found
  }

  @Test(.slow, arguments: [0.5, 1, 5, 10.24])
  func `a copy with the same interval and address is found`(
    interval: Double
  ) throws {
    // Slow beacons have fewer events.
    let end = 7200 + 7200 * interval
    for seed in 1...3 as ClosedRange<UInt64> {
      let one = Self.events(interval + 0.005, until: 7200, received: 0.6, seed: seed)
      #expect(found(one, interval: interval + 0.005) == nil)
      let copy = Self.events(
        interval + 0.005,
        from: 7200,
        until: end,
        received: 0.6,
        seed: seed + 50
      )
      let original = Self.events(interval + 0.005, until: end, received: 0.6, seed: seed)
      let minute = try #require(found(original + copy, interval: interval + 0.005), "\(interval) s")
      #expect(minute >= 120, "\(interval) s, minute \(minute)")
    }
  }

  @Test(arguments: [0.5, 0.25, 0.3, 0.7]) func `a beacon that sends more often is no copy`(
    factor: Double
  ) {
    for seed in 1...5 as ClosedRange<UInt64> {
      let before = Self.events(1, until: 7200, received: 0.7, seed: seed)
      let after = Self.events(factor, from: 7200, until: 14_400, received: 0.7, seed: seed + 9)
      #expect(found(before + after, interval: 1.005) == nil, "\(factor), \(seed)")
    }
  }

  @Test func `events that come late, alone or in bursts, are no copy`() {
    var random = SplitMix64(seed: 3)
    for rough in [0.02, 0.1, 0.3] {
      var times = Self.events(1, until: 40_000, received: 0.8, seed: 4)
      for index in times.indices {
        times[index] += Double(random.next() % 1000) / 1000 * rough
        // Each hundredth is delivered a second late, with those after it.
        if index % 100 == 0 { times[index] += 1.3 }
      }
      #expect(found(times, interval: 1.005) == nil, "\(rough) s")
    }
  }

  /// One beacon at 0.45 s, carried past twelve receivers for ten minutes at a time.
  @Test(.enabled(if: ProjectFiles.data != nil, "no ../shared/data and no $BEACON_DATA"))
  func `real tracks of one beacon are no contest`() throws {
    let folder = try #require(ProjectFiles.data).appending(path: "tetam-tracks")
    var receptions = 0
    for track in 1...5 {
      let file = folder.appending(path: "straight_0\(track)_all_sensors.mbd")
      let text = try String(contentsOf: file, encoding: .utf8)
      var receivers: [Substring: [Double]] = [:]
      for line in text.split(whereSeparator: \.isNewline) {
        let fields = line.split(separator: ",")
        guard fields.count > 3, let time = Double(fields[0]) else { continue }
        receivers[fields[1], default: []].append(time)
        receptions += 1
      }
      for (receiver, times) in receivers {
        let first = times.min() ?? 0
        // An hour of a plain beacon first, so that early events are unusual.
        let plain = Self.events(0.45, until: 3600, seed: 1)
        let real = times.map { $0 - first + 3700 }
        #expect(found(plain + real, interval: 0.455) == nil, "\(track) at \(receiver)")
      }
    }
    #expect(receptions > 7000)
  }

  @Test func `an address that rotates does not come back, and two that alternate do`() {
    var watch = SenderWatch()
    watch.addReturn()
    watch.endMinute(1)
    #expect(!watch.isContested(in: 1))
    for minute in 2...4 as ClosedRange<Int64> {
      watch.addReturn()
      watch.addReturn()
      watch.endMinute(minute)
    }
    #expect(watch.evidence(in: 4) == [.twoAddresses])
    // A day later it is over.
    #expect(!watch.isContested(in: 4 + 1440))
  }
}
