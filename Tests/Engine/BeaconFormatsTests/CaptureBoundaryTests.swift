// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

/// Between two captures in one file no receiver listens (row T11), and receivers with names alike stay several.
@Suite struct CaptureBoundaryTests {
  typealias Build = CaptureBuilder
  typealias State = ScanStateTests.State

  /// Captures of a report a second.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (Range<Int>) -> [UInt8]

    static func at(_ second: Int) -> (seconds: UInt32, stamp: UInt64) {
      let microseconds = ScanStateTests.at(Double(second)).microseconds
      return (UInt32(microseconds / 1_000_000), UInt64(microseconds))
    }

    static let all =
      [1001, 1002, 2001].map { (dataLink: UInt32) in
        Kind(testDescription: "btsnoop \(dataLink)") { seconds in
          ScanStateTests.btsnoop(
            dataLink,
            seconds.map { ScanStateTests.report(Double($0)) }
          )
        }
      } + [
        Kind(testDescription: "pcap") { pcap(187, Build.reportH4, $0) },
        Kind(testDescription: "pcap of a sniffer") { pcap(256, advertisement, $0) },
        Kind(testDescription: "pcapng") { seconds in
          Build.section + Build.interface()
            + seconds.flatMap { Build.enhanced(stamp: at($0).stamp) }
        },
        Kind(testDescription: "text of hcidump") { seconds in
          Array("HCI sniffer - Bluetooth packet analyzer ver 5.66\n".utf8)
            + seconds.flatMap { second in
              let bytes = "04 3E 0C 02 01 03 01 01 00 00 00 00 C0 00 C4"
              return Array("\(at(second).seconds).000000 > \(bytes) \n".utf8)
            }
        },
      ]

    /// An advertisement of no data after the header of a radio that found its checksum right.
    static let advertisement: [UInt8] =
      [0, 0xC4, 0, 0, 0xD6, 0xBE, 0x89, 0x8E, 0x03, 0x0C]
      + [0xD6, 0xBE, 0x89, 0x8E, 0x42, 6, 1, 0, 0, 0, 0, 0xC0, 0, 0, 0]

