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
  private enum Opcode {
    static let newIndex: UInt16 = 0
    static let deletedIndex: UInt16 = 1
    static let command: UInt16 = 2
    static let event: UInt16 = 3
    static let systemNote: UInt16 = 12
  }

  /// Returns the records that announce the receivers' names, so that a reader finds them.
  static func announcements(of names: [String], at time: Timestamp) -> [MonitorChannelRecord] {
    shortNames(names.prefix(Int(UInt8.max))).enumerated().map { index, name in
      var characters = Array(name.utf8)
      characters += [UInt8](repeating: 0, count: nameCount - characters.count)
      // A primary controller on a virtual bus, with an address of zeros for privacy.
      return MonitorChannelRecord(
        time: time,
        adapter: UInt16(index),
        opcode: Opcode.newIndex,
        payload: [0, 0] + [UInt8](repeating: 0, count: 6) + characters
      )
    }
  }

  /// Returns the receivers' names as a reader finds them: a few visible characters, all different.
  ///
  /// A name that fits stays as it is. An empty name stays empty if the adapter's number is enough for a reader.
  private static func shortNames(_ names: some Sequence<String>) -> [String] {
    let full = names.enumerated().map { $1.isEmpty ? "hci\($0)" : $1 }
    let visible = full.map { name in
      String(name.unicodeScalars.map { (0x21..<0x7F).contains($0.value) ? Character($0) : "_" })
    }
    var short = visible
    var taken: Set<String> = []
    func isKept(_ index: Int) -> Bool {
      full[index] == visible[index] && full[index].count <= nameCount
    }
    for index in full.indices.filter(isKept) + full.indices.filter({ !isKept($0) }) {
      short[index] = visible[index].distinct(from: taken, upTo: nameCount)
      taken.insert(short[index])
    }
    for (index, name) in names.enumerated() where name.isEmpty && short[index] == full[index] {
      short[index] = ""
    }
    return short
  }

  /// Calls a closure with each record made of a batch's reports, levels and marks and of its receivers' states; other inputs
  /// are left out.
  static func forEach(in batch: borrowing ScanBatch, _ body: (MonitorChannelRecord) -> Void) {
    for index in batch.inputs.indices {
      switch batch.inputs[index] {
      case .report, .level:
        guard let (report, payload) = batch.packet(of: batch.inputs[index]) else { continue }
        HCIReportEncoder.encode(report, payload: payload) { event in
          body(
            MonitorChannelRecord(
              time: report.time,
              adapter: UInt16(report.receiver),
              opcode: Opcode.event,
              payload: event
            )
          )
        }
      case .radio(let receiver, let state, let time):
        for (opcode, payload) in packets(of: state) {
          body(
            MonitorChannelRecord(
              time: time,
              adapter: UInt16(receiver),
              opcode: opcode,
              payload: payload
            )
          )
        }
      case .mark(let time):
        let (adapter, opcode) = (UInt16.max, Opcode.systemNote)
        body(
          MonitorChannelRecord(time: time, adapter: adapter, opcode: opcode, payload: timeNote)
        )
      case .notice, .place: break
      }
    }
  }

  /// The note that shows, without a report, that the capture ran.
  private static let timeNote = Array("Beacons: no report until here\0".utf8)

  /// Returns the packets that show a state: a command that starts or ends a scan with its answer, or a removed adapter, with
  /// a note.
  ///
  /// No packet shows that a scan receives nothing, so a deaf receiver is one that does not scan.
  private static func packets(of state: RadioState) -> [(UInt16, [UInt8])] {
    switch state {
    case .gone: [(Opcode.deletedIndex, []), (Opcode.systemNote, PacketDecoder.stateNote)]
    case .listening, .off, .deaf:
      [
        (Opcode.command, [0x0C, 0x20, 2, state == .listening ? 1 : 0, 0]),
        (Opcode.event, [0x0E, 4, 1, 0x0C, 0x20, 0]),
      ] + (state == .listening ? [] : [(Opcode.systemNote, PacketDecoder.stateNote)])
    }
  }
}
