// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes the PacketLogger files of Apple's tools.
///
/// The file has no header. A record is the length of the rest of the record, seconds, microseconds, type, then the
/// packet; in files of the second version the numbers are little-endian.
struct PacketLoggerDecoder: CaptureFormatDecoder {
  private static let lengthCount = 4
  private static let recordHeaderCount = 13
  /// The fewest bytes that can follow the length: time and type.
  private static let minimumLength: UInt32 = 9

  private enum RecordType {
    static let command: UInt8 = 0
    static let event: UInt8 = 1
    /// Commands, events, ACL and SCO packets both ways, state, diagnostics, configuration and notes.
    static let known: [UInt8] = [
      0x00, 0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
      0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF,
    ]
  }

  private var isBigEndian: Bool
  private var packets = PacketDecoder(receivers: .byAdapter)
  private var search = CaptureSearch()

  /// Finds the byte order from the first length, which fits in two of its four bytes.
  init?(_ start: borrowing Span<UInt8>) {
    guard start.count >= Self.lengthCount else { return nil }
    isBigEndian = start[0] == 0 && start[1] == 0
  }

  mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?) {
    isBigEndian = rest[0] == 0 && rest[1] == 0
    packets.breakOff(after: time)
    packets.startNextCapture()
  }

  /// Whether the first records are consistent, in either byte order.
  static func recognizes(_ start: borrowing Span<UInt8>, beyond: Int? = nil) -> Bool {
    guard start.count >= lengthCount else { return false }
    let isBigEndian = start[0] == 0 && start[1] == 0
    guard isBigEndian || (start[2] == 0 && start[3] == 0) else { return false }
    return RecordChain.holds(start, beyond: beyond) { (block, offset) -> RecordChain.Step in
      guard block.count - offset >= recordHeaderCount else { return .cut }
      guard isPlausible(block, at: offset, isBigEndian) else { return .broken }
      return .next(offset + lengthCount + Int(uint32(block, at: offset, isBigEndian)))
    }
  }

  /// Returns the length of the first record, if it can be one.
  static func firstRecord(_ start: borrowing Span<UInt8>) -> Int? {
    guard start.count > recordHeaderCount else { return nil }
    let isBigEndian = start[0] == 0 && start[1] == 0
    guard isBigEndian || (start[2] == 0 && start[3] == 0),
      isPlausible(start, at: 0, isBigEndian)
    else { return nil }
    return lengthCount + Int(uint32(start, at: 0, isBigEndian))
  }

  private static func isPlausible(
    _ block: borrowing Span<UInt8>,
    at offset: Int,
    _ isBigEndian: Bool
  ) -> Bool {
    (minimumLength...0xFFFF).contains(uint32(block, at: offset, isBigEndian))
      && uint32(block, at: offset + 8, isBigEndian) < 1_000_000
      && RecordType.known.contains(block[offset + 12])
  }

  var undecidedSince: Timestamp? { packets.undecidedSince }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var start = 0
    search.begin(-sink.inFront.count)
    while block.count - start >= Self.lengthCount {
      if block.count - start >= Self.recordHeaderCount, looksWrong(block, at: start) {
        try search.check(block, sink, upTo: start) { rest, distance in
          Self.recognizes(rest, beyond: distance)
        }
      }
      let length = Self.uint32(block, at: start, isBigEndian)
      guard length >= Self.minimumLength else {
        throw CaptureDamage(offset: start, reason: "a record claims \(length) bytes, too few")
      }
      try RecordLimit.check(length, at: start)
      let end = start + Self.lengthCount + Int(length)
      guard end <= block.count else { break }
      sink.records += 1
      decodeRecord(block, start..<end, into: &sink)
      start = end
    }
    if isLast {
      packets.finish(into: &sink)
      try RecordLimit.checkEnd(start, of: block.count)
    }
    return start
  }

  /// Whether no record starts at an offset, or a lone one far from the one in front of it.
  private func looksWrong(_ block: borrowing Span<UInt8>, at start: Int) -> Bool {
    guard Self.isPlausible(block, at: start, isBigEndian) else { return true }
    guard let last = packets.lastTime, CaptureSearch.isFar(time(block, at: start), from: last)
    else { return false }
    return !Self.recognizes(block.extracting(start...))
  }

  private func time(_ block: borrowing Span<UInt8>, at start: Int) -> Timestamp {
    Timestamp(
      microseconds: Int64(Self.uint32(block, at: start + 4, isBigEndian)) * 1_000_000
        + Int64(Self.uint32(block, at: start + 8, isBigEndian))
    )
  }

  private mutating func decodeRecord(
    _ block: borrowing Span<UInt8>,
    _ record: Range<Int>,
    into sink: inout CaptureSink
  ) {
    let start = record.lowerBound
    let packet = PacketDecoder.Packet(
      range: start + Self.recordHeaderCount..<record.upperBound,
      time: time(block, at: start),
      isCut: false
    )
    packets.pass(to: packet.time, into: &sink)
    switch block[start + 12] {
    case RecordType.event: packets.decodeEvent(block, packet, into: &sink)
    case RecordType.command: packets.decodeCommand(block, packet, into: &sink)
    default: break
    }
    packets.endRecord(at: packet.time, into: &sink)
  }

  private static func uint32(
    _ block: borrowing Span<UInt8>,
    at offset: Int,
    _ isBigEndian: Bool
  ) -> UInt32 {
    isBigEndian ? block.bigEndian32(at: offset) : block.littleEndian32(at: offset)
  }
}
