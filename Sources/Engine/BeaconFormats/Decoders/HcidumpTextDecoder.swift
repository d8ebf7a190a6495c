// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes the text of `hcidump --raw`: `>` or `<`, then an HCI packet in hexadecimal digits on one or more lines; in
/// front of it a time, if hcidump ran with `-t`.
struct HcidumpTextDecoder: CaptureFormatDecoder {
  static let banner = Array("HCI sniffer".utf8)
  /// The longest packet that is read, as for records of other formats.
  private static let maximumPacketCount = Int(RecordLimit.maximumCount)

  private var packets = PacketDecoder(receivers: .byAdapter)

  /// Whether the text contains a packet, or starts with the banner of hcidump and contains none that hcidump parsed.
  ///
  /// Lines of other programs that write to the same file, such as `hcitool lescan`, may come first.
  static func recognizes(_ start: borrowing Span<UInt8>) -> Bool {
    let isBanner = isBanner(start, at: 0)
    var offset = 0
    var isFirst = true
    while offset < start.count {
      var line = TextLine(start, at: offset)
      // The last line may be cut.
      if !isFirst, !line.isEnded { break }
      offset = line.next
      if isPacket(start, &line, isFirst: isFirst) { return true }
      isFirst = false
    }
    return isBanner && !isParsed(start)
  }

  /// Whether hcidump starts at an offset; for a further time if other lines precede it.
  private static func isBanner(_ block: borrowing Span<UInt8>, at start: Int) -> Bool {
    guard block.count - start >= banner.count else { return false }
    return banner.indices.allSatisfy { block[start + $0] == banner[$0] }
  }

  static func isPacket(
    _ block: borrowing Span<UInt8>,
    _ line: inout TextLine,
    isFirst: Bool
  ) -> Bool {
    guard case .packet(let packet) = HcidumpLine(block, &line) else { return false }
    // A packet type and at least one more byte; after other lines, nothing but bytes.
    guard let type = line.nextHexByte(block), (1...5).contains(type) else { return false }
    guard let next = line.nextHexByte(block) else { return packet.time != nil }
    if isFirst { return true }
    var bytes = [next]
    return line.appendHexBytes(block, to: &bytes, limit: maximumPacketCount) && bytes.count > 1
  }

  /// Whether the text contains a packet as hcidump parses it when it runs without `--raw`.
  static func isParsed(_ start: borrowing Span<UInt8>) -> Bool {
    var offset = 0
    while offset < start.count {
      var line = TextLine(start, at: offset)
      offset = line.next
      guard case .packet = HcidumpLine(start, &line) else { continue }
      line.skipSpaces(start)
      let kinds = ["HCI Event:", "HCI Command:", "ACL data:", "SCO data:"]
      if kinds.contains(where: { line.starts(start, with: $0) }) { return true }
    }
    return false
  }

  /// Recognizes another capture at the start of a line; lines of other programs, also of JSON, cost nothing.
  ///
  /// Text that was cut has no line end; binary data then begin within the line.
  private static func nextFormat(
    _ block: borrowing Span<UInt8>,
    in line: Range<Int>
  ) -> (CaptureFormat, offset: Int)? {
    if let format = nextFormat(block.extracting(line.lowerBound...)) {
      return (format, line.lowerBound)
    }
    guard line.contains(where: { block[$0] == 0 }) else { return nil }
    return CaptureFormat.joinedStart(in: block, among: line, after: .hcidumpText)
  }

  /// Finds the start of a pcapng file in a line end: its first byte is one, also for a text that was cut.
  private static func pcapngStart(_ block: borrowing Span<UInt8>, in lineEnd: Range<Int>) -> Int? {
    guard lineEnd.upperBound < block.count, block[lineEnd.upperBound] == PcapngDecoder.magic[1]
    else { return nil }
    return lineEnd.first { offset in
      let rest = block.extracting(offset...)
      return CaptureFormat.sniffMagic(rest) == .pcapng && rest.count >= 12
        && PcapngDecoder.hasByteOrder(rest)
    }
  }

