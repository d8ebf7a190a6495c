// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// How inputs are admitted to the timeline, and when deadlines are delivered.
@Suite struct AdmissionClockTests {
  func engine() -> (Engine, ClientID) {
    var engine = Engine(startingAt: TestScan.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(TestScan.museum)), by: client, into: &out)
    return (engine, client)
  }

  /// Rule T3.
  @Test func `an input at a deadline comes before it`() throws {
    var (engine, _) = engine()
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 1)
    scan.mark(at: 1.5)
    let delivered = engine.run(scan.batch)
    #expect(delivered.map(\.seconds) == [1])
    #expect(delivered.first?.ranged?.first?.beacons.first?.reports == 1)
    #expect(engine.statistics.late == 0)
  }

  /// Rule T2.
  @Test func `an input after a passed deadline is late by at least a microsecond`()
    throws
  {
    var (engine, _) = engine()
    var scan = TestScan()
    scan.mark(at: 1.5)
    scan.report(TestScan.beacon(1, 1), -60, at: 0.9)
    scan.report(TestScan.beacon(1, 1), -60, at: 1.6)
    scan.mark(at: 2.5)
    let delivered = engine.run(scan.batch)
    #expect(engine.statistics.late == 1)
    let beacon = try #require(delivered.last?.ranged?.first?.beacons.first)
    #expect(beacon.reports == 2)
  }

  @Test func `a batch's time passes the deadlines before it and leaves those at it`() {
    var (engine, _) = engine()
    var out: [Delivery] = []
    #expect(engine.processOn(ScanBatch(upTo: TestScan.at(1)), into: &out) == nil)
    #expect(out.isEmpty)
    let soonAfter = ScanBatch(upTo: TestScan.at(1) + TimeSpan(microseconds: 1))
    #expect(engine.processOn(soonAfter, into: &out) == 0)
    #expect(out.map(\.seconds) == [1])
    #expect(engine.processOn(soonAfter, into: &out) == nil)
    #expect(out.count == 1)
    #expect(engine.nextDeadline == TestScan.at(2))
  }

  /// Rows R1 and T4.
  @Test func `the first tick is the first whole second after the request`() {
    var engine = Engine(startingAt: TestScan.at(0.25))
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(TestScan.museum)), by: client, into: &out)
    #expect(engine.nextDeadline == TestScan.at(1))
    var onTheSecond = Engine(startingAt: TestScan.at(3))
    let other = onTheSecond.connect()
    onTheSecond.request(.range(.uuid(TestScan.museum)), by: other, into: &out)
    #expect(onTheSecond.nextDeadline == TestScan.at(4))
  }

  /// Rule T5.
  @Test func `no tick is delivered in a gap, which is reported at its end`() throws {
    var (engine, _) = engine()
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 0.5)
    scan.report(TestScan.beacon(1, 1), -60, at: 2.25)
    scan.report(TestScan.beacon(1, 1), -60, at: 62.5)
    scan.mark(at: 63)
    let delivered = engine.run(scan.batch)
    #expect(delivered.map(\.seconds) == [1, 2, 62.5, 63])
    #expect(
      delivered[2].event == .diagnostic(.timeGap(from: TestScan.at(2.25), to: TestScan.at(62.5)))
    )
  }

  /// Rule T5 and law L3.
  @Test(arguments: [
    SavedAuthorization(grant: .denied), SavedAuthorization(),
    SavedAuthorization(grant: .always, accuracy: .reduced),
    SavedAuthorization(grant: .always, servicesOn: false),
    SavedAuthorization(grant: .whenInUse), SavedAuthorization(grant: .always),
  ])
  func `conditions of the source are the operator's, whatever a client may know`(
    _ grants: SavedAuthorization
  ) {
    var engine = Engine(startingAt: TestScan.at(0.25))
    var out: [Delivery] = []
    let manifest = Manifest(whenInUse: "w", alwaysAndWhenInUse: "a")
    let client = engine.connect(
      manifest,
      restoring: SavedClient(authorization: grants),
      into: &out
    )
    let theOperator = engine.connect()
    var scan = TestScan()
    scan.mark(at: 0.5)
    scan.report(TestScan.beacon(1, 1), -60, at: 100.5)
    var batch = scan.batch
    batch.inputs.append(.notice(.late(by: .seconds(3)), TestScan.at(101)))
    batch.inputs.append(.notice(.dropped(.malformedRecord, count: 2), TestScan.at(102)))
    let delivered = engine.run(batch)
    #expect(!delivered.contains { $0.recipient == .client(client) }, "\(delivered)")
    let conditions = delivered.filter { $0.recipient == .client(theOperator) }
    #expect(
      conditions.map(\.event) == [
        .diagnostic(.timeGap(from: TestScan.at(0.5), to: TestScan.at(100.5))),
        .diagnostic(.source(.late(by: .seconds(3)))),
        .diagnostic(.source(.dropped(.malformedRecord, count: 2))),
      ]
    )
  }

  /// Law L3: a receiver that received nothing may receive a beacon next.
  @Test(arguments: [
    (SavedAuthorization(grant: .denied), []),
    (SavedAuthorization(grant: .always, accuracy: .reduced), []),
    (SavedAuthorization(grant: .always), [RegionStateReason.radioDeaf]),
  ])
  func `only a client that may know beacons learns that a receiver receives nothing`(
    _ grants: SavedAuthorization,
    _ expected: [RegionStateReason]
  ) {
    var engine = Engine(startingAt: TestScan.at(0.25))
    var out: [Delivery] = []
    let client = engine.connect(
      Manifest(whenInUse: "w", alwaysAndWhenInUse: "a"),
      restoring: SavedClient(authorization: grants),
      into: &out
    )
    var batch = TestScan().batch
    batch.inputs.append(.radio(receiver: 0, .listening, TestScan.at(1)))
    batch.inputs.append(.radio(receiver: 0, .deaf, TestScan.at(2)))
    batch.inputs.append(.radio(receiver: 0, .off, TestScan.at(3)))
    let told = engine.run(batch).compactMap { delivery -> RegionStateReason? in
      guard delivery.recipient == .client(client),
        case .diagnostic(.radio(let reason)) = delivery.event
      else { return nil }
      return reason
    }
    #expect(told == expected + [.radioOff])
  }

  @Test func `a minute of silence is silence`() {
    var (engine, _) = engine()
    var scan = TestScan()
    scan.mark(at: 0)
    scan.mark(at: 60)
    #expect(engine.run(scan.batch).map(\.seconds) == Array(stride(from: 1, through: 60, by: 1)))
  }

  /// Rule T6.
  @Test func `the end passes the deadlines that are due`() {
    var (engine, _) = engine()
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 1), -60, at: 3)
    #expect(engine.run(scan.batch, ending: false).map(\.seconds) == [1, 2])
    var out: [Delivery] = []
    while engine.end(into: &out) {}
    #expect(out.map(\.seconds) == [3])
  }

  @Test func `every client receives a tick in its turn, and may answer before the next`() {
    var (engine, first) = engine()
    let second = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(TestScan.museum)), by: second, into: &out)
    var scan = TestScan()
    scan.mark(at: 2.5)
    let delivered = engine.run(scan.batch) { delivery, engine, out in
      // The first client answers its tick by removing the second client's constraint before the second client's turn.
      guard delivery.seconds == 2, delivery.recipient == .client(first) else { return }
      engine.request(.stopRanging(.uuid(TestScan.museum)), by: second, into: &out)
    }
    #expect(delivered.map(\.seconds) == [1, 1, 2])
    #expect(delivered.map(\.recipient) == [.client(first), .client(second), .client(first)])
  }

  /// Law L1.
  @Test(arguments: [1, 2, 3, 7])
  func `how inputs are cut into batches does not matter`(_ size: Int) {
    var random = SplitMix64(seed: 11)
    var scan = TestScan()
    var time = 0.0
    for _ in 0..<400 {
      time += Double.random(in: 0...0.4, using: &random)
      let late = Double.random(in: 0...0.1, using: &random)
      let beacon = TestScan.beacon(1, UInt16.random(in: 1...5, using: &random))
      scan.report(beacon, Int8.random(in: -90 ... -40, using: &random), at: max(0, time - late))
    }
    var (whole, _) = engine()
    let expected = whole.run(scan.batch)
    var (cut, _) = engine()
    var delivered: [Delivery] = []
    for start in stride(from: 0, to: scan.batch.inputs.count, by: size) {
      var part = scan.batch
      part.inputs = Array(part.inputs[start..<min(start + size, part.inputs.count)])
      delivered += cut.run(part, ending: false)
    }
    delivered += cut.run(ScanBatch())
    #expect(delivered == expected)
    #expect(cut.statistics == whole.statistics)
  }
}
