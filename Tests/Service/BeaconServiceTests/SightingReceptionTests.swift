// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Synchronization
import Testing

@testable import BeaconService

struct SightingReceptionTests {
  private static let uuid = "00000000-0000-0000-0000-000000000001"
  private static let start = Timestamp(microseconds: 1_767_323_045_000_000)

  private static func stamp(_ seconds: Int64) -> String {
    RFC3339.string(start + .seconds(seconds))
  }

  /// A second's line with one beacon.
  private static func second(_ seconds: Int64, _ reports: Int, _ mean: String) -> [UInt8] {
    let beacon =
      #"{"uuid":"\#(uuid)","major":1,"minor":2,"receiver":"hci0","reports":\#(reports),"mean_rssi":\#(mean),"power":-59}"#
    return Array(
      #"{"v":1,"type":"sightings","t":"\#(stamp(seconds))","beacons":[\#(beacon)],"other_reports":0}"#
        .utf8
    )
  }

  private static func receiver(_ state: String, _ seconds: Int64) -> [UInt8] {
    Array(
      #"{"v":1,"type":"receiver","t":"\#(stamp(seconds))","receiver":"hci0","state":"\#(state)"}"#
        .utf8
    )
  }

  private static func levels(_ batch: ScanBatch) -> [AdvertisingReport] {
    batch.inputs.compactMap { if case .level(let level) = $0 { level } else { nil } }
  }

  private static func states(_ batch: ScanBatch) -> [RadioState] {
    batch.inputs.compactMap { if case .radio(_, let state, _) = $0 { state } else { nil } }
  }

  @Test func `a sum becomes as many levels of its mean, in its second`() throws {
    var reception = SightingReception()
    #expect(reception.reached == nil)
    reception.receive(Self.receiver("listening", -100))
    reception.receive(Self.second(1, 7, "-60.43"))
    let batch = reception.drain(after: Self.start)
    let levels = Self.levels(batch)
    #expect(levels.count == 7)
    let sum = levels.map { Int($0.rssi ?? 0) }.reduce(0, +)
    #expect(abs(Double(sum) / 7 + 60.43) < 0.08)
    #expect(levels.allSatisfy { $0.time > Self.start && $0.time < Self.start + .seconds(1) })
    #expect(levels.map(\.time) == levels.map(\.time).sorted())
    // The service as a receiver is gone, and hci0 listened before.
    #expect(Self.states(batch) == [.listening, .gone])
    #expect(batch.upTo == Self.start + .seconds(1))
    #expect(reception.receiverNames == ["service:", "hci0"])
    #expect(reception.drain(after: Self.start + .seconds(1)).inputs.isEmpty)
  }

