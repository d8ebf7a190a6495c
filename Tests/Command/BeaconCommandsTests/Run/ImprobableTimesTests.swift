// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// Captures with improbable times, and captures of interfaces whose clocks differ.
@Suite struct ImprobableTimesTests {
  static let museum = SeveralCapturesTests.museum

  private static func event(_ minor: UInt16) -> [UInt8] {
    let identity = TestScan.beacon(1, minor)
    let data = BeaconEncoder.advertisingData(identity, measuredPower: -59)
    let body: [UInt8] =
      [2, 1, 3, 1, UInt8(minor & 255), 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [0xC4]
    return [4, 0x3E, UInt8(body.count)] + body
  }

  private static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func big<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    little(value).reversed()
  }

  private static func write(_ bytes: [UInt8], _ name: String, in folder: ScratchFolder) throws
    -> String
  {
    let path = folder.url.appending(path: name)
    try Data(bytes).write(to: path)
    return path.path
  }

  // MARK: Epochs

  enum Kind: String, CaseIterable { case btsnoop, pcap, packetLogger }

  /// A beacon for twenty seconds, from a second on as the format counts it.
  private static func capture(_ kind: Kind, from start: Int64) -> [UInt8] {
    let packet = event(1)
    switch kind {
    case .btsnoop:
      return Array("btsnoop\0".utf8) + big(UInt32(1)) + big(UInt32(1002))
        + (0..<20 as Range<Int64>).flatMap { second -> [UInt8] in
          let count = big(UInt32(packet.count))
          return count + count + big(UInt32(1)) + big(UInt32(0))
            + big((start + second) * 1_000_000) + packet
        }
    case .pcap:
      return little(UInt32(0xA1B2_C3D4)) + little(UInt16(2)) + little(UInt16(4))
        + [UInt8](repeating: 0, count: 12) + little(UInt32(187))
        + (0..<20 as Range<Int64>).flatMap { second -> [UInt8] in
          let count = little(UInt32(packet.count))
          return little(UInt32(start + second)) + little(UInt32(0)) + count + count + packet
        }
    case .packetLogger:
      return (0..<20 as Range<Int64>).flatMap { second -> [UInt8] in
        big(UInt32(8 + packet.count)) + big(UInt32(start + second)) + big(UInt32(0)) + [1]
          + packet.dropFirst()
      }
    }
  }

  /// Seconds from the year 0 to 1970.
  private static let year0: Int64 = 62_168_256_000

