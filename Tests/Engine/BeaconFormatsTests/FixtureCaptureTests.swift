// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

/// The captures that `tools/make-fixtures.py` writes: the same reports in every format.
@Suite struct FixtureCaptureTests {
  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: ProjectFiles.fixtures.appending(path: "captures/\(name)")))
  }

  static func contents(_ name: String) throws -> CaptureContents {
    try CaptureContents(bytes(name))
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let format: CaptureFormat
    let linkTypes: [Int]
    let records: Int
    var hasTimes = true
    var hasRSSI = true
    var receiverNames: [String] = []
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "h1.btsnoop", format: .btsnoop, linkTypes: [1001], records: 46),
    Row(name: "h4.btsnoop", format: .btsnoop, linkTypes: [1002], records: 46),
    Row(
      name: "monitor.btsnoop",
      format: .btsnoop,
      linkTypes: [2001],
      records: 51,
      receiverNames: ["hci0", "hci1"]
    ),
    Row(name: "h4.pcap", format: .pcap, linkTypes: [187], records: 46),
    Row(name: "h4-be-ns.pcap", format: .pcap, linkTypes: [187], records: 46),
    Row(name: "h4-direction.pcap", format: .pcap, linkTypes: [201], records: 46),
    Row(
      name: "monitor.pcap",
      format: .pcap,
      linkTypes: [254],
      records: 51,
      receiverNames: ["hci0", "hci1"]
    ),
    Row(name: "link-layer.pcap", format: .pcap, linkTypes: [251], records: 47, hasRSSI: false),
    Row(name: "link-layer-radio.pcap", format: .pcap, linkTypes: [256], records: 47),
    Row(name: "nordic.pcap", format: .pcap, linkTypes: [272], records: 47),
    Row(name: "nordic-v2.pcap", format: .pcap, linkTypes: [272], records: 47),
    Row(
      name: "two-interfaces.pcapng",
      format: .pcapng,
      linkTypes: [187, 256, 1],
      records: 45,
      receiverNames: ["first", "second"]
    ),
    Row(name: "hcidump.txt", format: .hcidumpText, linkTypes: [], records: 46, hasTimes: false),
    Row(name: "hcidump-t.txt", format: .hcidumpText, linkTypes: [], records: 46),
    Row(name: "hcidump.bin", format: .hcidump, linkTypes: [], records: 46),
    Row(name: "v1.pklg", format: .packetLogger, linkTypes: [], records: 46),
    Row(name: "v2.pklg", format: .packetLogger, linkTypes: [], records: 46),
  ]

  /// The reports of the simplest format, without the values that a row's format cannot contain.
  static func scan(as row: Row, receivers: [UInt8]) throws -> [ReceivedReport] {
    var scan = try contents("h4.btsnoop").reports
    for index in scan.indices {
      if !row.hasTimes { scan[index].time = .earliest }
      if !row.hasRSSI { scan[index].rssi = nil }
      if index < receivers.count { scan[index].receiver = receivers[index] }
    }
    return scan
  }

  @Test(arguments: rows) func `every format contains the same scan`(_ row: Row) throws {
    let contents = try Self.contents(row.name)
    #expect(contents.reader.format == row.format)
    #expect(contents.reader.linkTypes == row.linkTypes)
    #expect(contents.reader.records == row.records)
    #expect(contents.reader.receiverNames == row.receiverNames)
    #expect(contents.reader.damagedAt == nil)
    #expect(try contents.reader.bytesRead == Self.bytes(row.name).count)
    // The two interfaces of the first section alternate.
    let isPcapng = row.format == .pcapng
    let turns: [UInt8] = isPcapng ? (0..<21).map { $0 % 2 } : []
    #expect(try contents.reports == Self.scan(as: row, receivers: turns))
  }

  @Test func `the scan is that of the generator`() throws {
    let scan = try Self.contents("h4.btsnoop").reports
    #expect(scan.count == 43)
    let first = try #require(scan.first)
    #expect(first.time == Timestamp(microseconds: 1_750_000_000_100_000))
    #expect(first.address == DeviceAddress(0xC000_0000_0001, kind: .random))
    #expect(first.rssi == -55)
    #expect(first.kind == .nonConnectable)
    let hex = first.payload.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    #expect(
      hex.joined() == "0201061aff4c0002152f234454cf6d4a0fadf2f4911ba9ffa600010001c5"
    )
    #expect(scan.filter { $0.rssi == nil }.count == 1)
    #expect(scan.filter { $0.kind == .scanResponse }.map(\.payload.count) == [0, 6])
    #expect(scan.filter { $0.address?.kind == .publicDevice }.count == 2)
    #expect(scan.map(\.time) == scan.map(\.time).sorted())
  }

  @Test(arguments: ["link-layer.pcap", "link-layer-radio.pcap", "nordic.pcap", "nordic-v2.pcap"])
  func `a sniffer's other packets are counted with their reasons`(_ name: String) throws {
    let drops = try Self.contents(name).reader.drops
    #expect(drops[.badCRC] == 2)
    #expect(drops[.notAdvertising] == 2)
    #expect(drops.total == 4)
  }

  @Test func `a packet without a time is dropped and counted`() throws {
    let reader = try Self.contents("two-interfaces.pcapng").reader
    #expect(reader.drops[.noTime] == 1)
    #expect(reader.drops.total == 1)
    #expect(reader.notes == ["packets of link type 1 contain no advertising and are skipped"])
  }

  @Test func `text without times has a note`() throws {
    #expect(try Self.contents("hcidump.txt").reader.notes.count == 1)
    #expect(try Self.contents("hcidump-t.txt").reader.notes.isEmpty)
  }

  @Test func `fragments are joined and what never ends is counted`() throws {
    let contents = try Self.contents("fragments.btsnoop")
    #expect(contents.reports.map(\.payload.count) == [30, 30, 300])
    #expect(contents.reports.map(\.kind) == [.nonConnectable, .connectable, .extended])
    let joined = try #require(contents.reports.last)
    #expect(joined.payload.prefix(9) == [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15])
    #expect(joined.time == Timestamp(microseconds: 1_750_000_000_005_000))
    #expect(contents.reader.drops[.incompleteFragments] == 1)
    #expect(contents.reader.drops.total == 1)
  }

  // MARK: What is not sound

  @Test func `a capture cut in a record is read to there`() throws {
    let contents = try Self.contents("cut.btsnoop")
    let whole = try Self.contents("h4.btsnoop").reports
    #expect(contents.reports == Array(whole.prefix(contents.reports.count)))
    #expect(contents.reports.count == 21)
    #expect(contents.reader.records == 24)
    #expect(
      contents.reader.damagedAt == Self.offset(ofRecord: 24, in: try Self.bytes("h4.btsnoop"))
    )
    #expect(contents.reader.damage == "the capture ends in the middle of a record")
  }

  static func offset(ofRecord wanted: Int, in btsnoop: [UInt8]) -> Int {
    var offset = 16
    for _ in 0..<wanted {
      let length = btsnoop[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
      offset += 24 + length
    }
    return offset
  }

  @Test func `a wrong length stops at the record that has it`() throws {
    let contents = try Self.contents("wrong-length.pcap")
    #expect(contents.reader.records == 20)
    let damaged = try #require(contents.reader.damagedAt)
    #expect(
      try Array(Self.bytes("wrong-length.pcap")[damaged..<damaged + 16])
        == Array(repeating: 0xFF, count: 16)
    )
    #expect(contents.reader.damage == "a record claims 4294967295 bytes, more than 262144")
  }

  @Test func `an empty capture is no error`() throws {
    let contents = try Self.contents("empty.btsnoop")
    #expect(contents.reports.isEmpty)
    #expect(contents.reader.format == nil)
    #expect(contents.reader.notes == ["the capture is empty"])
  }

  @Test(arguments: [
    (
      "wrong-magic.bin",
      "not a capture: it begins with the bytes 62 74 73 6e 6f 6f 70 01 00 00 00 01 00 00 03 ea"
    ),
    (
      "three-wire.btsnoop",
      "a btsnoop capture of data link 1004 (three-wire H5), not 1001, 1002 or 2001"
    ),
    (
      "ethernet.pcap",
      "a pcap capture of link type 1, which holds no advertising (187, 201, 251, 254, 256 or 272 would)"
    ),
  ])
  func `an unsupported file is described`(_ name: String, _ message: String) throws {
    let error = #expect(throws: CaptureFormatError.self) { try Self.contents(name) }
    #expect(error?.description == message)
  }
}
