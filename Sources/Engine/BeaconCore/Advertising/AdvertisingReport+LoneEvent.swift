// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AdvertisingReport {
  /// Reads an HCI event that contains a single legacy report, as nearly all do; it fails on any other, valid or not.
  ///
  /// The event code, the number of reports and every length are checked together, and the fixed part of the report is
  /// one load: a third of the time of ``HCIEventDecoder``'s general path.
  ///
  /// - Parameters:
  ///   - event: The event and nothing else.
  ///   - origin: Its offset in the batch.
  ///   - receiver: The adapter that received it.
  ///   - time: When the host received it.
  @inlinable @inline(__always)
  package init?(
    loneIn event: borrowing Span<UInt8>,
    at origin: Int,
    receiver: UInt8,
    time: Timestamp
  ) {
    // Event code, length of what follows, subevent, one report; then nine bytes, the payload and the RSSI.
    let count = event.count
    guard count >= Self.fewestLoneBytes, count <= 0xFF,
      event.littleEndian32(at: 0) == 0x0102_003E | UInt32(truncatingIfNeeded: count &- 2) << 8,
      Int(event[12]) == count &- Self.fewestLoneBytes
    else { return nil }
    // Event type, address type, address.
    let fixed = UInt64(littleEndian: event.load(at: 4, as: UInt64.self))
    self.init(
      time: time,
      rssi: Self.rssi(event[count &- 1]),
      receiver: receiver,
      address: DeviceAddress.Kind(addressType: UInt8(truncatingIfNeeded: fixed >> 8))
        .map { DeviceAddress(fixed >> 16, kind: $0) },
      kind: AdvertisingEventKind(legacyEventType: UInt8(truncatingIfNeeded: fixed)),
      payloadStart: UInt32(truncatingIfNeeded: origin &+ 13),
      payloadCount: UInt16(truncatingIfNeeded: count &- Self.fewestLoneBytes)
    )
  }

  /// The size of an event whose only report is a legacy one without a payload.
  @inlinable package static var fewestLoneBytes: Int { 14 }

  /// The RSSI in a byte of an event, from −127 to −1; `nil` for 127, which means that it is unknown, and for any other.
  ///
  /// No radio receives a beacon at 0 dBm or more; writers of captures use 0 for an unknown RSSI.
  @inlinable @inline(__always)
  package static func rssi(_ byte: UInt8) -> Int8? {
    byte > 0x80 ? Int8(bitPattern: byte) : nil
  }
}