  private static func nextFormat(_ rest: borrowing Span<UInt8>) -> CaptureFormat? {
    if JSONLinesDecoder.isRecorded(rest) { return .jsonLines }
    // Text does not begin like this, and nearly every line is text.
    guard
      rest[0] < 0x20 || rest[0] > 0x60
        || rest.count > 3 && (rest[3] == 0 || rest[2] >= 0x80),
      let format = CaptureFormat.sniffStart(rest), ![.jsonLines, .hcidumpText].contains(format)
    else { return nil }
    return format
  }

  var undecidedSince: Timestamp? { packets.undecidedSince }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var done = 0
    var open: HcidumpLine.Packet?
    var bytes: [UInt8] = []
    var isSound = true
    var start = 0
    while start < block.count {
      var line = TextLine(block, at: start)
      // A line that may be incomplete, and its whole packet, wait for the next block.
      guard line.isEnded || isLast else { break }
      if let (format, offset) = Self.nextFormat(block, in: start..<line.end) {
        if let open { decode(open, bytes, isSound, into: &sink) }
        packets.finish(into: &sink)
        throw CaptureDamage(offset: offset, joining: format)
      }
      switch HcidumpLine(block, &line) {
      case .packet(let packet):
        if let open { decode(open, bytes, isSound, into: &sink) }
        done = start
        open = packet
        bytes.removeAll(keepingCapacity: true)
        isSound = line.appendHexBytes(block, to: &bytes, limit: Self.maximumPacketCount)
      case .continuation:
        // A line of another program can be indented as well; it costs nothing.
        let before = bytes.count
        if open != nil,
          !line.appendHexBytes(block, to: &bytes, limit: Self.maximumPacketCount)
        {
          if bytes.count >= Self.maximumPacketCount { isSound = false }
          bytes.removeLast(bytes.count - before)
        }
      case .other:
        guard Self.isBanner(block, at: start) else { break }
        if let open { decode(open, bytes, isSound, into: &sink) }
        open = nil
        packets.startNextCapture()
      }
      if let offset = Self.pcapngStart(block, in: line.end..<line.next) {
        if let open { decode(open, bytes, isSound, into: &sink) }
        packets.finish(into: &sink)
        throw CaptureDamage(offset: offset, joining: .pcapng)
      }
      start = line.next
      if open == nil { done = start }
    }
    guard isLast else { return done }
    if let open { decode(open, bytes, isSound, into: &sink) }
    packets.finish(into: &sink)
    return block.count
  }

  private mutating func decode(
    _ packet: HcidumpLine.Packet,
    _ bytes: [UInt8],
    _ isSound: Bool,
    into sink: inout CaptureSink
  ) {
    sink.records += 1
    guard isSound, !bytes.isEmpty else { return sink.drops.count(.malformedRecord) }
    if packet.time == nil {
      sink.note(
        "the capture has no times (record with hcidump -t): every report gets the time 1970-01-01T00:00:00Z"
      )
    }
    if packet.isLocalTime {
      sink.note(
        "hcidump -V writes local times without a zone: they are read as UTC (run it with -t --raw instead)"
      )
    }
    let content = PacketDecoder.Packet(
      range: 0..<bytes.count,
      time: packet.time ?? .earliest,
      isCut: false
    )
    packets.pass(to: content.time, into: &sink)
    // Events come in, commands go out.
    if packet.isIncoming == (bytes[0] == PacketDecoder.PacketType.event) {
      if HCIEventDecoder.isAdvertisingReport(bytes.span, in: 1..<bytes.count) {
        sink.scan.origin = Int(sink.keep(bytes))
      }
      packets.decodeH4(bytes.span, content, into: &sink)
      sink.scan.origin = 0
    }
    packets.endRecord(at: content.time, into: &sink)
  }
}
