// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

/// How inputs are admitted to the timeline, and when deadlines are told.
@Suite struct DoorTests {
  func engine() -> (Engine, ClientID) {
    var engine = Engine(startingAt: Air.start)
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(Air.museum)), by: client, into: &out)
    return (engine, client)
  }

  @Test func `an input at a deadline comes before it`() throws {
    var (engine, _) = engine()
    var air = Air()
    air.report(Air.beacon(1, 1), -60, at: 1)
    air.mark(at: 1.5)
    let told = engine.run(air.batch)
    #expect(told.map(\.seconds) == [1])
    #expect(told.first?.ranged?.first?.beacons.first?.reports == 1)
    #expect(engine.statistics.late == 0)
  }

  @Test func `an input that comes after its deadline was told is late by a microsecond at least`()
    throws
  {
    var (engine, _) = engine()
    var air = Air()
    air.mark(at: 1.5)
    air.report(Air.beacon(1, 1), -60, at: 0.9)
    air.report(Air.beacon(1, 1), -60, at: 1.6)
    air.mark(at: 2.5)
    let told = engine.run(air.batch)
    #expect(engine.statistics.late == 1)
    let beacon = try #require(told.last?.ranged?.first?.beacons.first)
    #expect(beacon.reports == 2)
  }

  @Test func `a batch's time tells what fell due before it and leaves what falls due at it`() {
    var (engine, _) = engine()
    var out: [Delivery] = []
    #expect(engine.hear(AirBatch(upTo: Air.at(1)), into: &out) == nil)
    #expect(out.isEmpty)
    let soonAfter = AirBatch(upTo: Air.at(1) + TimeSpan(microseconds: 1))
    #expect(engine.hear(soonAfter, into: &out) == 0)
    #expect(out.map(\.seconds) == [1])
    #expect(engine.hear(soonAfter, into: &out) == nil)
    #expect(out.count == 1)
    #expect(engine.nextDeadline == Air.at(2))
  }

  @Test func `the first tick is the first whole second after the request`() {
    var engine = Engine(startingAt: Air.at(0.25))
    let client = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(Air.museum)), by: client, into: &out)
    #expect(engine.nextDeadline == Air.at(1))
    var onTheSecond = Engine(startingAt: Air.at(3))
    let other = onTheSecond.connect()
    onTheSecond.request(.range(.uuid(Air.museum)), by: other, into: &out)
    #expect(onTheSecond.nextDeadline == Air.at(4))
  }

  @Test func `no tick is told in a gap, which is told at its end`() throws {
    var (engine, _) = engine()
    var air = Air()
    air.report(Air.beacon(1, 1), -60, at: 0.5)
    air.report(Air.beacon(1, 1), -60, at: 2.25)
    air.report(Air.beacon(1, 1), -60, at: 62.5)
    air.mark(at: 63)
    let told = engine.run(air.batch)
    #expect(told.map(\.seconds) == [1, 2, 62.5, 63])
    #expect(
      told[2].event == .diagnostic(.timeGap(from: Air.at(2.25), to: Air.at(62.5)))
    )
  }

  @Test func `a minute of silence is silence`() {
    var (engine, _) = engine()
    var air = Air()
    air.mark(at: 0)
    air.mark(at: 60)
    #expect(engine.run(air.batch).map(\.seconds) == Array(stride(from: 1, through: 60, by: 1)))
  }

  @Test func `the end tells what fell due by then`() {
    var (engine, _) = engine()
    var air = Air()
    air.report(Air.beacon(1, 1), -60, at: 3)
    #expect(engine.run(air.batch, ending: false).map(\.seconds) == [1, 2])
    var out: [Delivery] = []
    while engine.end(into: &out) {}
    #expect(out.map(\.seconds) == [3])
  }

  @Test func `every client is told a tick in its turn, and may answer before the next`() {
    var (engine, first) = engine()
    let second = engine.connect()
    var out: [Delivery] = []
    engine.request(.range(.uuid(Air.museum)), by: second, into: &out)
    var air = Air()
    air.mark(at: 2.5)
    let told = engine.run(air.batch) { delivery, engine, out in
      // The first client's answer to its tick takes the second's constraint away before its turn.
      guard delivery.seconds == 2, delivery.recipient == .client(first) else { return }
      engine.request(.stopRanging(.uuid(Air.museum)), by: second, into: &out)
    }
    #expect(told.map(\.seconds) == [1, 1, 2])
    #expect(told.map(\.recipient) == [.client(first), .client(second), .client(first)])
  }

  @Test(arguments: [1, 2, 3, 7])
  func `how inputs are cut into batches does not matter`(_ size: Int) {
    var random = SplitMix64(seed: 11)
    var air = Air()
    var time = 0.0
    for _ in 0..<400 {
      time += Double.random(in: 0...0.4, using: &random)
      let late = Double.random(in: 0...0.1, using: &random)
      let beacon = Air.beacon(1, UInt16.random(in: 1...5, using: &random))
      air.report(beacon, Int8.random(in: -90 ... -40, using: &random), at: max(0, time - late))
    }
    var (whole, _) = engine()
    let expected = whole.run(air.batch)
    var (cut, _) = engine()
    var told: [Delivery] = []
    for start in stride(from: 0, to: air.batch.inputs.count, by: size) {
      var part = air.batch
      part.inputs = Array(part.inputs[start..<min(start + size, part.inputs.count)])
      told += cut.run(part, ending: false)
    }
    told += cut.run(AirBatch())
    #expect(told == expected)
    #expect(cut.statistics == whole.statistics)
  }
}