    private static func pcap(_ linkType: UInt32, _ data: [UInt8], _ seconds: Range<Int>) -> [UInt8]
    {
      let header =
        Build.little(UInt32(0xA1B2_C3D4)) + Build.little(UInt16(2)) + Build.little(UInt16(4))
      let count = Build.little(UInt32(data.count))
      return header + [UInt8](repeating: 0, count: 12) + Build.little(linkType)
        + seconds.flatMap { second -> [UInt8] in
          Build.little(at(second).seconds) + Build.little(UInt32(0)) + count + count + data
        }
    }
  }

  @Test(arguments: Kind.all) func `no receiver listens between two captures in one file`(
    _ kind: Kind
  )
    throws
  {
    for sizes in [[], [1], [7, 100]] {
      let found = try ScanStateTests.states(
        kind.make(0..<10) + kind.make(49..<60),
        blockSizes: sizes
      )
      #expect(found.states == [State(0, .gone, 9), State(0, .listening, 49)])
      #expect(found.reports == 21)
      // The pieces of one recording follow each other closely.
      let pieces = try ScanStateTests.states(
        kind.make(0..<10) + kind.make(12..<20),
        blockSizes: sizes
      )
      #expect(pieces.states.isEmpty && pieces.reports == 18)
    }
    // An older capture after a newer one.
    var reader = try CaptureReader(MemorySource(kind.make(4000..<4010) + kind.make(0..<10)))
    var states: [RadioState] = []
    while let batch = try reader.next() {
      for case .radio(_, let state, _) in batch.inputs { states.append(state) }
    }
    #expect(states == [.gone, .listening])
  }

  @Test(arguments: [1002, 2001] as [UInt32])
  func `a capture that breaks off ends like any other`(_ dataLink: UInt32) throws {
    func capture(_ seconds: Range<Int>) -> [UInt8] {
      ScanStateTests.btsnoop(dataLink, ScanStateTests.reports(seconds))
    }
    let bytes = capture(0..<10).dropLast(1) + capture(49..<60)
    let states = try ScanStateTests.states(Array(bytes)).states
    #expect(states.map(\.state) == [.gone, .listening] && states.last?.time == 49.5)
  }

  /// Wherever the first of two captures is cut, nothing of the second one is lost, and nothing is made of its header.
  @Test(arguments: Kind.all.prefix(4) + [packetLogger, hcidump])
  func `a cut capture takes nothing of the next one`(
    _ kind: Kind
  ) throws {
    let (first, second) = (kind.make(0..<10), kind.make(49..<60))
    for cut in 1...min(150, first.count - 40) {
      let whole = try ScanStateTests.states(Array(first.dropLast(cut)))
      let both = try ScanStateTests.states(Array(first.dropLast(cut) + second))
      #expect(both.reports == whole.reports + 11, "\(cut) bytes")
    }
  }

  /// A block, or a part that a pipe gave, can also end after the first bytes of the second one.
  @Test(.slow, arguments: Kind.all.prefix(4) + [packetLogger, hcidump])
  func `a cut at the edge of a block takes nothing of the next capture`(_ kind: Kind) throws {
    let (first, second) = (kind.make(0..<6), kind.make(49..<60))
    let record = first.count / 6
    var lost: Set<String> = []
    for cut in stride(from: 1, to: record, by: 4) {
      let bytes = Array(first.dropLast(cut) + second)
      let start = first.count - cut
      for edge in start - 30..<start + record + 30 {
        // A pipe may also give a few bytes.
        for sizes in [[edge, bytes.count], [edge, 5, bytes.count]] {
          var reader = try CaptureReader(MemorySource(bytes, blockSizes: sizes))
          var later = 0
          while let batch = try reader.next() {
            for case .report(let report) in batch.inputs {
              later += report.time > ScanStateTests.at(40) && report.rssi == -60 ? 1 : 0
            }
          }
          if later != 11 || reader.damagedAt != nil { lost.insert("\(cut) \(sizes): \(later)") }
        }
      }
    }
    #expect(lost.isEmpty, "\(lost.count): \(lost.sorted().prefix(8))")
  }

  static let packetLogger = Kind(testDescription: "PacketLogger") { seconds in
    seconds.flatMap { second -> [UInt8] in
      Build.big(UInt32(9 + Build.report.count)) + Build.big(Kind.at(second).seconds)
        + Build.big(UInt32(0)) + [1] + Build.report
    }
  }
  static let hcidump = Kind(testDescription: "hcidump") { seconds in
    seconds.flatMap { second -> [UInt8] in
      [UInt8(Build.reportH4.count), 0, 1, 0] + Build.little(Kind.at(second).seconds)
        + Build.little(UInt32(0)) + Build.reportH4
    }
  }

  /// These show neither a start nor an adapter: all that can be known of another capture is an earlier time.
  @Test(arguments: [packetLogger, hcidump])
  func `without headers an older capture after a newer one is a clock that was set back`(
    _ kind: Kind
  ) throws {
    for sizes in [[], [100, 7]] {
      let bytes = kind.make(4000..<4010) + kind.make(0..<10)
      var reader = try CaptureReader(MemorySource(bytes, blockSizes: sizes))
      var clock = SteadyClock()
      var inputs: [ScanInput] = []
      while let batch = try reader.next() { inputs += clock.steady(batch).inputs }
      inputs += clock.finish().inputs
      #expect(clock.stepsBack.count == 1 && inputs.count == 21 && reader.damagedAt == nil)
      #expect(inputs.map(\.time) == inputs.map(\.time).sorted())
      let notices = inputs.count { if case .notice(.late, _) = $0 { true } else { false } }
      #expect(notices == 1)
      let later = try ScanStateTests.states(
        kind.make(0..<10) + kind.make(49..<60),
        blockSizes: sizes
      )
      #expect(later.states.isEmpty && later.reports == 21)
    }
  }

  /// Also not at a time at which the clock was set.
  @Test func `the first bytes of a header that a beacon sends end nothing`() throws {
    var packets = ScanStateTests.reports(0..<10)
    let name = [9, 9] + Array("btsnoop\0".utf8)
    packets[9].content = .event(
      [0x3E, 22, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 10] + name + [0xC4]
    )
    packets += ScanStateTests.reports(900_000..<900_010)
    for dataLink in [1001, 1002, 2001] as [UInt32] {
      let capture = ScanStateTests.btsnoop(dataLink, packets)
      var reader = try CaptureReader(MemorySource(capture))
      var reports = 0
      while let batch = try reader.next() {
        for case .report in batch.inputs { reports += 1 }
      }
      #expect(reports == 20 && reader.damagedAt == nil)
    }
  }

  @Test func `a scan that was off at the end of a capture is off until then`() throws {
    let first = ScanStateTests.btsnoop(
      2001,
      ScanStateTests.reports(0..<8) + ScanStateTests.scan(9, false) + ScanStateTests.event(11, [])
    )
    let second = ScanStateTests.btsnoop(
      2001,
      ScanStateTests.found(40, of: 1) + ScanStateTests.found(40) + ScanStateTests.monitor(40.1, 8)
        + ScanStateTests.reports(45..<50)
    )
    #expect(
      try ScanStateTests.states(first + second).states == [
        State(0, .off, 9), State(0, .gone, 11), State(0, .off, 40), State(0, .listening, 40.1),
      ]
    )
  }

  // MARK: Names

  @Test(arguments: [
    (["interface 0", "interface 1"], ["interfac", "interf~2"]),
    (["interface 0", "interfac"], ["interf~2", "interfac"]),
    (["hci 0", "hci 1"], ["hci_0", "hci_1"]),
    (["Küche", "Kuche"], ["K_che", "Kuche"]),
    (["hci1", ""], ["hci1", "hci1~2"]), (["", "left"], ["hci0", "left"]),
  ])
  func `receivers keep different names in eight characters`(
    _ names: [String],
    _ short: [String]
  ) throws {
    let reports = names.indices.map { index in
      ScanInput.report(
        AdvertisingReport(
          time: ScanStateTests.at(Double(index)),
          rssi: -60,
          receiver: UInt8(index),
          payloadStart: 0,
          payloadCount: 0
        )
      )
    }
    for writer in [PcapWriter(), BtsnoopWriter()] as [any CaptureWriter] {
      var bytes: [UInt8] = []
      writer.begin(receiverNames: names, at: ScanStateTests.at(0), into: &bytes)
      writer.write(ScanBatch(bytes: [], inputs: reports), into: &bytes)
      #expect(try CaptureContents(bytes).reader.receiverNames == short)
    }
  }

  @Test func `interfaces of one name in a section are several receivers`() throws {
    let name = Build.interface(options: Build.option(2, Array("bluetooth0".utf8)))
    let section = Build.section + Build.interface(1) + name + name
    let stamp = Kind.at(0).stamp
    let capture =
      section + Build.enhanced(2, stamp: stamp) + Build.enhanced(1, stamp: stamp + 1) + section
      + Build.enhanced(1, stamp: stamp + 2) + Build.enhanced(2, stamp: stamp + 3)
    let found = try CaptureContents(capture)
    #expect(found.reader.receiverNames == ["bluetooth0~2", "bluetooth0"])
    #expect(found.reports.map(\.receiver) == [0, 1, 1, 0])
  }

  @Test func `each monitor channel of a pcapng capture has its own adapters`() throws {
    func packet(_ channel: UInt32, _ second: Double, _ opcode: UInt16, _ bytes: [UInt8]) -> [UInt8]
    {
      let stamp = UInt64(ScanStateTests.at(second).microseconds)
      return Build.enhanced(channel, stamp: stamp, Build.big(UInt16(0)) + Build.big(opcode) + bytes)
    }
    var capture = Build.section + Build.interface(254) + Build.interface(254)
    for second in 0..<30 {
      capture += packet(0, Double(second), 3, Build.report)
      if second < 10 { capture += packet(1, Double(second), 3, Build.report) }
      if second == 10 { capture += packet(1, 10, 9, []) }
    }
    let found = try ScanStateTests.states(capture)
    #expect(found.states == [State(1, .off, 10)] && found.reports == 40)
    #expect(try CaptureContents(capture).reader.receiverNames == ["hci0", "hci0~2"])
  }

  // MARK: JSON Lines

  @Test(arguments: [true, false])
  func `a report after a state that was written by hand shows that its receiver listens`(
    _ hasHeader: Bool
  ) throws {
    let header = #"{"v":1,"type":"capture","tool":"beaconctl","version":"1","receivers":["hci0"]}"#
    func report(_ time: Double) -> String {
      let time = RFC3339.string(ScanStateTests.at(time))
      return #"{"v":1,"type":"report","t":"\#(time)","receiver":"hci0","rssi":-70,"ad":"020106"}"#
    }
    let off = RFC3339.string(ScanStateTests.at(10))
    var lines = [
      report(9), #"{"v":1,"type":"radio","t":"\#(off)","receiver":"hci0","state":"off"}"#,
    ]
    lines += [report(10.5), report(20), report(21)]
    if hasHeader { lines.insert(header, at: 0) }
    let found = try ScanStateTests.states(Array((lines.joined(separator: "\n") + "\n").utf8))
    let isBack = hasHeader ? [] : [State(0, .listening, 20)]
    #expect(found.states == [State(0, .off, 10)] + isBack && found.reports == 4)
  }
}