  /// Law L3 and row P6: the report that ends a receiver's deafness, or its being off, may be a beacon's.
  @Test func `every account reads the same of a receiver, whether it receives or not`() {
    func shown(_ inputs: [ScanInput]) -> [RadioReport] {
      let news = Mutex<[RadioReport]>([])
      var watch = RadioWatch { item in
        if case .radio(_, _, let forEveryone) = item { news.withLock { $0 = forEveryone } }
      }
      for input in [.radio(receiver: 0, .listening, Self.start)] + inputs + [
        .mark(Self.start + .seconds(99))
      ] {
        _ = watch.add(ScanBatch(inputs: [input]), receivers: ["hci0"])
      }
      return news.withLock { $0 }
    }
    func at(_ second: Int64) -> Timestamp { Self.start + .seconds(second) }
    let listening = [RadioReport(name: "hci0", state: .listening, since: Self.start)]
    let off = [RadioReport(name: "hci0", state: .off, since: at(20))]
    #expect(shown([]) == listening)
    #expect(
      shown([.radio(receiver: 0, .deaf, at(9)), .radio(receiver: 0, .listening, at(12))])
        == listening
    )
    #expect(shown([.radio(receiver: 0, .off, at(20))]) == off)
    let report = AdvertisingReport(
      time: at(30),
      rssi: -60,
      receiver: 0,
      payloadStart: 0,
      payloadCount: 0
    )
    #expect(
      shown([
        .radio(receiver: 0, .off, at(20)), .radio(receiver: 0, .listening, at(30)), .report(report),
      ]) == off
    )
    #expect(
      shown([.radio(receiver: 0, .off, at(20)), .radio(receiver: 0, .listening, at(30))])[0].state
        == .listening
    )
  }

  /// Law L3 and row P6: the first report may be a beacon's.
  @Test
  func `a receiver without a state listens, and its first report changes nothing`() {
    let news = Mutex<[[RadioReport]]>([])
    var watch = RadioWatch { item in
      if case .radio(_, let reports, _) = item { news.withLock { $0.append(reports) } }
    }
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 8)
    _ = watch.add(ScanBatch(), receivers: ["hci0"])
    _ = watch.add(scan.inOrder, receivers: ["hci0"])
    let unknown = RadioReport(name: "hci0", state: .listening, since: Timestamp(microseconds: 0))
    #expect(news.withLock { $0 } == [[unknown]])
    // A state that comes after all has its time.
    var stated = ScanBatch()
    stated.inputs.append(.radio(receiver: 0, .listening, TestScan.at(9)))
    _ = watch.add(stated, receivers: ["hci0"])
    #expect(news.withLock { $0.last?.first?.since } == TestScan.at(9))
  }

  /// Row P13.
  @Test func `a second without a line was not listened to`() {
    var reception = SightingReception()
    reception.receive(Self.receiver("listening", 0))
    for seconds in [1, 2, 4] as [Int64] { reception.receive(Self.second(seconds, 1, "-60")) }
    let batch = reception.drain(after: Self.start)
    #expect(Self.states(batch) == [.listening, .gone, .gone, .listening])
    let gone = batch.inputs.filter { if case .radio(1, .gone, _) = $0 { true } else { false } }
    #expect(gone.map(\.time) == [Self.start + .seconds(2)])
    let again = batch.inputs.last { if case .radio = $0 { true } else { false } }
    #expect(again?.time == Self.start + .seconds(3))
  }

  @Test func `no input is earlier than what was given, nor later than the line that is reached`() {
    var reception = SightingReception()
    reception.receive(Self.receiver("listening", 0))
    reception.receive(Self.second(1, 2, "-60"))
    // Ahead of the second that contains it.
    reception.receive(Self.receiver("deaf", 2))
    var last = Self.start
    var seen: [RadioState] = []
    for seconds in [2, 1, 3] as [Int64] {
      reception.receive(Self.second(seconds, 3, "null"))
      let batch = reception.drain(after: last)
      #expect(batch.inputs.allSatisfy { $0.time >= last && $0.time <= batch.upTo ?? last })
      seen += Self.states(batch)
      last = batch.upTo ?? last
    }
    #expect(seen == [.listening, .gone, .deaf])
    #expect(last == Self.start + .seconds(3))
  }

  @Test func `a service that is gone leaves no receiver that listens`() {
    var reception = SightingReception()
    reception.lost()
    reception.receive(Self.receiver("listening", 0))
    reception.receive(Self.second(1, 1, "-60"))
    _ = reception.drain(after: Self.start)
    reception.lost()
    reception.advance(by: .seconds(3))
    let batch = reception.drain(after: Self.start + .seconds(1))
    #expect(Self.states(batch) == [.gone])
    #expect(batch.upTo == Self.start + .seconds(4))
    reception.receive(Self.receiver("listening", 4))
    reception.receive(Self.second(5, 1, "-60"))
    #expect(Self.states(reception.drain(after: Self.start + .seconds(4))) == [.listening])
  }

  /// Row P13.
  @Test
  func `a service without receivers, one that is silent, and one that begins conclude nothing`() {
    var reception = SightingReception()
    let empty = { (seconds: Int64) in
      Array(#"{"v":1,"type":"sightings","t":"\#(Self.stamp(seconds))","beacons":[]}"#.utf8)
    }
    reception.receive(empty(1))
    var batch = reception.drain(after: Self.start)
    #expect(batch.inputs == [.radio(receiver: 0, .gone, Self.start)])
    reception.receive(Self.receiver("listening", 2))
    reception.receive(empty(3))
    batch = reception.drain(after: batch.upTo ?? Self.start)
    #expect(batch.inputs == [.radio(receiver: 1, .listening, Self.start + .seconds(2))])
    // It stands still: nothing of this time is known.
    reception.advance(by: .seconds(5))
    batch = reception.drain(after: batch.upTo ?? Self.start)
    #expect(batch.inputs == [.radio(receiver: 1, .gone, Self.start + .seconds(3))])
    #expect(batch.upTo == Self.start + .seconds(8))
    // It describes seconds again, and says nothing of states that are as before; a late line changes no order.
    reception.receive(empty(4))
    reception.receive(empty(9))
    batch = reception.drain(after: batch.upTo ?? Self.start)
    #expect(Self.states(batch) == [.listening])
    #expect(batch.upTo == Self.start + .seconds(9))
    // Its end: the next service says anew which receivers listen.
    reception.lost()
    reception.receive(empty(11))
    batch = reception.drain(after: batch.upTo ?? Self.start)
    #expect(Self.states(batch) == [.gone])
    // A receiver that reports without a state listens, and the own name in a replayed recording means nothing.
    reception.receive(Self.second(12, 1, "-60"))
    let own = Self.receiver("listening", 12)
    reception.receive(
      Array(String(decoding: own, as: UTF8.self).replacing("hci0", with: "service:").utf8)
    )
    batch = reception.drain(after: batch.upTo ?? Self.start)
    #expect(Self.states(batch) == [.listening])
    #expect(reception.receiverNames == ["service:", "hci0"])
  }

  @Test(arguments: [
    "", "{", "[]", "{\"type\":\"sightings\"}", "{\"type\":\"sightings\",\"t\":5}",
    "{\"type\":\"receiver\",\"t\":\"2026-01-02T03:04:05Z\",\"state\":\"asleep\"}",
    "{\"type\":\"sightings\",\"t\":\"2026-01-02T03:04:05Z\",\"beacons\":{}}",
    "{\"type\":\"sightings\",\"t\":\"2026-01-02T03:04:05Z\",\"beacons\":[5,{\"uuid\":\"x\"}]}",
    "{\"type\":\"sightings\",\"t\":\"9999-12-31T23:59:59Z\",\"beacons\":[]}",
    "{\"type\":\"sightings\",\"t\":\"0000-01-01T00:00:00Z\",\"beacons\":[]}",
  ]) func `a line that is none is left out`(line: String) {
    var reception = SightingReception()
    reception.receive(Array(line.utf8))
    reception.advance(by: .seconds(5))
    // At most the service itself, which is gone.
    let states = reception.drain(after: Self.start).inputs
    #expect(
      states.isEmpty || states.count == 1 && Self.states(ScanBatch(inputs: states)) == [.gone]
    )
    for mean in ["1e400", "-1e9", "1e9", "true"] {
      reception.receive(Self.second(1, 1_000_000_000, mean))
    }
    #expect(Self.levels(reception.drain(after: Self.start)).count <= 4 * 50)
  }
}