  @Test(
    arguments: [
      (.btsnoop, 1_777_716_000, "1970-01-01T00:00:00"),
      (.btsnoop, 1_777_716_000 - 946_684_800, "1970-01-01T00:00:00"),
      (.btsnoop, year0 + 1_777_716_000, nil), (.btsnoop, year0 + 100, "1970-01-01T00:01:40"),
      (.pcap, 300, "1970-01-01T00:05:00"), (.pcap, 4_200_000_000, "2103-02-04T02:40:00"),
      (.pcap, 1_777_716_000, nil), (.pcap, 1_262_304_000, nil), (.pcap, 1_262_303_999, "2009-12"),
      (.packetLogger, 300, "1970-01-01T00:05:00"), (.packetLogger, 1_777_716_000, nil),
    ] as [(Kind, Int64, String?)]
  )
  func `a capture with improbable times is read, and that is noted once`(
    _ kind: Kind,
    _ start: Int64,
    _ first: String?
  ) throws {
    let folder = try ScratchFolder()
    let path = try Self.write(Self.capture(kind, from: start), "a.capture", in: folder)
    let words = "the times of the capture are improbable, it begins at "
    let inspection = CommandRun(["inspect", path, "--format", "table"])
    let shown = inspection.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let run = CommandRun(["monitor", "-f", path, "-r", "a=\(Self.museum)", "--format", "jsonl"])
    for text in [shown, run.errors] {
      let noted = text.components(separatedBy: words)
      #expect(noted.count == (first == nil ? 1 : 2), "\(text)")
      if let first { #expect(noted.last?.hasPrefix(first) == true, "\(text)") }
    }
    #expect(shown.contains("20 records, 20 advertising reports, 20 of them iBeacon"))
    #expect(run.output.contains(#""state":"inside""#) && run.code == .done)
  }

  // MARK: Interfaces

  /// Two interfaces: the first records no reports, the second a beacon, for two minutes.
  private static func interfaces(
    ahead: Double,
    _ intervals: (Double, Double),
    from start: Double
  ) -> [UInt8] {
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let count = little(UInt32(12 + body.count))
      return little(type) + count + body + count
    }
    func packet(_ interface: UInt32, _ seconds: Double, _ data: [UInt8]) -> [UInt8] {
      let stamp = UInt64(TestScan.at(seconds).microseconds)
      let count = little(UInt32(data.count))
      let padding = [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
      return block(
        6,
        little(interface) + little(UInt32(stamp >> 32))
          + little(UInt32(truncatingIfNeeded: stamp)) + count + count + data + padding
      )
    }
    func interface(_ name: UInt8) -> [UInt8] {
      block(1, little(UInt32(187)) + little(UInt32(0)) + [2, 0, 1, 0, name, 0, 0, 0, 0, 0, 0, 0])
    }
    var packets: [(time: Double, interface: UInt32)] = []
    packets += stride(from: start + 0.5, to: 120, by: intervals.0).map { ($0, 0) }
    packets += stride(from: 0.7, to: 120, by: intervals.1).map { ($0, 1) }
    packets.sort { $0.time < $1.time }
    var capture =
      block(0x0A0D_0D0A, little(UInt32(0x1A2B_3C4D)) + [1, 0, 0, 0] + little(Int64(-1)))
      + interface(0x41) + interface(0x42)
    for entry in packets {
      capture +=
        entry.interface == 1
        ? packet(1, entry.time, event(1))
        : packet(0, entry.time + ahead, [4, 0x0E, 4, 1, 3, 0x0C, 0])
    }
    return capture
  }

  @Test(arguments: [0, 3, 12, 31, 45, 70, 400, -3, -31, -45, -70, -400] as [Double])
  func `records of an interface with another clock end no beacon of the other one`(_ ahead: Double)
    throws
  {
    let folder = try ScratchFolder()
    var faults: [String] = []
    for first in [0.1, 1, 7] {
      for second in [0.3, 4] {
        for start in [0.0, 50] {
          let bytes = Self.interfaces(ahead: ahead, (first, second), from: start)
          let path = try Self.write(bytes, "a.pcapng", in: folder)
          let run = CommandRun([
            "monitor", "-f", path, "-r", "a=\(Self.museum)/1/1", "--format", "jsonl",
          ])
          if run.output.contains("region.exit") || run.output.contains("timeGap") {
            faults.append("\(first) \(second) \(start)")
          }
        }
      }
    }
    #expect(faults.isEmpty, "\(faults)")
  }

  @Test(arguments: [0.0, 1.5, -1.5])
  func `records of an interface with the same clock show that time passed`(_ ahead: Double) throws {
    let folder = try ScratchFolder()
    var bytes = Self.interfaces(ahead: ahead, (1, 1), from: 0)
    // The beacon leaves at 60 s.
    bytes = Self.without(bytes, interface: 1, after: 60)
    let path = try Self.write(bytes, "a.pcapng", in: folder)
    let run = CommandRun(["monitor", "-f", path, "-r", "a=\(Self.museum)/1/1", "--format", "jsonl"])
    #expect(run.output.components(separatedBy: "region.exit").count == 2, "\(run.output)")
    #expect(!run.output.contains("timeGap"))
  }

  /// Leaves out the packets of an interface after a time.
  private static func without(_ capture: [UInt8], interface: UInt8, after seconds: Double)
    -> [UInt8]
  {
    var (kept, start) = ([UInt8](), 0)
    let limit = TestScan.at(seconds).microseconds
    while start < capture.count {
      func word(_ offset: Int) -> Int64 {
        (0..<4).reduce(0) { $0 | Int64(capture[start + offset + $1]) << (8 * $1) }
      }
      let end = start + Int(word(4))
      let isGone = word(0) == 6 && word(8) == Int64(interface) && word(12) << 32 | word(16) > limit
      if !isGone { kept += capture[start..<end] }
      start = end
    }
    return kept
  }

  // MARK: Receivers

  @Test func `inspect shows for how long each of several receivers listened`() throws {
    let folder = try ScratchFolder()
    var scan = TestScan()
    for second in 0..<60 {
      for receiver in 0..<3 as Range<UInt8> where receiver != 2 || !(20..<50).contains(second) {
        scan.report(TestScan.beacon(1, 1), -60, at: Double(second), receiver: receiver)
      }
    }
    func table(_ scan: TestScan) throws -> String {
      var bytes: [UInt8] = []
      BtsnoopWriter().begin(
        receiverNames: ["hci0", "hci1", "hci2"],
        at: TestScan.at(0),
        into: &bytes
      )
      BtsnoopWriter().write(scan.inOrder, into: &bytes)
      let path = try Self.write(bytes, "several.btsnoop", in: folder)
      return CommandRun(["inspect", path, "--format", "table"]).output
    }
    let all = try table(scan)
    #expect(
      all.contains("\nhci0, hci1, hci2 listened for 59 s of 59 s, without a pause\n"),
      "\(all)"
    )
    scan.add(.radio(receiver: 2, .off, TestScan.at(20)))
    scan.add(.radio(receiver: 2, .listening, TestScan.at(50)))
    let paused = try table(scan)
    #expect(
      paused.contains("\nhci0, hci1 listened for 59 s of 59 s, without a pause\n"),
      "\(paused)"
    )
    #expect(paused.contains("\nhci2 listened for 29 s of 59 s, with 1 pause"), "\(paused)")
  }

  /// The line of an advertised power that cannot be one, also where another slot has one that can.
  @Test func `inspect names the impossible power of one of two slots`() throws {
    let folder = try ScratchFolder()
    for powers in [(0, -59), (-59, 0)] as [(Int8, Int8)] {
      var scan = TestScan()
      for step in 0..<200 {
        let isFirst = step.isMultiple(of: 2)
        scan.report(
          TestScan.beacon(1, 1),
          isFirst ? -60 : -85,
          at: Double(step) / 4,
          power: isFirst ? powers.0 : powers.1,
          address: isFirst ? 0xC0FF_EE00_0001 : 0xC0FF_EE00_0002
        )
      }
      var bytes: [UInt8] = []
      BtsnoopWriter().begin(receiverNames: ["hci0"], at: TestScan.at(0), into: &bytes)
      BtsnoopWriter().write(scan.inOrder, into: &bytes)
      let path = try Self.write(bytes, "slots.btsnoop", in: folder)
      let json = CommandRun(["inspect", path, "--format", "json"]).output
      #expect(json.components(separatedBy: "announces 0 dBm at 1 m").count == 2, "\(json)")
      #expect(json.contains(#""power":-59"#) && !json.contains("contested"), "\(json)")
    }
  }
}
