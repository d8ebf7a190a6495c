// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFormats

/// Levels outside of an engine: in recordings and in sums.
@Suite struct LevelInputTests {
  /// The same second as levels and as the packets of their beacon.
  static let inputs: (levels: ScanBatch, packets: ScanBatch) = {
    var (levels, packets) = (ScanBatch(), TestScan())
    for (index, rssi) in [Int8(-60), nil, -71, -64].enumerated() {
      let (time, receiver) = (0.1 + Double(index) / 5, UInt8(index % 2))
      packets.report(TestScan.beacon(1, 2), rssi, at: time, power: -58, receiver: receiver)
      levels.append(
        levelOf: TestScan.beacon(1, 2),
        measuredPower: -58,
        rssi: rssi,
        receiver: receiver,
        at: TestScan.at(time)
      )
    }
    return (levels, packets.batch)
  }()

  @Test func `a recording of levels has the lines of their packets`() {
    let header = CaptureHeader(tool: "t", version: "1", receivers: ["a", "b"], profile: "default")
    let written = [Self.inputs.levels, Self.inputs.packets].map { batch in
      var writer = CaptureLineWriter(header, redacting: false)
      writer.append(batch)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    #expect(written[0] == written[1] && written[0].contains(#""type":"report""#))
  }

  @Test(arguments: CaptureWriterTests.Writer.allCases)
  func `a capture of levels has their packets`(_ writer: CaptureWriterTests.Writer) {
    let levels = CaptureWriterTests.written(Self.inputs.levels, writer)
    #expect(levels == CaptureWriterTests.written(Self.inputs.packets, writer))
  }

  @Test func `sums of levels are those of packets`() {
    let sums = [Self.inputs.levels, Self.inputs.packets].map { batch in
      var sums = ReceivedSeconds { _ in true }
      let slice = ScanSlice(
        batch: batch,
        range: batch.inputs.indices,
        admitted: batch.inputs.map(\.time),
        upTo: nil
      )
      return sums.process(slice, receivers: ["a", "b"]) + sums.end(at: TestScan.at(5))
    }
    #expect(sums[0] == sums[1])
    let seconds = sums[0].compactMap { if case .reports(let second) = $0 { second } else { nil } }
    #expect(seconds.map(\.receiver) == ["a", "b"])
    let sum = seconds[0].sum
    #expect(sum.mean == -65.5 && sum.weakest == -71 && sum.strongest == -60)
    #expect(seconds[1].sum.reports == 2 && seconds[1].sum.samples == 1)
    #expect(seconds[1].sum.power == -58)
  }

  @Test func `inputs of a source of sums come in the order of time, after those already given`() {
    var inputs = SummedInputs(of: "source")
    inputs.start(at: TestScan.at(0))
    let receiver = inputs.number(of: "hall", atMost: 2)
    #expect(receiver == 1 && inputs.number(of: "attic", atMost: 2) == nil)
    inputs.set(1, .listening, at: TestScan.at(0))
    for seconds in [3, 1, 2.5, 2.5] {
      let rssi = Int8(-60 - inputs.count)
      inputs.add(TestScan.beacon(1, 1), power: -59, rssi: rssi, at: 1, TestScan.at(seconds))
    }
    // Another state is never earlier than the one before.
    inputs.set(1, .gone, at: TestScan.at(-5))
    #expect(inputs.count == 7)
    let batch = inputs.drain(until: TestScan.at(2.5), after: TestScan.at(2))
    #expect(batch.inputs.map(\.time) == [2, 2, 2, 2, 2.5, 2.5].map(TestScan.at))
    #expect(batch.inputs.compactMap { $0.report?.rssi } == [-63, -64, -65])
    #expect(batch.upTo == TestScan.at(2.5) && inputs.count == 1)
    let rest = inputs.drain(until: TestScan.at(9), after: TestScan.at(2.5))
    #expect(rest.inputs.compactMap { $0.report?.rssi } == [-62])
    let beacon = rest.inputs[0].report.map { rest.reading(of: $0) }
    #expect(beacon == .beacon(TestScan.beacon(1, 1), measuredPower: -59))
    #expect(inputs.receiverNames == ["source", "hall"] && inputs.state(of: 1) == .gone)
  }
}
