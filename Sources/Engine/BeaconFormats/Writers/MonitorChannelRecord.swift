// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A record of the Linux monitor channel, which btsnoop and pcap captures both contain.
struct MonitorChannelRecord {
  var time: Timestamp
  var adapter: UInt16
  var opcode: UInt16
  var payload: [UInt8]

  /// An adapter's name has up to eight characters.
  private static let nameCount = 8
  private static let newIndexOpcode: UInt16 = 0
  private static let eventOpcode: UInt16 = 3

  /// Returns the records that announce the receivers' names, so that a reader finds them.
  static func announcements(of names: [String], at time: Timestamp) -> [MonitorChannelRecord] {
    names.prefix(Int(UInt8.max)).enumerated().map { index, name in
      var characters = Array(name.utf8.prefix(nameCount))
      characters += [UInt8](repeating: 0, count: nameCount - characters.count)
      // A primary controller on a virtual bus, with an address of zeros for privacy.
      return MonitorChannelRecord(
        time: time,
        adapter: UInt16(index),
        opcode: newIndexOpcode,
        payload: [0, 0] + [UInt8](repeating: 0, count: 6) + characters
      )
    }
  }

  /// Calls a closure with each record made of a batch's reports and levels; other inputs are left out.
  static func forEach(in batch: borrowing ScanBatch, _ body: (MonitorChannelRecord) -> Void) {
    for index in batch.inputs.indices {
      guard let (report, payload) = batch.packet(of: batch.inputs[index]) else { continue }
      HCIReportEncoder.encode(report, payload: payload) { event in
        body(
          MonitorChannelRecord(
            time: report.time,
            adapter: UInt16(report.receiver),
            opcode: eventOpcode,
            payload: event
          )
        )
      }
    }
  }
}
