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

  private var layout: Layout
  private var linkType: LinkType
  private var packets = PacketDecoder(receivers: .byAdapter)
  private var isHeaderRead = false
  private var search = CaptureSearch()

  /// Reads the file header; `nil` when the file ends within it.
  init?(_ start: borrowing Span<UInt8>) throws(CaptureFormatError) {
    guard let layout = Layout(start), start.count >= Self.fileHeaderCount else { return nil }
    self.layout = layout
    // The upper half of the field describes frame check sequences, which no Bluetooth link type has.
    let number = UInt16(truncatingIfNeeded: layout.uint32(start, at: 20))
    guard let linkType = LinkType(rawValue: number) else {
      throw .unsupported(
        .pcap,
        "of link type \(number)\(LinkType.refusal(of: number))"
      )
    }
    self.linkType = linkType
  }

  /// Whether another capture starts in place of a record, as in a file made of several; reading then continues with it.
  ///
  /// A record that looks like a header would be empty, and of a certain second of the year 2055 or later.
  private mutating func isNextCapture(
    _ block: borrowing Span<UInt8>,
    at start: Int,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Bool {
    let rest = block.extracting(start...)
    guard let layout = Layout(rest), rest.count >= Self.fileHeaderCount else {
      try RecordLimit.check(self.layout.uint32(block, at: start &+ 8), at: start)
      return false
    }
    let number = UInt16(truncatingIfNeeded: layout.uint32(rest, at: 20))
    guard let linkType = LinkType(rawValue: number) else {
      throw CaptureDamage(
        offset: start,
        reason: "another capture starts here, of link type \(number)\(LinkType.refusal(of: number))"
      )
    }
    (self.layout, self.linkType) = (layout, linkType)
    packets.startNextCapture()
    sink.captureStart = start
    sink.addLinkType(Int(number))
    return true
  }

  /// Finds the header of another capture that took the place of the end of a record; all records after it are whole.
  private static func header(in content: borrowing Span<UInt8>) -> Int? {
    let last = content.count &- fileHeaderCount
    guard last >= 0 else { return nil }
    // Only a long record has room for a header and whole records.
    var offset = last < recordHeaderCount ? last : 0
    while offset <= last {
      // Few bytes are the first one of a magic number.
      guard content[offset] == 0xA1 || content[offset] == 0xD4 || content[offset] == 0x4D else {
        offset &+= 1
        continue
      }
      let rest = content.extracting(offset...)
      if let layout = Layout(rest),
        layout.uint32(rest, at: 4) == (layout.isBigEndian ? 0x0002_0004 : 0x0004_0002),
        LinkType(rawValue: UInt16(truncatingIfNeeded: layout.uint32(rest, at: 20))) != nil
      {
        return offset
      }
      offset &+= 1
    }
    return nil
  }

  var undecidedSince: Timestamp? { packets.undecidedSince }

  mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?) {
    packets.breakOff(after: time)
  }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var start = 0
    search.begin(isHeaderRead ? -sink.inFront.count : Self.fileHeaderCount)
    if !isHeaderRead {
      isHeaderRead = true
      sink.addLinkType(Int(linkType.rawValue))
      start = min(Self.fileHeaderCount, block.count)
    }
    while block.count &- start >= Self.recordHeaderCount {
      let captured = layout.uint32(block, at: start &+ 8)
      // A header of another capture reads as an empty record, or as one that is too long.
      if captured &- 1 >= RecordLimit.maximumCount,
        captured != 0 || Layout(block.extracting(start...)) != nil
      {
        guard block.count &- start >= Self.fileHeaderCount || isLast else { break }
        guard try isNextCapture(block, at: start, into: &sink) else { break }
        start &+= Self.fileHeaderCount
        search.begin(start)
        continue
      }
      let data = start &+ Self.recordHeaderCount
      let end = data &+ Int(captured)
      let original = layout.uint32(block, at: start &+ 12)
      let time = layout.time(
        layout.uint32(block, at: start),
        layout.uint32(block, at: start &+ 4)
      )
      let isFar = packets.lastTime.map { CaptureSearch.isFar(time, from: $0) } ?? false
      if isFar || original < captured || original > RecordLimit.maximumCount {
        try search.check(block, sink, upTo: data, for: .pcap)
      }
      guard end <= block.count else { break }
      if let header = Self.header(in: block.extracting(data..<end)) {
        throw CaptureDamage(
          offset: data &+ header,
          reason: "another capture starts in the middle of a record"
        )
      }
      sink.records &+= 1
      let packet = PacketDecoder.Packet(
        range: data..<end,
        time: time,
        isCut: captured < original
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
