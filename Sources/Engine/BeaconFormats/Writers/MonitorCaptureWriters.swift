// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Writes pcap with µs, little-endian, of link type 254 (Linux monitor), which Wireshark and tcpdump read.
///
/// Its seconds have 32 bits: a time before 1970 is written as 1970, one after February 2106 as the latest possible.
public struct PcapWriter: CaptureWriter, Sendable {
  /// Adapter and opcode in front of each payload.
  private static let headerCount = 4

  /// Creates a writer.
  public init() {}

  /// Appends the file header and the names of the receivers.
  public func begin(receiverNames: [String], at time: Timestamp, into bytes: inout [UInt8]) {
    bytes.appendLittleEndian(UInt32(0xA1B2_C3D4))
    bytes.appendLittleEndian(UInt16(2))
    bytes.appendLittleEndian(UInt16(4))
    bytes.appendLittleEndian(UInt64(0))
    bytes.appendLittleEndian(RecordLimit.maximumCount)
    bytes.appendLittleEndian(UInt32(LinkType.linuxMonitor.rawValue))
    for record in MonitorChannelRecord.announcements(of: receiverNames, at: time) {
      Self.append(record, to: &bytes)
    }
  }

  /// Appends the reports and receivers' states of a batch.
  public func write(_ batch: borrowing ScanBatch, into bytes: inout [UInt8]) {
    MonitorChannelRecord.forEach(in: batch) { Self.append($0, to: &bytes) }
  }

  private static func append(_ record: MonitorChannelRecord, to bytes: inout [UInt8]) {
    let (seconds, microseconds) = max(0, record.time.microseconds)
      .quotientAndRemainder(dividingBy: 1_000_000)
    let count = UInt32(truncatingIfNeeded: headerCount + record.payload.count)
    bytes.appendLittleEndian(UInt32(clamping: seconds))
    bytes.appendLittleEndian(UInt32(truncatingIfNeeded: microseconds))
    bytes.appendLittleEndian(count)
    bytes.appendLittleEndian(count)
    bytes.appendBigEndian(record.adapter)
    bytes.appendBigEndian(record.opcode)
    bytes += record.payload
  }
}

/// Writes btsnoop as `btmon -w` does (data link 2001), which `btmon -r` and Wireshark read.
public struct BtsnoopWriter: CaptureWriter, Sendable {
  /// Creates a writer.
  public init() {}

  /// Appends the file header and the names of the receivers.
  public func begin(receiverNames: [String], at time: Timestamp, into bytes: inout [UInt8]) {
    bytes += BtsnoopDecoder.magic
    bytes.appendBigEndian(UInt32(1))
    bytes.appendBigEndian(BtsnoopDecoder.DataLink.linuxMonitor.rawValue)
    for record in MonitorChannelRecord.announcements(of: receiverNames, at: time) {
      Self.append(record, to: &bytes)
    }
  }

  /// Appends the reports and receivers' states of a batch.
  public func write(_ batch: borrowing ScanBatch, into bytes: inout [UInt8]) {
    MonitorChannelRecord.forEach(in: batch) { Self.append($0, to: &bytes) }
  }

  private static func append(_ record: MonitorChannelRecord, to bytes: inout [UInt8]) {
    let count = UInt32(truncatingIfNeeded: record.payload.count)
    bytes.appendBigEndian(count)
    bytes.appendBigEndian(count)
    bytes.appendBigEndian(UInt32(record.adapter) << 16 | UInt32(record.opcode))
    bytes.appendBigEndian(UInt32(0))
    bytes.appendBigEndian(UInt64(bitPattern: record.time.microseconds + BtsnoopDecoder.epoch))
    bytes += record.payload
  }
}

extension [UInt8] {
  mutating func appendBigEndian<Value: FixedWidthInteger>(_ value: Value) {
    for octet in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> Value(octet)))
    }
  }

  mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    appendBigEndian(value.byteSwapped)
  }
}
