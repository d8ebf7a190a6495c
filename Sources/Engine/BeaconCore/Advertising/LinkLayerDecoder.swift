// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Decodes link-layer packets, as a sniffer receives them, into advertising reports.
///
/// It reads the advertising physical channel PDUs that carry advertising data (Core Specification, volume 6, part B,
/// 2.3). A sniffer receives a packet once on each channel it listens to; a controller delivers one report.
package enum LinkLayerDecoder {
  /// The sniffer's result for a packet's checksum.
  package enum Checksum: Sendable {
    /// The checksum is correct.
    case good
    /// The checksum is wrong.
    case bad
    /// The sniffer did not check it: the packet's own bytes decide.
    case unchecked
  }

  /// The access address of all advertising packets.
  private static let advertisingAccessAddress: UInt32 = 0x8E89_BED6
  private static let accessAddressCount = 4
  private static let headerCount = 2
  private static let checksumCount = 3
  private static let addressCount = 6

  /// Decodes one packet.
  ///
  /// - Parameters:
  ///   - block: Bytes that the packet lies in.
  ///   - packet: The range of the packet: access address (then the coding indicator, if coded), PDU and checksum.
  ///   - isCoded: Whether the packet was received on the coded PHY, with a coding indicator behind the access address.
  ///   - checksum: The sniffer's result for the checksum.
  ///   - rssi: Received signal strength in dBm, if the sniffer measured it.
  ///   - channel: The channel, if the sniffer states it and it is one of the three advertising channels.
  ///   - receiver: The sniffer.
  ///   - time: When it was received.
  ///   - sink: Where the report goes.
  package static func decode(
    _ block: borrowing Span<UInt8>,
    in packet: Range<Int>,
    isCoded: Bool = false,
    checksum: Checksum,
    rssi: Int8?,
    channel: AdvertisingChannel? = nil,
    receiver: UInt8,
    at time: Timestamp,
    into sink: inout ScanSink
  ) {
    guard checksum != .bad else {
      sink.drops.count(.badCRC)
      return
    }
    let pdu = packet.lowerBound + accessAddressCount + (isCoded ? 1 : 0)
    let payload = pdu + headerCount
    guard packet.upperBound <= block.count, payload <= packet.upperBound,
      block.littleEndian32(at: packet.lowerBound) == advertisingAccessAddress
    else {
      sink.drops.count(.notAdvertising)
      return
    }
    let end = payload + Int(block[pdu + 1])
    guard end + checksumCount <= packet.upperBound else {
      sink.drops.count(.notAdvertising)
      return
    }
    guard checksum == .good || LinkLayerChecksum.matches(block, pdu: pdu..<end) else {
      sink.drops.count(.badCRC)
      return
    }
    guard let content = content(block, header: block[pdu], payload: payload..<end) else {
      sink.drops.count(.notAdvertising)
      return
    }
    let isRandom = block[pdu] & 0x40 != 0
    let report = AdvertisingReport(
      time: time,
      rssi: rssi,
      receiver: receiver,
      address: DeviceAddress(
        block.addressBits(at: content.address),
        kind: isRandom ? .random : .publicDevice
      ),
      kind: content.kind,
      channel: channel,
      payloadStart: UInt32(truncatingIfNeeded: sink.origin + content.data.lowerBound),
      payloadCount: UInt16(truncatingIfNeeded: content.data.count)
    )
    sink.inputs.append(.report(report))
  }

  /// The offsets of the content of an advertising PDU.
  private struct Content {
    let kind: AdvertisingEventKind
    let address: Int
    let data: Range<Int>
  }

  private static func content(
    _ block: borrowing Span<UInt8>,
    header: UInt8,
    payload: Range<Int>
  ) -> Content? {
    guard let kind = legacyKind(header & 0x0F) else {
      return header & 0x0F == 7 ? extendedContent(block, payload) : nil
    }
    guard payload.count >= addressCount else { return nil }
    let data = payload.lowerBound + addressCount..<payload.upperBound
    // Directed advertising has a target address instead of data.
    return Content(
      kind: kind,
      address: payload.lowerBound,
      data: kind == .directed ? data.upperBound..<data.upperBound : data
    )
  }

  private static func legacyKind(_ type: UInt8) -> AdvertisingEventKind? {
    switch type {
    case 0: .connectable
    case 1: .directed
    case 2: .nonConnectable
    case 4: .scanResponse
    case 6: .scannable
    default: nil
    }
  }

  /// Finds address and data in a PDU of the common extended format.
  ///
  /// A packet without an address may be the middle of a chain, whose bytes start anywhere. A packet without data only
  /// points to another packet. Neither is an advertisement by itself.
  private static func extendedContent(
    _ block: borrowing Span<UInt8>,
    _ payload: Range<Int>
  ) -> Content? {
    guard payload.count >= 2 + addressCount else { return nil }
    let headerCount = Int(block[payload.lowerBound] & 0x3F)
    let flags = block[payload.lowerBound + 1]
    let dataStart = payload.lowerBound + 1 + headerCount
    guard flags & 1 != 0, headerCount >= 1 + addressCount, dataStart < payload.upperBound else {
      return nil
    }
    return Content(
      kind: .extended,
      address: payload.lowerBound + 2,
      data: dataStart..<payload.upperBound
    )
  }
}

/// The 24-bit checksum of link-layer packets (Core Specification, volume 6, part B, 3.1.1).
enum LinkLayerChecksum {
  /// The initial register on advertising channels (0x555555), with the bits in reverse order, like the register itself.
  private static let advertisingStart: UInt32 = 0xAA_AAAA
  /// x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1, with the bits in reverse order.
  private static let polynomial: UInt32 = 0xDA_6000

  /// Whether the three bytes behind an advertising PDU are its checksum; they must lie in the block.
  static func matches(_ block: borrowing Span<UInt8>, pdu: Range<Int>) -> Bool {
    var register = advertisingStart
    for offset in pdu {
      register ^= UInt32(block[offset])
      for _ in 0..<8 {
        register = register >> 1 ^ (register & 1 == 0 ? 0 : polynomial)
      }
    }
    let found =
      UInt32(block.littleEndian16(at: pdu.upperBound)) | UInt32(block[pdu.upperBound + 2]) << 16
    return register == found
  }
}
