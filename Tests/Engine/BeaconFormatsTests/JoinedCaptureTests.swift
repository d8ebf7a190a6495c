// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFormats

/// Two captures in one file, of which the first is cut somewhere: no beacon is made up or lost without a word.
@Suite struct JoinedCaptureTests {
  typealias Build = CaptureBuilder

  /// Captures of a beacon a second, each with another minor number.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (_ seconds: Range<Int>) -> [UInt8]

    /// Of a binary format without a header, whose first records show it.
    var isHeadless: Bool {
      testDescription.hasPrefix("PacketLogger") || testDescription == "hcidump"
    }
  }

  private static func event(_ minor: Int) -> [UInt8] {
    let identity = TestScan.beacon(9, UInt16(minor))
    let data = BeaconEncoder.advertisingData(identity, measuredPower: -59)
    let body: [UInt8] =
      [2, 1, 3, 1, UInt8(minor & 255), 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [0xC4]
    return [0x3E, UInt8(body.count)] + body
  }

  private static func at(_ second: Int) -> Int64 {
    ScanStateTests.at(Double(second)).microseconds
  }

  private static func seconds(_ second: Int) -> UInt32 { UInt32(at(second) / 1_000_000) }

  static let kinds: [Kind] =
    [1001, 1002, 2001].map { (dataLink: UInt32) in
      Kind(testDescription: "btsnoop \(dataLink)") { range in
        Array("btsnoop\0".utf8) + Build.big(UInt32(1)) + Build.big(dataLink)
          + range.flatMap { second in
            Build.record(
              flags: 3,
              stamp: UInt64(at(second) + 62_168_256_000_000_000),
              (dataLink == 1002 ? [4] : []) + event(second)
            )
          }
      }
    } + [
      Kind(testDescription: "pcap") { range in
        Build.little(UInt32(0xA1B2_C3D4)) + Build.little(UInt16(2)) + Build.little(UInt16(4))
          + [UInt8](repeating: 0, count: 12) + Build.little(UInt32(187))
          + range.flatMap { second -> [UInt8] in
            let data = [4] + event(second)
            let count = Build.little(UInt32(data.count))
            return Build.little(seconds(second)) + Build.little(UInt32(0)) + count + count + data
          }
      },
      Kind(testDescription: "pcapng") { range in
        Build.section + Build.interface()
          + range.flatMap { Build.enhanced(stamp: UInt64(at($0)), [4] + event($0)) }
      },
      Kind(testDescription: "PacketLogger") { range in
        range.flatMap { second -> [UInt8] in
          let data = event(second)
          return Build.big(UInt32(9 + data.count)) + Build.big(seconds(second))
            + Build.big(UInt32(0)) + [1] + data
        }
      },
      Kind(testDescription: "PacketLogger, little-endian") { range in
        range.flatMap { second -> [UInt8] in
          let data = event(second)
          return Build.little(UInt32(9 + data.count)) + Build.little(seconds(second))
            + Build.little(UInt32(0)) + [1] + data
        }
      },
      Kind(testDescription: "hcidump") { range in
        range.flatMap { second -> [UInt8] in
          let data = [4] + event(second)
          return [UInt8(data.count), 0, 1, 0] + Build.little(seconds(second))
            + Build.little(UInt32(0)) + data
        }
      },
      Kind(testDescription: "text of hcidump") { range in
        Array("HCI sniffer - Bluetooth packet analyzer ver 5.66\n".utf8)
          + range.flatMap { second -> [UInt8] in
            let data = ([4] + event(second)).map { byte -> String in
              let digits = String(byte, radix: 16, uppercase: true)
              return digits.count == 1 ? "0" + digits : digits
            }
            let lines = stride(from: 0, to: data.count, by: 20).map {
              data[$0..<min($0 + 20, data.count)].joined(separator: " ")
            }
            return Array(
              "\(seconds(second)).000000 > \(lines.joined(separator: "\n  "))\n".utf8
            )
          }
      },
    ]

  private struct Found {
    var minors: [Int] = []
    var isTold = false
    /// Whether the file was refused.
    var isRefused = false
  }

  private static func read(_ bytes: [UInt8], blockSizes: [Int] = []) -> Found {
    var found = Found()
    guard var reader = try? CaptureReader(MemorySource(bytes, blockSizes: blockSizes)) else {
      return Found(isTold: true, isRefused: true)
    }
    while let batch = try? reader.next() {
      for case .report(let report) in batch.inputs {
        let reading = BeaconDecoder.read(report, in: batch.bytes.span)
        guard case .beacon(let identity, let power) = reading else { continue }
        let isOurs =
          power == -59 && report.rssi == -60
          && identity == TestScan.beacon(9, identity.minor)
        found.minors.append(isOurs ? Int(identity.minor) : -1)
      }
    }
    found.isTold = reader.damagedAt != nil || !reader.notes.isEmpty || reader.drops.total > 0
    return found
  }

  private static let pairs = kinds.flatMap { first in kinds.map { (first, $0) } }

  @Test(arguments: pairs)
  func `a capture that is cut anywhere and joined to another one costs only itself`(
    _ first: Kind,
    _ second: Kind
  ) {
    let (whole, other) = (first.make(1..<6), second.make(101..<106))
    var faults: [String] = []
    for cut in stride(from: 1, to: whole.count, by: Effort.step) {
      let found = Self.read(Array(whole[..<cut] + other))
      if found.isRefused {
        // Only a start that the first bytes do not show can be refused.
        if cut > 24, !first.isHeadless || cut > 60 { faults.append("\(cut): refused") }
        continue
      }
      let isSame = first.testDescription == second.testDescription
      let known = Set(1..<6).union(101..<106)
      if isSame,
        !found.minors.allSatisfy(known.contains) || Set(found.minors).count < found.minors.count
      {
        faults.append("\(cut): made up \(found.minors)")
      }
      let isWhole = Set(101..<106).isSubset(of: found.minors)
      if !isWhole, !found.isTold { faults.append("\(cut): lost without a word") }
      if first.testDescription == second.testDescription, !isWhole, !first.isHeadless,
        !first.testDescription.hasPrefix("text")
      {
        faults.append("\(cut): not read on, \(found.minors)")
      }
    }
    #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(6))")
  }

  /// With a record of the first that is long enough, whole records follow the header in it.
  @Test func `a header within a long record is found`() {
    let name = [UInt8](repeating: 0x41, count: 200)
    let long: [UInt8] = [0x3E, 231] + [13] + [UInt8](repeating: 0, count: 30) + name
    let first =
      Array("btsnoop\0".utf8) + Build.big(UInt32(1)) + Build.big(UInt32(1001))
      + Build.record(flags: 3, stamp: UInt64(Self.at(1) + 62_168_256_000_000_000), long)
    for kind in Self.kinds.prefix(3) {
      let other = kind.make(101..<106)
      for missing in [16, 16 + 68, 16 + 69, 16 + 136] {
        let found = Self.read(Array(first.dropLast(missing) + other))
        #expect(found.minors.sorted() == Array(101..<106), "\(kind) \(missing)")
      }
    }
  }
}
