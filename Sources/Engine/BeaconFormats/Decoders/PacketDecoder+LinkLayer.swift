// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

extension PacketDecoder {
  mutating func decodeLinkLayer(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    _ checksum: LinkLayerDecoder.Checksum,
    isCoded: Bool = false,
    rssi: Int8? = nil,
    channel: AdvertisingChannel? = nil,
    into sink: inout CaptureSink
  ) {
    guard !packet.isCut else { return sink.drops.count(.cutByRecorder) }
    sniffed(packet, into: &sink)
    LinkLayerDecoder.decode(
      block,
      in: packet.range,
      isCoded: isCoded,
      checksum: checksum,
      rssi: rssi.flatMap { AdvertisingReport.rssi(UInt8(bitPattern: $0)) },
      channel: channel,
      receiver: packet.receiver,
      at: packet.time,
      into: &sink.scan
    )
  }

  private enum RadioHeader {
    static let count = 10
    static let signalIsValid: UInt16 = 0x0002
    static let checksumWasChecked: UInt16 = 0x0400
    static let checksumIsGood: UInt16 = 0x0800
    static let isCodedPHY: UInt16 = 0x8000
  }

  /// Decodes a packet behind its header: channel, signal, noise, access address offenses, reference access address,
  /// flags.
  mutating func decodeLinkLayerWithHeader(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    guard packet.range.count >= RadioHeader.count else { return countShort(packet, &sink) }
    let start = packet.range.lowerBound
    let flags = block.littleEndian16(at: start + 8)
    var content = packet
    content.range = start + RadioHeader.count..<packet.range.upperBound
    let wasChecked = flags & RadioHeader.checksumWasChecked != 0
    let isGood = flags & RadioHeader.checksumIsGood != 0
    decodeLinkLayer(
      block,
      content,
      wasChecked ? (isGood ? .good : .bad) : .unchecked,
      isCoded: flags & RadioHeader.isCodedPHY != 0,
      rssi: flags & RadioHeader.signalIsValid != 0 ? Int8(bitPattern: block[start + 1]) : nil,
      channel: AdvertisingChannel(radioChannel: block[start]),
      into: &sink
    )
  }

  private enum NordicHeader {
    static let count = 7
    /// The fewest bytes of the second header: length, flags, channel, RSSI, event counter, time.
    static let packetHeaderCount = 10
    /// An advertising packet since protocol version 3, in which ``anyPacket`` is a data packet.
    static let advertisingPacket: UInt8 = 0x02
    static let anyPacket: UInt8 = 0x06
    static let checksumIsGood: UInt8 = 0x01
    static let phyMask: UInt8 = 0x70
    static let codedPHY: UInt8 = 0x20
  }

  /// Decodes a packet behind its two headers, that of the serial protocol and that of the packet.
  mutating func decodeNordicSniffer(
    _ block: borrowing Span<UInt8>,
    _ packet: Packet,
    into sink: inout CaptureSink
  ) {
    let start = packet.range.lowerBound
    let second = start + NordicHeader.count
    guard packet.range.count >= NordicHeader.count + NordicHeader.packetHeaderCount else {
      return countShort(packet, &sink)
    }
    guard block.littleEndian16(at: start) != 0xEFBE else {
      sink.note(
        "packets of the first nRF Sniffer, from before its protocol had versions, are skipped"
      )
      return
    }
    let version = block[start + 3]
    let type = block[start + 6]
    let wanted = version < 3 ? NordicHeader.anyPacket : NordicHeader.advertisingPacket
    guard type == wanted else { return sink.drops.count(.notAdvertising) }
    let headerCount = Int(block[second])
    guard headerCount >= NordicHeader.packetHeaderCount,
      second + headerCount <= packet.range.upperBound
    else { return sink.drops.count(.malformedRecord) }
    let flags = block[second + 1]
    var content = packet
    content.range = second + headerCount..<packet.range.upperBound
    decodeLinkLayer(
      block,
      content,
      flags & NordicHeader.checksumIsGood != 0 ? .good : .bad,
      isCoded: flags & NordicHeader.phyMask == NordicHeader.codedPHY,
      // The sniffer states the magnitude of a negative number; above 128 it cannot be an RSSI.
      rssi: block[second + 3] <= 128 ? Int8(truncatingIfNeeded: -Int(block[second + 3])) : nil,
      channel: AdvertisingChannel(rawValue: block[second + 2]),
      into: &sink
    )
  }
}
