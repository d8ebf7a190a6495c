// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decodes the binary dumps of old versions of hcidump, which did not write btsnoop yet.
///
/// The file has no header. A record is length, direction, a byte of padding, seconds and microseconds, little-endian,
/// then an HCI packet with its type byte.
struct HcidumpDecoder: CaptureFormatDecoder {
  static let recordHeaderCount = 12
  /// The longest packet hcidump could hold: an ACL packet of 1,024 bytes with its header and type.
  private static let maximumPlausibleCount = 1030

  private var packets = PacketDecoder(receivers: .byAdapter)
  private var search = CaptureSearch()

  /// Whether the first records are consistent.
  static func recognizes(_ start: borrowing Span<UInt8>, beyond: Int? = nil) -> Bool {
    RecordChain.holds(start, beyond: beyond) { (block, offset) -> RecordChain.Step in
      guard block.count - offset > recordHeaderCount else { return .cut }
      let count = Int(block.littleEndian16(at: offset))
      return isPlausible(block, at: offset) ? .next(offset + recordHeaderCount + count) : .broken
    }
  }

  /// Returns the length of the first record, if it can be one.
  static func firstRecord(_ start: borrowing Span<UInt8>) -> Int? {
    guard start.count > recordHeaderCount, isPlausible(start, at: 0) else { return nil }
    return recordHeaderCount + Int(start.littleEndian16(at: 0))
  }

  private static func isPlausible(_ block: borrowing Span<UInt8>, at offset: Int) -> Bool {
    (1...maximumPlausibleCount).contains(Int(block.littleEndian16(at: offset)))
      && block[offset + 2] <= 1 && block[offset + 3] == 0
      && block.littleEndian32(at: offset + 8) < 1_000_000
      && (1...5).contains(block[offset + recordHeaderCount])
  }

  mutating func resume(_ rest: borrowing Span<UInt8>, after time: Timestamp?) {
    packets.breakOff(after: time)
    packets.startNextCapture()
  }

  var undecidedSince: Timestamp? { packets.undecidedSince }

  mutating func decode(
    _ block: borrowing Span<UInt8>,
    isLast: Bool,
    into sink: inout CaptureSink
  ) throws(CaptureDamage) -> Int {
    var start = 0
    search.begin(-sink.inFront.count)
    while block.count - start >= Self.recordHeaderCount {
      let data = start + Self.recordHeaderCount
      let end = data + Int(block.littleEndian16(at: start))
      if block.count > data, !Self.isPlausible(block, at: start) {
        try search.check(block, sink, upTo: start) { rest, distance in
          Self.recognizes(rest, beyond: distance)
        }
      }
      guard block[start + 2] <= 1 else {
        throw CaptureDamage(offset: start, reason: "a record has no direction")
      }
      guard end <= block.count else { break }
      sink.records += 1
      let microseconds =
        Int64(block.littleEndian32(at: start + 4)) * 1_000_000
        + Int64(block.littleEndian32(at: start + 8))
      let packet = PacketDecoder.Packet(
        range: data..<end,
        time: Timestamp(microseconds: microseconds),
        isCut: false
      )
      packets.pass(to: packet.time, into: &sink)
      packets.decodeH4(block, packet, into: &sink)
      packets.endRecord(at: packet.time, into: &sink)
      start = end
    }
    if isLast {
      packets.finish(into: &sink)
      try RecordLimit.checkEnd(start, of: block.count)
    }
    return start
  }
}
