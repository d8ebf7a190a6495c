// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One advertising packet as received.
///
/// A report contains no pointer: its payload lies in its ``ScanBatch``, so that a batch of many thousands of reports is
/// two allocations. A value that the source does not know is `nil`, never a guess.
public struct AdvertisingReport: Sendable, Equatable {
  /// The kind of the payload bytes.
  public enum Content: UInt8, Sendable {
    /// The advertising data as transmitted.
    case advertisingData
    /// Only manufacturer specific data was known (BlueZ over D-Bus); the payload contains AD structures rebuilt from
    /// it.
    case rebuiltManufacturerData
  }

  /// When the packet was received, on the source's timeline.
  public var time: Timestamp
  // In this order the properties leave no gaps: an input takes 32 bytes, two to a cache line.

  /// The device address it came from; `nil` if the source does not know.
  public var address: DeviceAddress?
  /// The receiver, as an index into the source's receivers.
  public var receiver: UInt8
  /// Where the payload starts in ``ScanBatch/bytes``.
  public var payloadStart: UInt32
  /// How many bytes the payload has.
  public var payloadCount: UInt16
  /// Received signal strength in dBm; `nil` if the controller does not report it (127 on the wire).
  public var rssi: Int8?
  /// The kind of advertising event; `nil` if the source does not know.
  public var kind: AdvertisingEventKind?
  /// The kind of the payload bytes.
  public var content: Content
  /// The channel it was received on; `nil` if the source does not know, which is everywhere except in captures of
  /// sniffers.
  public var channel: AdvertisingChannel?
  /// The place of a beacon's frame, as the source found it: the payload is decoded once.
  @usableFromInline package var found: FoundFrame

  /// Creates a report.
  @inlinable
  public init(
    time: Timestamp,
    rssi: Int8?,
    receiver: UInt8 = 0,
    address: DeviceAddress? = nil,
    kind: AdvertisingEventKind? = nil,
    content: Content = .advertisingData,
    channel: AdvertisingChannel? = nil,
    payloadStart: UInt32,
    payloadCount: UInt16
  ) {
    self.time = time
    self.address = address
    self.rssi = rssi
    self.receiver = receiver
    self.kind = kind
    self.content = content
    self.channel = channel
    self.payloadStart = payloadStart
    self.payloadCount = payloadCount
    found = FoundFrame()
  }

  /// The place of the payload in ``ScanBatch/bytes``.
  @inlinable @inline(__always)
  package var payloadRange: Range<Int> {
    let start = Int(payloadStart)
    return start..<start &+ Int(payloadCount)
  }
}
