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
    "> a quotation\n", "{\"time\":1}\n", "bash: no such file\n", "  ab cd of them\n",
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
      the text of hcidump in a form that is not read (run hcidump with -t --raw instead)
      """#
    #expect(throws: CaptureFormatError.unknownFormat(found: found)) { try Self.contents(text) }
  }

  @Test(
    arguments: [
      (
        Array("[\n{\"v\":1}]".utf8),
        "a JSON array (write each of its objects on a line, as jq -c '.[]' does)"
      ),
      (
        Array("[{\"v\":1,\"t\":2,\"x\":3}, {\"v\":1,\"t\":2,\"x\":3}]\n".utf8),
        "a JSON array (write each of its objects on a line, as jq -c '.[]' does)"
      ),
      (Array("Hello, dear, friend\n".utf8), "the text \"Hello, dear, fri\""),
      (
        Array("This is one, this is two, and three\nHere is four, or five is, or six\n".utf8),
        "the text \"This is one, thi\""
      ),
      ([0xFF, 0xFE, 0x7B, 0, 0x22, 0], utf16), ([0xFE, 0xFF, 0, 0x7B, 0, 0x22], utf16),
      ([0x7B, 0, 0x22, 0, 0x76, 0], utf16),
      ([0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0], utf32), ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x7B], utf32),
      ([0x7B, 0, 0, 0, 0x22, 0, 0, 0], utf32),
      (Array("[sudo] password for pi: \nBluetooth monitor ver 5.66\n\(btmonText)".utf8), btmon),
      (Array("\u{FEFF}Bluetooth monitor ver 5.66\r\n".utf8), btmon), (Array(btmonText.utf8), btmon),
      (Array("\u{1B}[0;35m= New Index: 01:02 [hci0] 0.5\u{1B}[0m\n".utf8), btmon),
      (Array("\u{1B}[0;92m[NEW]\u{1B}[0m Device C0:00:00:00:00:01 x\n".utf8), bluetoothctl),
      (Array("[\u{1B}[0;93mCHG\u{1B}[0m] Device C0:00:00:00:00:01 RSSI: -60\n".utf8), bluetoothctl),
    ] as [([UInt8], String)]
  )
  func `text in another form is named`(_ bytes: [UInt8], _ found: String) {
    #expect(throws: CaptureFormatError.unknownFormat(found: found)) { try CaptureContents(bytes) }
  }

  @Test(arguments: [
    "time,address,rssi,raw\n2026-05-02 10:00:00,C0:00:00:00:00:01,-60,0x02\n",
    "timestamp\tname\trssi\n1\tTag\t-60\n", "time;rssi;ad\n1;-60;0201\n",
  ])
  func `a table is called one`(_ text: String) {
    let found =
      "a table (the page JSON Lines has the few lines of Python that turn one into a recording)"
    #expect(throws: CaptureFormatError.unknownFormat(found: found)) { try Self.contents(text) }
  }

  @Test func `the JSON of tshark is called that`() {
    let text = "[\n  {\n    \"_index\": \"packets\",\n    \"_source\": {\n      \"layers\": {}}}]"
    let found = "the JSON of tshark (give the capture itself)"
    #expect(throws: CaptureFormatError.unknownFormat(found: found)) { try Self.contents(text) }
  }

  static func line(_ second: Int, rssi: String = "-60") -> String {
    #"{"v":1,"type":"report","t":"2026-05-02T10:00:0\#(second)Z","rssi":\#(rssi),"ad":"020106"}"#
  }

  @Test(arguments: ["\n", "\r\n", "\r", ""])
  func `lines may end as any program ends them`(_ end: String) throws {
    let text = (0..<5).map { Self.line($0) + end }.joined()
    for sizes in [[], [1], [64, 7]] {
      let found = try CaptureContents(Array(text.utf8), blockSizes: sizes)
      #expect(found.reports.count == 5 && found.reader.damagedAt == nil)
      #expect(found.reader.records == 5 && found.reader.notes.isEmpty)
    }
    // An object in an object, and text that looks like the start of one.
    let odd = #"{"v":1,"type":"report","t":"2026-05-02T10:00:01Z","x":{"y":"}{\"'"},"ad":"020106"}"#
    #expect(try Self.contents(odd + end + odd).reports.count == 2)
  }

  @Test(arguments: [
    "beaconctl: air.btsnoop: the capture has no times\n", "# my log\n", "// log\n\n",
  ])
  func `a message or comment may come before lines`(_ first: String) throws {
    let found = try Self.contents(first + (0..<5).map { Self.line($0) + "\n" }.joined())
    #expect(found.reports.count == 5 && found.reader.drops.total == 1)
    #expect(found.reader.notes == ["line 1 is text, not an object"])
  }

  @Test func `an RSSI that cannot be a level has a note`() throws {
    let magnitude = try Self.contents(Self.line(1, rssi: "60"))
    #expect(
      magnitude.reader.notes == [
        "an RSSI of 60 counts as unknown; a level of −60 dBm is written -60"
      ]
    )
    let several = try Self.contents(
      (1...20).map { Self.line($0 % 10, rssi: "\($0)") + "\n" }.joined()
    )
    #expect(several.reader.otherNotes.count == 1, "\(several.reader.notes)")
    for rssi in ["0", "127", "null"] {
      #expect(try Self.contents(Self.line(1, rssi: rssi) + "\n").reader.notes.isEmpty)
    }
    let missing = try Self.contents(Self.line(1, rssi: "NaN") + "\n")
    #expect(missing.reader.notes.first?.hasSuffix("write null instead of NaN") == true)
  }

  @Test func `local times of hcidump have a note`() throws {
    let local = try Self.contents(Self.packet("", "", "2026-05-02 10:00:00.000000 "))
    #expect(local.reports.count == 1 && local.reader.notes.first?.contains("read as UTC") == true)
    #expect(try Self.contents(Self.packet("", "", "1777716000.000000 ")).reader.notes.isEmpty)
  }

  private static let btmonText =
    "> HCI Event: LE Meta Event (0x3e) plen 42      #1 [hci0] 1.234567\n        RSSI: -60 dBm\n"
  private static let btmon = "the text of btmon (record with btmon -w instead)"
  private static let bluetoothctl =
    "the text of bluetoothctl, without advertisements (record with btmon -w instead)"
  private static let utf32 =
    "text in UTF-32 (convert it to UTF-8, as iconv -f UTF-32 -t UTF-8 does)"
  private static let utf16 =
    "text in UTF-16 (convert it to UTF-8, as iconv -f UTF-16 -t UTF-8 does)"

  // MARK: Captures made of several

  static let other = Build.btsnoop(1001, Build.report)
  static let second = Build.record(flags: 3, Build.reportH4)
  static let empty = Array(other.prefix(16))
  static let pcap = Build.pcap(seconds: 1, fraction: 2)

  @Test(arguments: [
    (Build.btsnoop(1002, Build.reportH4) + Build.btsnoop(1002, Build.reportH4), [1002]),
    (Build.btsnoop(1002, Build.reportH4) + other, [1002, 1001]),
    (pcap + pcap, [187]),
    (pcap + Build.pcap(seconds: 5, fraction: 2, nanoseconds: true), [187]),
    // The second has no record, so it is shorter than one.
    (Build.btsnoop(1002, Build.reportH4 + []) + second + empty, [1002, 1001]),
  ])
  func `a file made of two captures is read to its end`(_ bytes: [UInt8], _ types: [Int]) throws {
    for sizes in [[], [1], [25], [100]] {
      var reader = try CaptureReader(MemorySource(bytes, blockSizes: sizes))
      var reports = 0
      while let batch = try reader.next() {
        reports += batch.inputs.count { if case .report = $0 { true } else { false } }
      }
      #expect(reports == 2 && reader.damagedAt == nil && reader.otherNotes.isEmpty)
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

  /// A report as text of hcidump, as a recording, and in pcap with nanoseconds.
  static let mixed = (
    text: Array("1000.000000 > 04 3E 0C 02 01 03 01 01 00 00 00 00 C0 00 C4 \n".utf8),
    lines: Array((line(0) + "\n").utf8),
    pcap: Build.pcap(seconds: 1, fraction: 0, nanoseconds: true)
  )

  @Test func `a capture after the text of hcidump is named`() throws {
    for (second, name) in [(Self.mixed.lines, "JSON Lines"), (Self.mixed.pcap, "pcap")] {
      let found = try CaptureContents(Self.mixed.text + second)
      #expect(found.reports.count == 1)
      #expect(
        found.reader.damage
          == "another capture starts here, \(name): give each as a separate file, with -f"
      )
    }
    // JSON of other programs costs nothing.
    let log = Array("{\"level\":\"info\",\"type\":\"log\"}\n".utf8)
    let found = try CaptureContents(Self.mixed.text + log + Self.mixed.text)
    #expect(found.reports.count == 2 && found.reader.damagedAt == nil)
  }

  @Test func `text of hcidump after a short recording is named`() throws {
    let found = try CaptureContents(Self.mixed.lines + Self.mixed.text)
    #expect(found.reader.format == .jsonLines && found.reports.count == 1)
    #expect(found.reader.drops[.malformedRecord] == 1)
    #expect(found.reader.notes == ["line 2 is text, not an object"])
  }

  static let packetLogger: [UInt8] = (0..<5).flatMap { (index: UInt32) -> [UInt8] in
    let count = UInt32(9 + Build.report.count)
    let numbers: [UInt8] = [count, 1000 + index, 5].flatMap { Build.big($0) }
    return numbers + [1] + Build.report
  }
  static let hcidump: [UInt8] = (0..<5).flatMap { (index: UInt32) -> [UInt8] in
    let start: [UInt8] = [UInt8(Build.reportH4.count), 0, 1, 0]
    let numbers: [UInt8] = [1000 + index, 5].flatMap { Build.little($0) }
    return start + numbers + Build.reportH4
  }
  static let pcapng: [UInt8] = {
    let packets: [[UInt8]] = (0..<5).map { Build.enhanced(stamp: 1000 + UInt64($0)) }
    return Build.section + Build.interface() + packets.flatMap { $0 }
  }()
  static let btsnoop: [UInt8] = {
    let packets = [[UInt8]](repeating: Build.record(flags: 3, Build.reportH4), count: 4)
    return Build.btsnoop(1002, Build.reportH4) + packets.flatMap { $0 }
  }()
  static let fivePackets = (0..<5).map { packet("", "", "100\($0).000000 ") }.joined()

  @Test(arguments: [
    (btsnoop, 1), (btsnoop, 2), (pcapng, 1), (pcapng, 2), (pcapng, 5), (pcapng, 12), (pcapng, 17),
  ])
  func `after a capture that is cut off, the next one is read`(
    _ bytes: [UInt8],
    _ missing: Int
  ) throws {
    let found = try CaptureContents(bytes.dropLast(missing) + bytes)
    #expect(found.reports.count == 9)
    #expect(found.reports.allSatisfy { $0.rssi == -60 })
    #expect(found.reader.damagedAt == nil)
    let place = bytes.count - missing
    #expect(found.reader.notes.contains { $0.contains("at byte \(place), where another one") })
    // The last of several is not read twice.
    let twice = try CaptureContents(bytes + bytes.dropLast(missing))
    #expect(twice.reports.count == 9 && twice.reader.damagedAt != nil)
  }

  @Test(arguments: [btsnoop, pcapng, packetLogger, hcidump])
  func `after text of hcidump, another capture is named`(_ bytes: [UInt8]) throws {
    let found = try CaptureContents(Array(Self.fivePackets.utf8) + bytes)
    #expect(found.reports.count == 5)
    let name = CaptureFormat.sniff(bytes.span)?.name ?? ""
    #expect(found.reader.damage?.contains("starts here, \(name):") == true)
    #expect(found.reader.damagedAt == Self.fivePackets.utf8.count)
  }

  @Test(arguments: [btsnoop, pcapng, packetLogger, hcidump, pcap], [btsnoop, pcapng, pcap, text])
  func `a capture of another format is named`(_ first: [UInt8], _ second: [UInt8]) throws {
    let name = CaptureFormat.sniff(second.span)?.name ?? ""
    let firstName = CaptureFormat.sniff(first.span)?.name
    guard firstName != name else { return }
    let found = try CaptureContents(first + second)
    #expect(found.reader.damage?.contains("starts here, \(name):") == true)
    #expect(found.reader.damagedAt == first.count)
  }

  static let text = Array("HCI sniffer - Bluetooth packet analyzer ver 5.66\n\(fivePackets)".utf8)

  @Test(arguments: ["\r", "\r\n", "\n"])
  func `lines of hcidump may end in any way`(_ end: String) throws {
    let text = Self.fivePackets.replacing("\n", with: end)
    for sizes in [[], [1], [7]] {
      #expect(try CaptureContents(Array(text.utf8), blockSizes: sizes).reports.count == 5)
    }
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
