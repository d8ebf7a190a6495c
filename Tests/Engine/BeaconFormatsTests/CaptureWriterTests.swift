// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

@Suite struct CaptureWriterTests {
  enum Writer: CaseIterable, Sendable {
    case btsnoop
    case pcap

    var writer: any CaptureWriter {
      switch self {
      case .btsnoop: BtsnoopWriter()
      case .pcap: PcapWriter()
      }
    }
  }

  static let begin = Timestamp(microseconds: 1_750_000_000_000_000)

  /// Reports of every kind, with and without optional values, and payloads of all possible lengths.
  static func randomBatch(_ random: inout SplitMix64, count: Int) -> ScanBatch {
    var batch = ScanBatch()
    for index in 0..<count {
      let length =
        Bool.random(using: &random)
        ? Int.random(in: 0...31, using: &random) : Int.random(in: 0...1650, using: &random)
      let kind = AdvertisingEventKind(rawValue: UInt8.random(in: 0...6, using: &random))
      let address = DeviceAddress(
        .random(in: 0...0xFFFF_FFFF_FFFF, using: &random),
        kind: DeviceAddress.Kind.allCases.randomElement(using: &random)!
      )
      let report = AdvertisingReport(
        time: begin + .milliseconds(Int64(index)),
        // 0 is read as none, as 127 is.
        rssi: Int.random(in: 0..<8, using: &random) == 0
          ? nil : .random(in: -127 ... -1, using: &random),
        receiver: .random(in: 0...255, using: &random),
        address: Int.random(in: 0..<8, using: &random) == 0 ? nil : address,
        kind: kind,
        payloadStart: 0,
        payloadCount: 0
      )
      batch.append(
        report,
        payload: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      )
    }
    return batch
  }

  static func written(_ batch: ScanBatch, _ writer: Writer, names: [String] = []) -> [UInt8] {
    var bytes: [UInt8] = []
    writer.writer.begin(receiverNames: names, at: begin, into: &bytes)
    writer.writer.write(batch, into: &bytes)
    return bytes
  }

  @Test(arguments: Writer.allCases) func `what is written is read back`(_ writer: Writer) throws {
    for seed in 0..<20 {
      var random = SplitMix64(seed: UInt64(seed))
      let batch = Self.randomBatch(&random, count: 100)
      let contents = try CaptureContents(Self.written(batch, writer))
      let reports = batch.inputs.compactMap { input -> ReceivedReport? in
        guard case .report(let report) = input else { return nil }
        return ReceivedReport(report, in: batch)
      }
      #expect(contents.reports == reports, "seed \(seed)")
      #expect(contents.reader.drops.total == 0)
    }
  }

  @Test(arguments: Writer.allCases, FixtureCaptureTests.rows.map(\.name))
  func `read, write, read is the identity`(_ writer: Writer, _ name: String) throws {
    let bytes = try FixtureCaptureTests.bytes(name)
    var reader = try CaptureReader(MemorySource(bytes))
    var copy: [UInt8] = []
    writer.writer.begin(receiverNames: [], at: Self.begin, into: &copy)
    while let batch = try reader.next() { writer.writer.write(batch, into: &copy) }
    #expect(try CaptureContents(copy).reports == CaptureContents(bytes).reports)
  }

  @Test(arguments: Writer.allCases) func `names are read back with their numbers`(_ writer: Writer)
    throws
  {
    let names = ["hci1", "kitchen", "hall"]
    let reader = try CaptureContents(Self.written(ScanBatch(), writer, names: names)).reader
    #expect(reader.receiverNames == names)
  }

  @Test(arguments: Writer.allCases) func `other inputs are left out`(_ writer: Writer) throws {
    let batch = ScanBatch(inputs: [
      .notice(.late(by: .seconds(1)), Self.begin)
    ])
    #expect(Self.written(batch, writer) == Self.written(ScanBatch(), writer))
  }

  @Test(arguments: Writer.allCases) func `a payload longer than any advertisement is cut`(
    _ writer: Writer
  ) throws {
    var batch = ScanBatch()
    batch.append(
      AdvertisingReport(time: Self.begin, rssi: -60, payloadStart: 0, payloadCount: 0),
      payload: [UInt8](repeating: 7, count: 2000)
    )
    let reports = try CaptureContents(Self.written(batch, writer)).reports
    #expect(reports.map(\.payload.count) == [1650])
  }

  @Test func `btsnoop starts as btmon writes it`() {
    let bytes = Self.written(ScanBatch(), .btsnoop)
    #expect(bytes == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 7, 0xD1])
  }
}
