// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

/// Records other than reports show that the capture ran (rows T5 and T6).
@Suite struct RecordTimeTests {
  typealias Build = CaptureBuilder
  typealias Scan = ScanStateTests

  /// A command that changes nothing about a scan: Read RSSI.
  static func other(_ time: Double) -> Scan.Packet {
    Scan.Packet(time: time, content: .command([5, 0x14, 2, 1, 0]))
  }

  static func others(_ range: StrideThrough<Double>) -> [Scan.Packet] { range.map(other) }

  // MARK: Formats

  enum Format: CaseIterable {
    case h1, h4, monitor, pcap, direction, pcapMonitor, pcapng, packetLogger, hcidump, text, sniffer

    func capture(_ packets: [Scan.Packet]) -> [UInt8] {
      switch self {
      case .h1: Scan.btsnoop(1001, packets)
      case .h4: Scan.btsnoop(1002, packets)
      case .monitor: Scan.btsnoop(2001, packets)
      default: start + packets.flatMap(record)
      }
    }

    private var linkType: UInt32 {
      switch self {
      case .direction: 201
      case .pcapMonitor: 254
      case .sniffer: 251
      default: 187
      }
    }

    private var start: [UInt8] {
      switch self {
      case .pcap, .direction, .pcapMonitor, .sniffer:
        Build.little(UInt32(0xA1B2_C3D4)) + [2, 0, 4, 0] + [UInt8](repeating: 0, count: 12)
          + Build.little(linkType)
      case .pcapng: Build.section + Build.interface()
      default: []
      }
    }

