// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Testing

@Suite struct CaptureTimeTests {
  typealias Build = CaptureBuilder

  static func time(_ capture: [UInt8]) throws -> Int64? {
    try CaptureContents(capture).reports.first?.time.microseconds
  }

  @Test(
    arguments: [
      ("1970", 62_168_256_000_000_000, 0),
      ("a microsecond later", 62_168_256_000_000_001, 1),
      ("before 1970", 5, 0),
      ("beyond the year 9999", 0x7FFF_FFFF_FFFF_FFFF, Timestamp.latest.microseconds),
      ("before any time", 0x8000_0000_0000_0000, 0),
      ("all ones", UInt64.max, 0),
    ] as [(String, UInt64, Int64)]
  )
  func `btsnoop counts microseconds from the year 0`(
    _ name: String,
    _ stamp: UInt64,
    _ time: Int64
  ) throws {
    #expect(try Self.time(Build.btsnoop(1002, stamp: stamp, Build.reportH4)) == time, "\(name)")
  }

  @Test(
    arguments: [
      (1, 499, true, 1_000_000), (1, 500, true, 1_000_001), (1, 999_999_999, true, 2_000_000),
      (1, 7, false, 1_000_007), (.max, .max, false, 4_294_967_295_000_000 + 4_294_967_295),
    ] as [(UInt32, UInt32, Bool, Int64)]
  )
  func `pcap is rounded to microseconds`(
    _ seconds: UInt32,
    _ fraction: UInt32,
    _ nanoseconds: Bool,
    _ time: Int64
  ) throws {
    let capture = Build.pcap(seconds: seconds, fraction: fraction, nanoseconds: nanoseconds)
    #expect(try Self.time(capture) == time)
  }

  @Test(
    arguments: [
      ("no option: microseconds", nil, nil, 1_000_001, 1_000_001),
      ("seconds", 0, nil, 3, 3_000_000),
      ("nanoseconds, rounded", 9, nil, 1_499, 1),
      ("nanoseconds, rounded up", 9, nil, 1_500, 2),
      ("picoseconds", 12, nil, 5_000_000_000_000, 5_000_000),
      ("2⁻²⁰ s", 0x80 | 20, nil, 1 << 20, 1_000_000),
      ("units too small to matter", 127, nil, .max, 0),
      ("2⁻¹²⁷ s", 0xFF, nil, .max, 0),
      ("an offset", 6, 1_750_000_000, 7, 1_750_000_000_000_007),
      ("an offset back", 6, -10, 11_000_000, 1_000_000),
      ("an offset before 1970", 6, -10, 1, 0),
      ("an offset beyond all time", 6, .max, 1, Timestamp.latest.microseconds),
      ("an offset before all time", 6, .min, 1, 0),
      ("a stamp beyond all time", 0, nil, .max, Timestamp.latest.microseconds),
    ] as [(String, UInt8?, Int64?, UInt64, Int64)]
  )
  func `pcapng times have the unit and offset of their interface`(
    _ name: String,
    _ resolution: UInt8?,
    _ offset: Int64?,
    _ stamp: UInt64,
    _ time: Int64
  ) throws {
    var options: [UInt8] = []
    if let resolution { options += Build.option(9, [resolution]) }
    if let offset { options += Build.option(14, Build.little(offset)) }
    let capture =
      Build.section + Build.interface(options: options) + Build.enhanced(stamp: stamp)
    #expect(try Self.time(capture) == time, "\(name)")
  }

  @Test(
    arguments: [
      ("1700000000.000001 > ", 1_700_000_000_000_001),
      ("   86400.500000 > ", 86_400_500_000),
      ("2015-03-10 16:05:01.123456 > ", 1_426_003_501_123_456),
      ("2024-02-29 00:00:00.000000 > ", 1_709_164_800_000_000),
      ("1970-01-01 00:00:00.000000 > ", 0),
      ("> ", 0),
    ] as [(String, Int64)]
  )
  func `hcidump writes seconds or a date`(_ start: String, _ time: Int64) throws {
    let hex = Build.reportH4.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    let text = start + hex.joined(separator: " ") + " \n"
    #expect(try Self.time(Array(text.utf8)) == time)
  }
}
