// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Captures of a record or two, byte by byte, for rows.
enum CaptureBuilder {
  /// An LE Advertising Report of no data, without the packet type.
  static let report: [UInt8] = [0x3E, 12, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC4]
  static let reportH4: [UInt8] = [4] + report

  static func big<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    stride(from: Value.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: value >> Value($0))
    }
  }

  static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    big(value).reversed()
  }

  static func btsnoop(
    _ dataLink: UInt32,
    flags: UInt32 = 3,
    stamp: UInt64 = 62_168_256_000_000_000,
    original: Int? = nil,
    _ data: [UInt8]
  ) -> [UInt8] {
    Array("btsnoop\0".utf8) + big(UInt32(1)) + big(dataLink)
      + record(flags: flags, stamp: stamp, original: original, data)
  }

  static func record(
    flags: UInt32,
    stamp: UInt64 = 62_168_256_000_000_000,
    original: Int? = nil,
    _ data: [UInt8]
  ) -> [UInt8] {
    big(UInt32(original ?? data.count)) + big(UInt32(data.count)) + big(flags) + big(UInt32(0))
      + big(stamp) + data
  }

  static func pcap(seconds: UInt32, fraction: UInt32, nanoseconds: Bool = false) -> [UInt8] {
    little(UInt32(nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4)) + little(UInt16(2)) + little(UInt16(4))
      + [UInt8](repeating: 0, count: 12) + little(UInt32(187)) + little(seconds) + little(fraction)
      + little(UInt32(reportH4.count)) + little(UInt32(reportH4.count)) + reportH4
  }

  static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let count = UInt32(12 + body.count)
    return little(type) + little(count) + body + little(count)
  }

  static var section: [UInt8] {
    block(0x0A0D_0D0A, little(UInt32(0x1A2B_3C4D)) + [1, 0, 0, 0] + little(Int64(-1)))
  }

  static func interface(_ linkType: UInt16 = 187, options: [UInt8] = []) -> [UInt8] {
    block(1, little(linkType) + [0, 0, 0, 0, 0, 0] + options)
  }

  static func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
    little(code) + little(UInt16(value.count)) + padded(value)
  }

  static func enhanced(_ interface: UInt32 = 0, stamp: UInt64, _ data: [UInt8] = reportH4)
    -> [UInt8]
  {
    block(
      6,
      little(interface) + little(UInt32(stamp >> 32)) + little(UInt32(truncatingIfNeeded: stamp))
        + little(UInt32(data.count)) + little(UInt32(data.count)) + padded(data)
    )
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
  }
}