    private func record(_ packet: Scan.Packet) -> [UInt8] {
      let (stamp, content) = (Scan.at(packet.time).microseconds, packet.content)
      let (seconds, rest) = (UInt32(stamp / 1_000_000), UInt32(stamp % 1_000_000))
      let h4 = [content.type] + content.bytes
      let isEvent = content.type == 4
      switch self {
      case .h1, .h4, .monitor: return []
      case .pcapng: return Build.enhanced(stamp: UInt64(stamp), h4)
      case .packetLogger:
        return Build.big(UInt32(9 + content.bytes.count)) + Build.big(seconds) + Build.big(rest)
          + [isEvent ? 1 : 0] + content.bytes
      case .hcidump:
        return Build.little(UInt16(h4.count)) + [isEvent ? 1 : 0, 0] + Build.little(seconds)
          + Build.little(rest) + h4
      case .text:
        let digits = h4.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) + " " }
        let fraction = String(String(1_000_000 + rest).dropFirst())
        return Array("\(seconds).\(fraction) \(isEvent ? ">" : "<") \(digits.joined())\n".utf8)
      case .pcap, .direction, .pcapMonitor, .sniffer:
        let data: [UInt8] =
          switch self {
          case .direction: [0, 0, 0, isEvent ? 1 : 0] + h4
          case .pcapMonitor: [0, 0] + Build.big(content.opcode) + content.bytes
          // A connectable advertisement without data, or a packet of another access address.
          case .sniffer:
            isEvent ? Self.advertisement : [1, 2, 3, 4, 0, 0, 0, 0, 0]
          default: h4
          }
        let count = Build.little(UInt32(data.count))
        return Build.little(seconds) + Build.little(rest) + count + count + data
      }
    }

    private static let advertisement: [UInt8] = {
      // Its checksum follows from the polynomial of the advertising channels.
      let pdu: [UInt8] = [0x02, 6, 1, 2, 3, 4, 5, 0xC0]
      var state: UInt32 = 0x55_5555
      for byte in pdu {
        for bit in 0..<8 {
          let next = (state >> 23 ^ UInt32(byte >> UInt8(bit))) & 1
          state = (state << 1) & 0xFF_FFFF
          if next == 1 { state ^= 0x65B }
        }
      }
      let checksum = (0..<24).map { UInt8(state >> (23 - UInt32($0)) & 1) }
      let bytes = (0..<3).map { byte in
        (0..<8).reduce(UInt8(0)) { $0 | checksum[byte * 8 + $1] << $1 }
      }
      return [0xD6, 0xBE, 0x89, 0x8E] + pdu + bytes
    }()
  }

  static func inputs(_ capture: [UInt8], blockSizes: [Int] = []) throws -> [ScanInput] {
    var reader = try CaptureReader(MemorySource(capture, blockSizes: blockSizes))
    var inputs: [ScanInput] = []
    while let batch = try reader.next() { inputs += batch.inputs }
    return inputs
  }

  static func seconds(_ inputs: [ScanInput]) -> [Double] {
    inputs.compactMap { input in
      guard case .mark(let time) = input else { return nil }
      return Double(time.microseconds - Scan.epoch) / 1_000_000
    }
  }

  // MARK: Marks

  @Test(arguments: Format.allCases) func `a record without a report shows that time passed`(
    _ format: Format
  ) throws {
    // Nothing before the first report shows that somebody listens.
    let packets =
      Self.others(stride(from: 0, through: 3, by: 1)) + Scan.reports(5..<10)
      + Self.others(stride(from: 10, through: 12, by: 0.25))
      + Self.others(stride(from: 20, through: 200, by: 30)) + [Scan.report(210)]
    let inputs = try Self.inputs(format.capture(packets))
    #expect(Self.seconds(inputs) == [10.5, 11.5, 20, 50, 80, 110, 140, 170, 200])
    #expect(inputs.count == 6 + 9)
  }

  @Test(arguments: [1, 7, 100, 1000]) func `how a capture is divided into blocks has no effect`(
    _ size: Int
  ) throws {
    let packets =
      Scan.reports(0..<20) + Self.others(stride(from: 0.2, through: 400, by: 0.4))
      + Scan.scan(30, false) + Scan.scan(60, true) + [Scan.report(300)]
    let capture = Scan.btsnoop(1002, packets)
    // A payload's place depends on the blocks.
    func placed(_ inputs: [ScanInput]) -> [ScanInput] { inputs.map { $0.pointing(to: 0) } }
    let whole = placed(try Self.inputs(capture))
    #expect(try placed(Self.inputs(capture, blockSizes: [size])) == whole)
  }

  @Test func `a receiver that does not listen stays so while time passes`() throws {
    let packets =
      Scan.reports(0..<10) + Scan.scan(10, false)
      + Self.others(stride(from: 10.5, through: 100, by: 1))
      + Scan.scan(100.2, true)
    let capture = Scan.btsnoop(1002, packets)
    #expect(
      try Scan.states(capture).states == [
        Scan.State(0, .off, 10), Scan.State(0, .listening, 100.2),
      ]
    )
    // Until it is decided that the scan is off, no mark comes before its state.
    let marks = Self.seconds(try Self.inputs(capture))
    #expect(marks.first == 13.5 && marks.last == 99.5)
  }

  // MARK: The clock

  static func steady(_ packets: [Scan.Packet]) throws -> (inputs: [ScanInput], wrong: Int) {
    let reader = try CaptureReader(MemorySource(Scan.btsnoop(1002, packets)))
    var merging = try MergingReader([("a", reader)])
    var inputs: [ScanInput] = []
    while let batch = try merging.next() { inputs += batch.inputs }
    return (inputs, merging.clocks.reduce(0) { $0 + $1.clock.wrongStamps })
  }

  @Test func `records around a report show that its stamp is right`() throws {
    let found = try Self.steady(
      Scan.reports(0..<100) + Self.others(stride(from: 1.2, through: 297, by: 5)) + [
        Scan.report(299)
      ]
    )
    #expect(found.wrong == 0 && found.inputs.last?.time == Scan.at(299))
  }

  @Test(arguments: [[400.0], [400, 400.001, 400.002, 400.003]])
  func `an end after a long silence has a right stamp`(_ ends: [Double]) throws {
    let found = try Self.steady(Scan.reports(0..<100) + ends.map(Self.other))
    #expect(found.wrong == 0)
    // A single record shows nothing.
    #expect(found.inputs.last?.time == Scan.at(ends.count == 1 ? 99.5 : 400.002))
  }

  @Test func `a record with a wrong stamp hides none of those that follow`() throws {
    let capture =
      Scan.btsnoop(1002, Scan.reports(0..<10) + [Self.other(1_000_000)])
      + Scan.btsnoop(1002, Self.others(stride(from: 15, through: 100, by: 5))).dropFirst(16)
    var merging = try MergingReader([("a", CaptureReader(MemorySource(capture)))])
    var latest = Timestamp.earliest
    while let batch = try merging.next() { latest = batch.inputs.map(\.time).max() ?? latest }
    #expect(latest == Scan.at(100))
    #expect(merging.clocks.map(\.clock.wrongStamps) == [1])
  }

  // MARK: Outputs

  @Test(arguments: [true, false]) func `marks survive being written as packets`(_ isPcap: Bool)
    throws
  {
    let writer: any CaptureWriter = isPcap ? PcapWriter() : BtsnoopWriter()
    var bytes: [UInt8] = []
    writer.begin(receiverNames: ["hci0"], at: Scan.at(0), into: &bytes)
    let scan: [ScanInput] = [
      .radio(receiver: 0, .listening, Scan.at(0)), .radio(receiver: 0, .off, Scan.at(10)),
      .mark(Scan.at(30)), .mark(Scan.at(60)), .mark(Scan.at(160)),
    ]
    writer.write(ScanBatch(bytes: [], inputs: scan), into: &bytes)
    #expect(try Self.seconds(Self.inputs(bytes)) == [30, 60, 160])
  }
}
