// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Writes btsnoop as `btmon -w` does (data link 2001), which `btmon -r` and Wireshark read.
public struct BtsnoopWriter: CaptureWriter, Sendable {
  /// Creates a writer.
  public init() {}

  /// Appends the file header and the names of the receivers.
  public func begin(receiverNames: [String], at time: Timestamp, into bytes: inout [UInt8]) {
    bytes += BtsnoopDecoder.magic
    bytes.appendBigEndian(UInt32(1))
    bytes.appendBigEndian(BtsnoopDecoder.DataLink.linuxMonitor.rawValue)
    for record in MonitorRecord.announcements(of: receiverNames, at: time) {
      Self.append(record, to: &bytes)
    }
  }

  /// Appends the reports of a batch.
  public func write(_ batch: borrowing ScanBatch, into bytes: inout [UInt8]) {
    MonitorRecord.forEach(in: batch) { Self.append($0, to: &bytes) }
  }

  private static func append(_ record: MonitorRecord, to bytes: inout [UInt8]) {
    let count = UInt32(truncatingIfNeeded: record.payload.count)
    bytes.appendBigEndian(count)
    bytes.appendBigEndian(count)
    bytes.appendBigEndian(UInt32(record.adapter) << 16 | UInt32(record.opcode))
    bytes.appendBigEndian(UInt32(0))
    bytes.appendBigEndian(UInt64(bitPattern: record.time.microseconds + BtsnoopDecoder.epoch))
    bytes += record.payload
  }
}
