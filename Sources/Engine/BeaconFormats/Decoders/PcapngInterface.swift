// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// An interface of a pcapng section: the link type of its packets and the unit of its times.
struct PcapngInterface: Sendable {
  private enum Option {
    static let name: UInt16 = 2
    static let timeResolution: UInt16 = 9
    static let timeOffset: UInt16 = 14
  }

  /// The link type; `nil` when it cannot contain advertising.
  let linkType: LinkType?
  /// Its name in the capture; without one, a name made of its number.
  private(set) var name: String
  /// How many interfaces before it in its section have the same name, or are monitor channels as it is.
  var namesakes = 0
  /// Its number as a receiver, once it has recorded a packet.
  var receiver: UInt8?

  /// How many units of its times make one second; `nil` when they are so small that no time reaches a microsecond.
  private var unitsPerSecond: UInt128? = 1_000_000
  /// Seconds to add to its times.
  private var offset: Int64 = 0

  init(
    linkType: LinkType?,
    options block: borrowing Span<UInt8>,
    in range: Range<Int>,
    isBigEndian: Bool,
    index: Int
  ) {
    self.linkType = linkType
    name = "interface \(index)"
    var start = range.lowerBound
    while range.upperBound - start >= 4 {
      let (code, count) =
        isBigEndian
        ? (block.bigEndian16(at: start), Int(block.bigEndian16(at: start + 2)))
        : (block.littleEndian16(at: start), Int(block.littleEndian16(at: start + 2)))
      let value = start + 4..<start + 4 + count
      guard code != 0, value.upperBound <= range.upperBound else { return }
      read(code, block, value, isBigEndian)
      start = value.lowerBound + (count + 3) / 4 * 4
    }
  }

  private mutating func read(
    _ code: UInt16,
    _ block: borrowing Span<UInt8>,
    _ value: Range<Int>,
    _ isBigEndian: Bool
  ) {
    switch code {
    case Option.name where !value.isEmpty:
      let text = value.prefix(Self.maximumNameCount).map { block[$0] }
      name = String(decoding: text, as: UTF8.self).exactName
    case Option.timeResolution where value.count == 1:
      unitsPerSecond = Self.unitsPerSecond(block[value.lowerBound])
    case Option.timeOffset where value.count == 8:
      let big = block.bigEndian64(at: value.lowerBound)
      offset = Int64(bitPattern: isBigEndian ? big : big.byteSwapped)
    default: break
    }
  }

  /// The longest name kept, since names are shown in tables.
  private static let maximumNameCount = 64

  /// Returns a power of two when the top bit is set, otherwise a power of ten.
  private static func unitsPerSecond(_ resolution: UInt8) -> UInt128? {
    let exponent = Int(resolution & 0x7F)
    if resolution & 0x80 != 0 { return UInt128(1) << exponent }
    // 10³⁸ is the largest power of ten in 128 bits, and 2⁶⁴ units of it are less than a microsecond.
    guard exponent <= 38 else { return nil }
    var units: UInt128 = 1
    for _ in 0..<exponent { units *= 10 }
    return units
  }

  /// Converts a time of this interface, rounded to a microsecond and clamped.
  func time(_ stamp: UInt64) -> Timestamp {
    var microseconds: Int64 = 0
    if let unitsPerSecond {
      // 2⁶⁴ · 10⁶ + 2¹²⁶ is within 128 bits.
      let rounded = (UInt128(stamp) * 1_000_000 + unitsPerSecond / 2) / unitsPerSecond
      microseconds = Int64(clamping: rounded)
    }
    let (shift, shiftOverflow) = offset.multipliedReportingOverflow(by: 1_000_000)
    let (sum, sumOverflow) = microseconds.addingReportingOverflow(shift)
    guard !shiftOverflow, !sumOverflow else { return offset < 0 ? .earliest : .latest }
    return Timestamp(microseconds: sum)
  }
}
