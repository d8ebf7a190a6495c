// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

/// Captures as people bring them: joined, mixed with other text, or of a kind that is not read.
@Suite struct ForeignTextTests {
  typealias Build = CaptureBuilder

  static func contents(_ text: String) throws -> CaptureContents {
    try CaptureContents(Array(text.utf8))
  }

  /// A report of 14 bytes in two lines of `hcidump --raw`, and lines around and in it.
  static func packet(_ before: String = "", _ inside: String = "", _ time: String = "") -> String {
    before + time + "> 04 3E 0C 02 01 03 01 01 00 00 \n" + inside + "  00 00 C0 00 C4 \n"
  }

  @Test(arguments: [
    "LE Scan ...\n", "pi@raspberrypi:~ $ sudo hcidump --raw\n", "# a comment\n\n",
    "C0:00:00:00:00:01 (unknown)\nC0:00:00:00:00:01 Tag 12\n", "  an indented line\n",
    "> a quotation\n", "  ab cd of them\n",
  ])
  func `lines of other programs cost nothing`(_ foreign: String) throws {
    let text = (0..<5).map { _ in Self.packet(foreign, foreign.hasPrefix(">") ? "" : foreign) }
      .joined()
    for lead in ["", "HCI sniffer - Bluetooth packet analyzer ver 5.66\n"] {
      let found = try Self.contents(lead + text)
      #expect(found.reader.format == .hcidumpText)
      #expect(found.reports.count == 5)
      if !foreign.hasPrefix(">") { #expect(found.reader.drops.total == 0) }
    }
  }

  @Test func `a whole screen of another program may come first`() throws {
    let lines = (0..<300).map { "C0:00:00:00:00:01 Tag \($0)\n" }.joined()
    #expect(try Self.contents(lines + Self.packet()).reports.count == 1)
  }

  @Test(arguments: [
    """
    HCI sniffer - Bluetooth packet analyzer ver 5.66
    device: hci0 snap_len: 1500 filter: 0xffffffffffffffff
    > HCI Event: LE Meta Event (0x3e) plen 42
        0000: 02 01 03 01 01 00 00 00 00 c0 1e 02 01 06 1a ff   ................
    """,
    """
    2026-05-02 10:00:00.000000 > HCI Event: LE Meta Event (0x3e) plen 42
        LE Advertising Report
    """,
    "< HCI Command: LE Set Scan Enable (0x08|0x000c) plen 2\n",
  ])
  func `text of hcidump without raw bytes is refused with the option to use`(_ text: String) {
    let found = #"""
      the text of hcidump without the bytes of its packets (run hcidump with -t --raw instead)
      """#
    #expect(throws: CaptureFormatError.unknownFormat(found: found)) { try Self.contents(text) }
  }

  @Test(
    arguments: [
      (
        Array("[\n{\"v\":1}]".utf8),
        "a JSON array (write each of its objects on a line, as jq -c '.[]' does)"
      ),
      ([0xFF, 0xFE, 0x7B, 0, 0x22, 0], utf16), ([0xFE, 0xFF, 0, 0x7B, 0, 0x22], utf16),
      ([0x7B, 0, 0x22, 0, 0x76, 0], utf16),
    ] as [([UInt8], String)]
  )
  func `text in another form is named`(_ bytes: [UInt8], _ found: String) {
    #expect(throws: CaptureFormatError.unknownFormat(found: found)) { try CaptureContents(bytes) }
  }

  private static let utf16 =
    "text in UTF-16 (convert it to UTF-8, as iconv -f UTF-16 -t UTF-8 does)"

  // MARK: Captures made of several

  static let other = Build.btsnoop(1001, Build.report)
  static let pcap = Build.pcap(seconds: 1, fraction: 2)

  @Test(arguments: [
    (Build.btsnoop(1002, Build.reportH4) + Build.btsnoop(1002, Build.reportH4), [1002]),
    (Build.btsnoop(1002, Build.reportH4) + other, [1002, 1001]),
    (pcap + pcap, [187]),
    (pcap + Build.pcap(seconds: 5, fraction: 2, nanoseconds: true), [187]),
  ])
  func `a file made of two captures is read to its end`(_ bytes: [UInt8], _ types: [Int]) throws {
    for sizes in [[], [1], [25], [100]] {
      var reader = try CaptureReader(MemorySource(bytes, blockSizes: sizes))
      var reports = 0
      while let batch = try reader.next() { reports += batch.inputs.count }
      #expect(reports == 2 && reader.damagedAt == nil)
      #expect(reader.linkTypes == types)
    }
  }

  @Test(arguments: [
    (
      Build.btsnoop(1002, Build.reportH4) + pcap,
      "another capture starts here, pcap: give each as a separate file, with -f"
    ),
    (
      pcap + Build.btsnoop(1002, Build.reportH4),
      "another capture starts here, btsnoop: give each as a separate file, with -f"
    ),
    (
      Build.btsnoop(1002, Build.reportH4) + Build.btsnoop(1004, []),
      "another capture starts here, of data link 1004 (three-wire H5), which is not read"
    ),
    (
      pcap + withLinkType(1),
      "another capture starts here, of link type 1, which holds no advertising (187, 201, 251, 254, 256 or 272 would)"
    ),
  ])
  func `a second capture that is not read is named`(_ bytes: [UInt8], _ damage: String) throws {
    let found = try CaptureContents(bytes)
    #expect(found.reports.count == 1)
    #expect(found.reader.damage == damage)
  }

  // MARK: Link types

  static func withLinkType(_ number: UInt8) -> [UInt8] {
    var bytes = pcap
    bytes[20] = number
    return bytes
  }

  @Test(arguments: [
    (189, ": USB packets of Linux, whose Bluetooth is not read"),
    (220, ": USB packets of Linux, whose Bluetooth is not read"),
    (249, ": USB packets of Windows, whose Bluetooth is not read"),
    (192, ": packets with a PPI header, whose Bluetooth is not read"),
    (150, ": a number for private use, whose packets are not known"),
    (200, ": packets that are not read"), (127, ", which holds no advertising"),
  ])
  func `a link type that is not read is named`(_ number: UInt8, _ text: String) {
    let error = #expect(throws: CaptureFormatError.self) {
      try CaptureContents(Self.withLinkType(number))
    }
    #expect(error?.description.contains("link type \(number)\(text) (187, 201") == true)
  }

  @Test func `captures of older nRF Sniffers are read`() throws {
    var bytes = try FixtureCaptureTests.bytes("nordic-v2.pcap")
    let now = try CaptureContents(bytes)
    // Big-endian: the last byte is the number's.
    bytes.replaceSubrange(20..<24, with: [0, 0, 0, 157])
    let then = try CaptureContents(bytes)
    #expect(then.reports == now.reports && !then.reports.isEmpty)
    #expect(then.reader.linkTypes == [157])
  }
}
