// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

@Suite struct CaptureRecordTests {
  typealias Build = CaptureBuilder

  static func contents(_ capture: [UInt8]) throws -> CaptureContents {
    try CaptureContents(capture)
  }

  @Test func `a report its recorder cut short is counted and nothing else is`() throws {
    let cut = Array(Build.reportH4.dropLast(3))
    let report = try Self.contents(Build.btsnoop(1002, original: Build.reportH4.count, cut))
    #expect(report.reports.isEmpty)
    #expect(report.reader.drops[.cutByRecorder] == 1)
    let other = try Self.contents(Build.btsnoop(1002, original: 500, [2, 0, 0, 1]))
    #expect(other.reader.drops.total == 0)
    #expect(other.reader.records == 1)
  }

  @Test func `adapters keep their numbers and get their names`() throws {
    let named: [UInt8] = [0, 1, 1, 2, 3, 4, 5, 6] + Array("usb-left".utf8)
    let capture =
      Build.btsnoop(2001, flags: 2 << 16 | 3, Build.report) + Build.record(flags: 1 << 16, named)
      + Build.record(flags: 1 << 16 | 3, Build.report)
      + Build.record(flags: 700 << 16 | 3, Build.report)
    let contents = try Self.contents(capture)
    #expect(contents.reports.map(\.receiver) == [2, 1, 255])
    #expect(contents.reader.receiverNames.prefix(3) == ["hci0", "usb-left", "hci2"])
    #expect(contents.reader.otherNotes == ["adapters above hci255 are shown as hci255"])
  }

  @Test(
    arguments: [
      ([1, 0x0C, 0x20, 2, 1, 1], 1), ([1, 0x0C, 0x20, 2, 1, 0], 0), ([1, 0x0C, 0x20, 2, 0, 1], 0),
      ([1, 0x42, 0x20, 6, 1, 1, 0, 0, 0, 0], 1), ([1, 0x0B, 0x20, 2, 1, 1], 0),
    ] as [([UInt8], Int)]
  )
  func `filtering of duplicates is noted`(_ command: [UInt8], _ notes: Int) throws {
    let contents = try Self.contents(Build.btsnoop(1002, flags: 2, command))
    #expect(contents.reader.otherNotes.count == notes)
  }

  @Test func `interfaces are receivers by name, over sections too`() throws {
    let left = Build.interface(options: Build.option(2, Array("left".utf8)))
    let right = Build.interface(options: Build.option(2, Array("right".utf8)))
    let capture =
      Build.section + left + right + Build.enhanced(1, stamp: 1) + Build.enhanced(0, stamp: 2)
      + Build.section + right + Build.enhanced(0, stamp: 3)
    let contents = try Self.contents(capture)
    #expect(contents.reader.receiverNames == ["right", "left"])
    #expect(contents.reports.map(\.receiver) == [0, 1, 0])
  }

  @Test func `the adapters of a monitored interface are receivers`() throws {
    let event: [UInt8] = [0, 1, 0, 3] + Build.report
    let capture = Build.section + Build.interface(254) + Build.enhanced(stamp: 1, event)
    let contents = try Self.contents(capture)
    #expect(contents.reader.receiverNames == ["hci1"])
    #expect(contents.reports.map(\.receiver) == [0])
  }

  @Test func `a packet of an undeclared interface is counted`() throws {
    let contents = try Self.contents(
      Build.section + Build.interface() + Build.enhanced(4, stamp: 1) + Build.enhanced(stamp: 1)
    )
    #expect(contents.reports.count == 1)
    #expect(contents.reader.drops[.malformedRecord] == 1)
  }

  @Test func `a long unused block is skipped without being kept`() throws {
    let capture =
      Build.section + Build.interface()
      + Build.block(4, [UInt8](repeating: 0, count: 3 << 20)) + Build.enhanced(stamp: 1)
    let contents = try Self.contents(capture)
    #expect(contents.reports.count == 1)
    #expect(contents.reader.damagedAt == nil)
  }

  @Test func `a block whose lengths differ is damage at its start`() throws {
    var capture = Build.section + Build.interface() + Build.enhanced(stamp: 1)
    let start = capture.count
    capture += Build.enhanced(stamp: 2)
    capture[capture.count - 4] ^= 4
    let contents = try Self.contents(capture)
    #expect(contents.reports.count == 1)
    #expect(contents.reader.damagedAt == start)
    #expect(contents.reader.damage == "the two lengths of a block differ")
  }

  @Test func `incomplete advertisements at a truncated end are counted`() throws {
    let open: [UInt8] =
      [0x3E, 26, 0x0D, 1, 0x20, 0, 1] + [UInt8](repeating: 1, count: 20) + [0]
    let broken: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    let contents = try Self.contents(Build.btsnoop(1002, [4] + open) + broken + broken)
    #expect(contents.reader.damagedAt != nil)
    #expect(contents.reader.drops[.incompleteFragments] == 1)
  }

  @Test(arguments: [
    ("> 04 3E 0C 02 01\n", 1), ("> 04 3E 0C 02 01 03 01 XX\n", 1), ("> \n> 04 0E 01\n", 1),
    ("> 04 0E\n  01 00\nHello\n", 0),
  ])
  func `an invalid text packet is counted`(_ text: String, _ dropped: Int) throws {
    let contents = try Self.contents(Array(("HCI sniffer\n" + text).utf8))
    #expect(contents.reports.isEmpty)
    #expect(contents.reader.drops.total == dropped)
  }

  @Test(
    arguments: [
      ("gzip", [0x1F, 0x8B, 8, 0], "gzip data (unpack it first)"),
      ("text", Array("time,rssi\n".utf8), "the text \"time,rssi \""),
      ("zeros", [0, 0, 0, 0, 0], "the bytes 00 00 00 00 00"),
    ] as [(String, [UInt8], String)]
  )
  func `a file that is no capture is described by its first bytes`(
    _ name: String,
    _ bytes: [UInt8],
    _ found: String
  ) {
    #expect(throws: CaptureFormatError.unknownFormat(found: found), "\(name)") {
      try Self.contents(bytes)
    }
  }
}

extension CaptureReader {
  /// The notes on anything but the times of the capture, which begin in 1970 in these tests.
  var otherNotes: [String] { notes.filter { !$0.hasPrefix("the times of the capture are") } }
}
