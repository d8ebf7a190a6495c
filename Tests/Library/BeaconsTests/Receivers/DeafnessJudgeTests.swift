// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Beacons
import Testing

/// A kind of radio traffic, and the silence after which its receiver counts as deaf.
struct DeafnessRow: Sendable, CustomTestStringConvertible {
  struct Device: Sendable {
    var count = 1
    let every: Double
    var uuid: UInt128?
    var until = 40.0
  }

  let name: String
  let devices: [Device]
  /// The silence in seconds; `nil` if no silence is long enough.
  let deaf: ClosedRange<Double>?
  var testDescription: String { name }
}

struct DeafnessJudgeTests {
  private static let own: UInt128 = 1
  private static let other: UInt128 = 2

  static let rows = [
    DeafnessRow(
      name: "nothing was ever heard",
      devices: [],
      deaf: nil
    ),
    DeafnessRow(
      name: "the region's own beacons alone: silence is an exit",
      devices: [.init(count: 30, every: 0.1, uuid: own)],
      deaf: nil
    ),
    DeafnessRow(
      name: "own beacons and two telephones: a visitor may have carried all away",
      devices: [.init(count: 3, every: 0.1, uuid: own), .init(count: 2, every: 0.1)],
      deaf: nil
    ),
    DeafnessRow(
      name: "own beacons and three others, often heard: at the shortest silence",
      devices: [.init(count: 3, every: 0.1, uuid: own), .init(count: 3, every: 0.1)],
      deaf: 2.0...2.0
    ),
    DeafnessRow(
      name: "three others once a second: ln 10⁶ reports that did not come",
      devices: [.init(count: 3, every: 1)],
      deaf: 4.5...5.5
    ),
    DeafnessRow(
      name: "twelve others once a second",
      devices: [.init(count: 12, every: 1)],
      deaf: 2...2.3
    ),
    DeafnessRow(
      name: "one that shouts and two that whisper: the one may have left",
      devices: [.init(every: 0.01), .init(count: 2, every: 30)],
      deaf: nil
    ),
    DeafnessRow(
      name: "beacons of two owners: either may have left, not both",
      devices: [
        .init(count: 3, every: 0.2, uuid: own), .init(count: 3, every: 0.2, uuid: other),
      ],
      deaf: 2.0...2.0
    ),
    DeafnessRow(
      name: "those that left before were not silenced by the radio",
      devices: [.init(count: 5, every: 0.1, until: 35), .init(count: 1, every: 0.1)],
      deaf: nil
    ),
    DeafnessRow(
      name: "bursts ten seconds apart, as from a filter of duplicates",
      devices: [.init(count: 60, every: 10)],
      deaf: 19...21
    ),
  ]

  @Test(arguments: rows) func `silence is judged by what was received before`(_ row: DeafnessRow) {
    var judge = DeafnessJudge()
    Self.receive(row.devices, &judge)
    guard let range = row.deaf else {
      #expect(judge.nextDeadline == nil)
      #expect(Self.isDeaf(&judge, at: 41) == false)
      #expect(Self.isDeaf(&judge, at: 400) == false)
      return
    }
    // The last report came shortly before 40.
    let last = row.devices.map { ((40 / $0.every).rounded(.up) - 1) * $0.every }.max() ?? 0
    #expect(Self.isDeaf(&judge, at: last + range.lowerBound - 0.01) == false)
    #expect(Self.isDeaf(&judge, at: last + range.upperBound + 0.01) == true)
    // Only the current state counts: after the warning, nothing is known.
    #expect(judge.nextDeadline == nil)
    #expect(Self.isDeaf(&judge, at: last + range.upperBound + 1) == false)
  }

  private static func isDeaf(_ judge: inout DeafnessJudge, at seconds: Double) -> Bool {
    judge.timePassed(to: TestScan.at(seconds))
  }

