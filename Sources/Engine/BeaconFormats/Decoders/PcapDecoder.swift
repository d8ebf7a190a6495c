// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes pcap: a file header with byte order, unit of time and link type, then records of time, captured length,
/// original length and the captured bytes.
struct PcapDecoder: CaptureFormatDecoder {
  static let fileHeaderCount = 24
  static let recordHeaderCount = 16

  /// How the numbers of a file are written.
  struct Layout: Sendable {
    let isBigEndian: Bool
    let hasNanoseconds: Bool

    /// Reads the magic number; `nil` when it is not one of pcap.
    init?(_ start: borrowing Span<UInt8>) {
      guard start.count >= 4 else { return nil }
      switch start.bigEndian32(at: 0) {
      case 0xA1B2_C3D4: (isBigEndian, hasNanoseconds) = (true, false)
      case 0xD4C3_B2A1: (isBigEndian, hasNanoseconds) = (false, false)
      case 0xA1B2_3C4D: (isBigEndian, hasNanoseconds) = (true, true)
      case 0x4D3C_B2A1: (isBigEndian, hasNanoseconds) = (false, true)
      default: return nil
      }
    }

    @inline(__always)
    func uint32(_ block: borrowing Span<UInt8>, at offset: Int) -> UInt32 {
      let value = block.littleEndian32(at: offset)
      return isBigEndian ? value.byteSwapped : value
    }

    @inline(__always)
    func time(_ seconds: UInt32, _ fraction: UInt32) -> Timestamp {
      let microseconds = hasNanoseconds ? (Int64(fraction) &+ 500) / 1000 : Int64(fraction)
      return Timestamp(microseconds: Int64(seconds) &* 1_000_000 &+ microseconds)
    }
  }

  private let layout: Layout
  private let linkType: LinkType
  private var packets = PacketDecoder(receivers: .byAdapter)
  private var isHeaderRead = false

  /// Reads the file header; `nil` when the file ends within it.
  init?(_ start: borrowing Span<UInt8>) throws(CaptureFormatError) {
    guard let layout = Layout(start), start.count >= Self.fileHeaderCount else { return nil }
    self.layout = layout
    // The upper half of the field describes frame check sequences, which no Bluetooth link type has.
    let number = UInt16(truncatingIfNeeded: layout.uint32(start, at: 20))
    guard let linkType = LinkType(rawValue: number) else {
      throw .unsupported(
        .pcap,
        "of link type \(number), which holds no advertising (\(LinkType.listed) would)"
      )
    }
    self.linkType = linkType
  }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var start = 0
    if !isHeaderRead {
      isHeaderRead = true
      sink.addLinkType(Int(linkType.rawValue))
      start = min(Self.fileHeaderCount, block.count)
    }
    while block.count &- start >= Self.recordHeaderCount {
      let captured = layout.uint32(block, at: start &+ 8)
      try RecordLimit.check(captured, at: start)
      let data = start &+ Self.recordHeaderCount
      let end = data &+ Int(captured)
      guard end <= block.count else { break }
      sink.records &+= 1
      let packet = PacketDecoder.Packet(
        range: data..<end,
        time: layout.time(
          layout.uint32(block, at: start),
          layout.uint32(block, at: start &+ 4)
        ),
        isCut: captured < layout.uint32(block, at: start &+ 12)
      )
      packets.decode(block, packet, of: linkType, into: &sink)
      start = end
    }
    if isLast {
      packets.finish(into: &sink)
      try RecordLimit.checkEnd(start, of: block.count)
    }
    return start
  }
}
