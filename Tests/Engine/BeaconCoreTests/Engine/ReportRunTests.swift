// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

/// Reports processed as a run give what they give one by one, as they are processed while inputs are recorded.
@Suite struct ReportRunTests {
  /// Reports of six beacons and of other devices, from two receivers and several addresses, with frames that are damaged
  /// or not in their usual place, stamps out of order, silences and gaps.
  private static func scan(seed: UInt64) -> TestScan {
    var random = SplitMix64(seed: seed)
    var scan = TestScan()
    var now = 0.1
    for _ in 0..<300 {
      now += [0, 0.001, 0.05, 0.2, 0.2, 3].randomElement(using: &random) ?? 0
      if Int.random(in: 0..<150, using: &random) == 0 { now += 70 }
      let time = Int.random(in: 0..<8, using: &random) == 0 ? max(0, now - 0.15) : now
      let beacon = TestScan.beacon(1, UInt16.random(in: 1...6, using: &random))
      var data = BeaconEncoder.advertisingData(beacon, measuredPower: -59)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: scan.raw([], at: time)
      case 1: scan.raw([2, 1, 6, 5, 0xFF, 0x4C, 0, 0x10, 1], at: time)
      case 2: scan.raw([3, 9, 0x41, 0x42] + data, at: time)
      case 3:
        // A frame that ends in front of its measured power.
        data[0] -= 1
        scan.raw(data.dropLast(), at: time)
      case 4: scan.raw(data.dropLast(), at: time)
      case 5...7:
        scan.raw([2, 1, 6] + data, Int8.random(in: -90 ... -40, using: &random), at: time)
      case 8: scan.mark(at: time)
      case 9:
        let state: RadioState = Bool.random(using: &random) ? .off : .listening
        scan.add(.radio(receiver: 1, state, TestScan.at(time)))
      default:
        scan.report(
          beacon,
          Int.random(in: 0..<9, using: &random) == 0
            ? nil : Int8.random(in: -90 ... -40, using: &random),
          at: time,
          receiver: UInt8.random(in: 0...1, using: &random),
          address: [nil, 0, 1, 2].randomElement(using: &random) ?? nil
        )
      }
    }
    return scan
  }

  /// What an engine delivers and counts.
  private static func result(
    of batch: ScanBatch,
    oneByOne: Bool,
    _ request: (inout Engine) -> Void
  ) -> (delivered: [Delivery], counts: EngineStatistics) {
    var engine = Engine(startingAt: TestScan.start)
    if oneByOne { engine.keepAdmissions() }
    request(&engine)
    #expect((engine.runKind == nil) == oneByOne)
    return (engine.run(batch), engine.statistics)
  }

  private static func range(_ engine: inout Engine, constraints: [IdentityConstraint]) {
    let client = engine.connect()
    var out: [Delivery] = []
    for constraint in constraints { engine.request(.range(constraint), by: client, into: &out) }
  }

  @Test(arguments: [
    [IdentityConstraint.uuid(TestScan.museum)],
    [.minor(TestScan.beacon(1, 2)), .minor(TestScan.beacon(1, 5))],
  ])
  func `ranging gives the same`(_ constraints: [IdentityConstraint]) {
    for seed in 0..<UInt64(12) {
      let batch = Self.scan(seed: seed).batch
      let run = Self.result(of: batch, oneByOne: false) {
        Self.range(&$0, constraints: constraints)
      }
      let single = Self.result(of: batch, oneByOne: true) {
        Self.range(&$0, constraints: constraints)
      }
      #expect(!run.delivered.isEmpty)
      #expect(run.delivered == single.delivered, "seed \(seed)")
      #expect(run.counts == single.counts, "seed \(seed)")
    }
  }

  @Test(arguments: [[], [IdentityConstraint.minor(TestScan.beacon(1, 2))]])
  func `sightings are the same`(_ constraints: [IdentityConstraint]) {
    for seed in 0..<UInt64(12) {
      let batch = Self.scan(seed: seed).batch
      let run = Self.result(of: batch, oneByOne: false) {
        $0.watchSightings(satisfying: constraints)
      }
      let single = Self.result(of: batch, oneByOne: true) {
        $0.watchSightings(satisfying: constraints)
      }
      #expect(!run.delivered.isEmpty)
      #expect(run.delivered == single.delivered, "seed \(seed)")
      #expect(run.counts == single.counts, "seed \(seed)")
    }
  }

  /// Ranging, monitoring and sightings at a time.
  private static func requestAll(_ engine: inout Engine) {
    range(&engine, constraints: [.uuid(TestScan.museum)])
    engine.watchSightings(satisfying: [])
    let client = engine.connect()
    var out: [Delivery] = []
    let region = Region("one", .minor(TestScan.beacon(1, 1)))
    engine.request(.monitor(region), by: client, into: &out)
  }

  @Test func `reports that their source decoded give the same`() {
    for seed in 0..<UInt64(12) {
      let batch = Self.scan(seed: seed).batch
      var decoded = batch
      for index in batch.inputs.indices {
        guard case .report(var report) = batch.inputs[index] else { continue }
        let range = report.payloadRange
        report.found = BeaconDecoder.find(advertisingData: batch.bytes.span, in: range)
        decoded.inputs[index] = .report(report)
      }
      for request in [Self.requestAll, { Self.range(&$0, constraints: [.uuid(TestScan.museum)]) }] {
        var engines = [Engine(startingAt: TestScan.start), Engine(startingAt: TestScan.start)]
        for index in engines.indices { request(&engines[index]) }
        let delivered = engines[0].run(batch)
        #expect(!delivered.isEmpty)
        #expect(engines[1].run(decoded) == delivered, "seed \(seed)")
        #expect(engines[1].statistics == engines[0].statistics, "seed \(seed)")
      }
    }
  }

  @Test func `levels and the packets of their beacons give the same`() {
    for seed in 0..<UInt64(12) {
      let batch = Self.scan(seed: seed).batch
      var (packets, levels) = (ScanBatch(), ScanBatch())
      for input in batch.inputs {
        guard let report = input.report else {
          packets.inputs.append(input)
          levels.inputs.append(input)
          continue
        }
        guard case .beacon(let beacon, let power) = batch.reading(of: report) else { continue }
        levels.append(
          levelOf: beacon,
          measuredPower: power,
          rssi: report.rssi,
          receiver: report.receiver,
          at: input.time
        )
        guard let packet = levels.packet(of: levels.inputs[levels.inputs.count - 1]) else {
          Issue.record("a level without a packet")
          return
        }
        packets.append(packet.report, payload: packet.payload)
      }
      #expect(packets.inputs.count == levels.inputs.count)
      var engines = [Engine(startingAt: TestScan.start), Engine(startingAt: TestScan.start)]
      for index in engines.indices { Self.requestAll(&engines[index]) }
      let delivered = engines[0].run(packets)
      #expect(!delivered.isEmpty)
      #expect(engines[1].run(levels) == delivered, "seed \(seed)")
      #expect(engines[1].statistics == engines[0].statistics, "seed \(seed)")
    }
  }

  @Test func `an address and its absence survive as one number`() {
    for kind in DeviceAddress.Kind.allCases {
      for bits: UInt64 in [0, 1, 0xFFFF_FFFF_FFFF] {
        let address = DeviceAddress(bits, kind: kind)
        #expect(DeviceAddress(rawValue: DeviceAddress.rawValue(of: address)) == address)
      }
    }
    #expect(DeviceAddress(rawValue: DeviceAddress.rawValue(of: nil)) == nil)
  }
}
