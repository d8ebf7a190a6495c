// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import FuzzSurfaces
import Testing

/// Readers reach an end and do not trap, whatever the bytes are.
@Suite struct HostileCaptureTests {
  static let names = FixtureCaptureTests.rows.map(\.name) + ["fragments.btsnoop"]

  @Test(arguments: names) func `every prefix is read to its end`(_ name: String) throws {
    let bytes = try FixtureCaptureTests.bytes(name)
    let whole = try CaptureContents(bytes).reports
    var previous = 0
    for count in stride(from: 1, to: bytes.count, by: Effort.step) {
      let prefix = Array(bytes.prefix(count))
      guard let contents = try? CaptureContents(prefix) else {
        // Only a file that is too short to recognize its format is refused.
        #expect(count < 64)
        continue
      }
      let reports = contents.reports
      #expect(reports.count >= previous)
      // The text of a packet has no length, so a cut in its last line may be undetectable.
      if contents.reader.format != .hcidumpText {
        #expect(reports == Array(whole.prefix(reports.count)))
      }
      previous = reports.count
      if let damagedAt = contents.reader.damagedAt { #expect(damagedAt <= count) }
    }
  }

  @Test(arguments: names) func `block sizes do not matter`(_ name: String) throws {
    let bytes = try FixtureCaptureTests.bytes(name)
    let whole = try CaptureContents(bytes)
    for blockSizes in [[1], [3, 1, 7], [64], [17, 1000], [4096]] {
      let contents = try CaptureContents(bytes, blockSizes: blockSizes)
      #expect(contents.reports == whole.reports)
      #expect(contents.reader.drops == whole.reader.drops)
      #expect(contents.reader.records == whole.reader.records)
      #expect(contents.reader.notes == whole.reader.notes)
    }
  }

  @Test(arguments: names) func `random corruption never traps`(_ name: String) throws {
    let bytes = try FixtureCaptureTests.bytes(name)
    var random = SplitMix64(seed: 0xBEAC)
    for _ in 0..<Effort.rounds(300) {
      var corrupt = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let position = Int.random(in: 0..<corrupt.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: corrupt[position] = UInt8.random(in: 0...255, using: &random)
        case 1: corrupt[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: corrupt.removeSubrange(position..<min(position + 3, corrupt.count - 1))
        default: corrupt.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF], at: position)
        }
      }
      CaptureFuzzing.consume(corrupt)
    }
  }

  @Test(arguments: CaptureFormat.allCases) func `random bytes never trap`(_ format: CaptureFormat) {
    var random = SplitMix64(seed: 0xF00D)
    for _ in 0..<Effort.rounds(500) {
      let count = Int.random(in: 0..<400, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Half of them small numbers, so that lengths are sometimes plausible.
      if Bool.random(using: &random) { bytes = bytes.map { $0 & 3 } }
      CaptureFuzzing.consume(bytes, as: format)
    }
  }

  @Test func `a length without its bytes does not allocate memory`() throws {
    // Two records of 256 KiB announced, none present: the reader keeps only the existing bytes.
    let header = Array(try FixtureCaptureTests.bytes("h4.btsnoop").prefix(16))
    let record: [UInt8] = [0, 4, 0, 0, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 16)
    let contents = try CaptureContents(header + record + [4, 0x3E])
    #expect(contents.reader.records == 0)
    #expect(contents.reader.damagedAt == 16)
  }

  @Test func `the longest record is read and one byte more is damage`() throws {
    let header = Array(try FixtureCaptureTests.bytes("h4.btsnoop").prefix(16))
    func capture(_ count: Int) -> [UInt8] {
      let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
      return header + length + length + [UInt8](repeating: 0, count: 16 + count)
    }
    let longest = try CaptureContents(capture(256 * 1024), blockSizes: [1000])
    #expect(longest.reader.records == 1)
    #expect(longest.reader.damagedAt == nil)
    let tooLong = try CaptureContents(capture(256 * 1024 + 1))
    #expect(tooLong.reader.records == 0)
    #expect(tooLong.reader.damagedAt == 16)
  }

  @Test func `a line without an end is damage at its start`() throws {
    let text = Array("HCI sniffer\n> ".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 1 << 21)
    let contents = try CaptureContents(text)
    #expect(contents.reader.damagedAt == 12)
  }
}
