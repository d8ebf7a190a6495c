// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes pcapng: a chain of blocks, in sections that may differ in byte order and have separate interfaces.
struct PcapngDecoder: CaptureFormatDecoder {
  static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

  private enum BlockType {
    static let section: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let obsoletePacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }

  /// Type, length and the length again at the end.
  private static let blockFrameCount: UInt32 = 12
  /// How many interfaces a section may have: far more than any real capture has, so that their memory is bounded.
  private static let maximumInterfaceCount = 1024
  /// The longest block of a packet or an interface: the longest record, its header, and room for options.
  ///
  /// Blocks of other kinds are skipped and not kept in memory, so they may have any length.
  private static let maximumBlockCount = RecordLimit.maximumCount + 64 * 1024

  private var isBigEndian = false
  private var interfaces: [PcapngInterface] = []
  private var packets = PacketDecoder(receivers: .byName)
  /// Bytes of an unused block that are still to be skipped.
  private var skipping = 0
  var undecidedSince: Timestamp? { packets.undecidedSince }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var start = 0
    while true {
      if skipping > 0 {
        let skipped = min(skipping, block.count - start)
        skipping -= skipped
        start += skipped
      }
      guard skipping == 0, block.count - start >= Int(Self.blockFrameCount) else { break }
      guard let end = try decodeBlock(block, at: start, into: &sink) else { break }
      start = end
    }
    if isLast {
      packets.finish(into: &sink)
      if skipping > 0 {
        throw CaptureDamage(offset: start, reason: "the capture ends in the middle of a block")
      }
      try RecordLimit.checkEnd(start, of: block.count)
    }
    return start
  }

  /// Decodes the block at an offset.
  ///
  /// - Returns: The offset of the next block; `nil` when this one is incomplete.
  private mutating func decodeBlock(
    _ block: borrowing Span<UInt8>,
    at start: Int,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int? {
    if block.bigEndian32(at: start) == BlockType.section {
      try readByteOrder(block, at: start)
    }
    let type = uint32(block, at: start)
    let count = uint32(block, at: start + 4)
    guard count >= Self.blockFrameCount, count % 4 == 0 else {
      throw CaptureDamage(offset: start, reason: "a block claims \(count) bytes")
    }
    switch type {
    case BlockType.section, BlockType.interface, BlockType.enhancedPacket,
      BlockType.obsoletePacket, BlockType.simplePacket:
      try checkLength(count, at: start)
    default:
      skipping = Int(count)
      return start
    }
    let end = start + Int(count)
    guard end <= block.count else { return nil }
    guard uint32(block, at: end - 4) == count else {
      throw CaptureDamage(offset: start, reason: "the two lengths of a block differ")
    }
    let body = start + 8..<end - 4
    switch type {
    case BlockType.section:
      interfaces = []
      packets.startNextCapture()
      sink.captureStart = start
    case BlockType.interface: try addInterface(block, body, into: &sink)
    case BlockType.simplePacket:
      sink.records += 1
      sink.drops.count(.noTime)
    default:
      sink.records += 1
      decodePacket(block, body, isObsolete: type == BlockType.obsoletePacket, into: &sink)
    }
    return end
  }

  private func checkLength(_ count: UInt32, at start: Int) throws(CaptureDamage) {
    guard count > Self.maximumBlockCount else { return }
    throw CaptureDamage(
      offset: start,
      reason: "a block claims \(count) bytes, more than \(Self.maximumBlockCount)"
    )
  }

  /// Whether a section header states its byte order.
  static func hasByteOrder(_ rest: borrowing Span<UInt8>) -> Bool {
    [0x1A2B_3C4D, 0x4D3C_2B1A].contains(rest.bigEndian32(at: 8))
  }

  /// Reads the magic number behind the length of a section header: the byte order of the whole section, including that
  /// length.
  private mutating func readByteOrder(
    _ block: borrowing Span<UInt8>,
    at start: Int
  ) throws(CaptureDamage) {
    switch block.bigEndian32(at: start + 8) {
    case 0x1A2B_3C4D: isBigEndian = true
    case 0x4D3C_2B1A: isBigEndian = false
    default:
      throw CaptureDamage(offset: start, reason: "a section has no byte order")
    }
  }

  private mutating func addInterface(
    _ block: borrowing Span<UInt8>,
    _ body: Range<Int>,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) {
    guard body.count >= 8, interfaces.count < Self.maximumInterfaceCount else {
      let reason =
        body.count < 8
        ? "an interface has no link type"
        : "a section has more than \(Self.maximumInterfaceCount) interfaces"
      throw CaptureDamage(offset: body.lowerBound - 8, reason: reason)
    }
    let number = uint16(block, at: body.lowerBound)
    sink.addLinkType(Int(number))
    var interface = PcapngInterface(
      linkType: LinkType(rawValue: number),
      options: block,
      in: body.lowerBound + 8..<body.upperBound,
      isBigEndian: isBigEndian,
      index: interfaces.count
    )
    if interface.linkType == nil {
      sink.note(
        LinkType.describe(number).map { "packets of link type \(number) are skipped: \($0)" }
          ?? "packets of link type \(number) contain no advertising and are skipped"
      )
    }
    // Each interface of a section is a receiver; those of the next section with the same names are the same ones.
    let isMonitor = interface.linkType == .linuxMonitor
    interface.namesakes = interfaces.count { other in
      guard let type = other.linkType, (type == .linuxMonitor) == isMonitor else { return false }
      return isMonitor || other.name == interface.name
    }
    interfaces.append(interface)
  }

  /// Both kinds start with interface, time, captured and original length; the obsolete kind has a count of drops next to
  /// the interface.
  private mutating func decodePacket(
    _ block: borrowing Span<UInt8>,
    _ body: Range<Int>,
    isObsolete: Bool,
    into sink: inout CaptureSink
  ) {
    let start = body.lowerBound
    guard body.count >= 20 else { return sink.drops.count(.malformedRecord) }
    let index = isObsolete ? Int(uint16(block, at: start)) : Int(uint32(block, at: start))
    let captured = uint32(block, at: start + 12)
    guard index < interfaces.count, Int(captured) <= body.count - 20 else {
      return sink.drops.count(.malformedRecord)
    }
    guard let linkType = interfaces[index].linkType else { return }
    let stamp =
      UInt64(uint32(block, at: start + 4)) << 32 | UInt64(uint32(block, at: start + 8))
    var packet = PacketDecoder.Packet(
      range: start + 20..<start + 20 + Int(captured),
      time: interfaces[index].time(stamp),
      isCut: captured < uint32(block, at: start + 16)
    )
    // The adapters of a Linux monitor channel are receivers; the channel itself is not.
    if linkType == .linuxMonitor {
      packet.channel = UInt16(clamping: interfaces[index].namesakes)
    } else {
      packet.receiver = receiver(ofInterface: index, &sink)
    }
    packets.decode(block, packet, of: linkType, into: &sink)
  }

  mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?) { skipping = 0 }

  private mutating func receiver(ofInterface index: Int, _ sink: inout CaptureSink) -> UInt8 {
    if let receiver = interfaces[index].receiver { return receiver }
    let (name, namesakes) = (interfaces[index].name, interfaces[index].namesakes)
    let receiver = sink.receiver(named: namesakes > 0 ? "\(name)~\(namesakes + 1)" : name)
    interfaces[index].receiver = receiver
    return receiver
  }

  private func uint16(_ block: borrowing Span<UInt8>, at offset: Int) -> UInt16 {
    let value = block.littleEndian16(at: offset)
    return isBigEndian ? value.byteSwapped : value
  }

  private func uint32(_ block: borrowing Span<UInt8>, at offset: Int) -> UInt32 {
    let value = block.littleEndian32(at: offset)
    return isBigEndian ? value.byteSwapped : value
  }
}