  private static func receive(_ devices: [DeafnessRow.Device], _ judge: inout DeafnessJudge) {
    var reports: [(time: Double, address: UInt64, uuid: UInt128?)] = []
    var address: UInt64 = 0
    for device in devices {
      for _ in 0..<device.count {
        address += 1
        var count = 0.0
        while count * device.every < device.until {
          reports.append((count * device.every, address, device.uuid))
          count += 1
        }
      }
    }
    reports.sort { ($0.time, $0.address) < ($1.time, $1.address) }
    for report in reports {
      judge.received(
        from: DeviceAddress(report.address, kind: .random),
        uuid: report.uuid,
        at: TestScan.at(report.time)
      )
    }
  }

  @Test func `a listener that the timeline does not wait for is noticed when it loses elements`() {
    let scan = [
      DeafnessRow.Device(every: 0.1, uuid: Self.own),
      DeafnessRow.Device(count: 5, every: 0.2, uuid: Self.other),
    ]
    var judge = DeafnessJudge()
    Self.receive(scan, &judge)
    #expect(judge.nextDeadline == nil)
    judge = DeafnessJudge(uuids: [Self.own])
    Self.receive(scan, &judge)
    #expect(judge.nextDeadline != nil)
    judge = DeafnessJudge(uuids: [Self.own, Self.other])
    Self.receive(scan, &judge)
    #expect(judge.nextDeadline == nil)
  }

  @Test func `a flood of addresses neither changes known state nor uses memory`() {
    var judge = DeafnessJudge()
    for step in 0..<40_000 {
      let seconds = Double(step) / 1000
      let isOld = step % 10 < 5
      let address = isOld ? UInt64(step % 10) : UInt64(1000 + step)
      judge.received(
        from: DeviceAddress(address, kind: .random),
        uuid: nil,
        at: TestScan.at(seconds)
      )
    }
    #expect(judge.nextDeadline == TestScan.at(39.999) + judge.configuration.shortestSilence)
  }

  @Test func `a flood that was there first does not keep out those that stay`() {
    var judge = DeafnessJudge()
    for step in 0..<120_000 {
      let seconds = Double(step) / 1000
      // One report in 27 is of one of 20 devices that stay, twice a second each.
      let isOld = seconds > 1 && step % 27 == 0
      let address = isOld ? UInt64(step / 27 % 20) : UInt64(1000 + step)
      judge.received(
        from: DeviceAddress(address, kind: .random),
        uuid: nil,
        at: TestScan.at(seconds)
      )
    }
    #expect(judge.nextDeadline == TestScan.at(119.999) + judge.configuration.shortestSilence)
  }

  @Test func `a program that stood still does not judge silence`() {
    var judge = DeafnessJudge()
    Self.receive([.init(count: 5, every: 0.1)], &judge)
    #expect(judge.nextDeadline != nil)
    #expect(Self.isDeaf(&judge, at: 100) == false)
    #expect(judge.nextDeadline == nil)
  }

  @Test func `times that go back, and reports without an address, do no harm`() {
    var judge = DeafnessJudge()
    Self.receive([.init(count: 5, every: 0.1)], &judge)
    judge.received(from: nil, uuid: nil, at: TestScan.at(40))
    judge.received(from: DeviceAddress(1, kind: .random), uuid: nil, at: TestScan.at(3))
    #expect(judge.nextDeadline == TestScan.at(42))
    #expect(Self.isDeaf(&judge, at: 1) == false)
  }

  @Test func `no scan makes it trap`() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<50 {
      var judge = DeafnessJudge()
      for _ in 0..<400 {
        let time = Timestamp(microseconds: Int64.random(in: 0...200_000_000, using: &random))
        judge.received(
          from: DeviceAddress(UInt64.random(in: 0...90, using: &random), kind: .random),
          uuid: Bool.random(using: &random) ? UInt128.random(in: 0...3, using: &random) : nil,
          at: time
        )
        if let due = judge.nextDeadline, Int.random(in: 0...9, using: &random) == 0 {
          _ = judge.timePassed(to: due)
        }
      }
    }
  }
}
