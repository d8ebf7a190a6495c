// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconCommandLine
package import BeaconFormats
package import Beacons
internal import SystemKit

/// What `inspect` writes.
package struct InspectionReport {
  private let inspection: CaptureInspection
  private let capture: CaptureReader<FileByteSource>
  private let name: String
  private let names: NameBook
  /// Whether there is a column for the UUID.
  private var isWide = true

  /// - Parameters:
  ///   - inspection: The counts.
  ///   - source: The capture, read to its end.
  ///   - names: The names of beacons.
  package init(_ inspection: CaptureInspection, of source: CaptureSource, names: NameBook) {
    self.inspection = inspection
    self.names = names
    capture = source.captures[0]
    name = WholeFile.name(source.paths[0])
  }

  /// Oddities, in the words a user would use.
  private var notes: [String] {
    var notes = capture.notes
    if let damage = capture.damage { notes.append(damage) }
    if inspection.outOfOrder > 0 {
      notes.append("\(inspection.outOfOrder) reports lie before the one recorded before them")
    }
    notes += inspection.identities.lazy.compactMap(Self.contest).prefix(Self.mostContests)
    notes += inspection.identities.lazy.compactMap(Self.implausiblePower).prefix(Self.mostContests)
    if inspection.isCapped { notes.append("more identities or addresses than are counted") }
    for (reason, count) in capture.drops.occurred {
      notes.append("\(count) left out: \(reason.name)")
    }
    return notes
  }

  /// Of a capture that a hostile sender filled, more are not useful.
  private static let mostContests = 32

  private static func contest(_ record: IdentityRecord) -> String? {
    record.contested.map { levels in
      "\(record.identity) is sent from two addresses at levels that no one place explains:"
        + " \(EventSentence.contested(levels))"
    }
  }

  private static func implausiblePower(_ record: IdentityRecord) -> String? {
    record.implausiblePower.map { "\(record.identity) \(EventSentence.implausible($0))" }
  }

  // MARK: JSON

  /// One JSON object on one line.
  package var json: [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("format", capture.format?.rawValue)
    writer.key("link_types")
    writer.beginArray()
    for type in capture.linkTypes { writer.integer(type) }
    writer.endArray()
    writer.integer("records", capture.records)
    writer.integer("advertising_reports", inspection.reports)
    writer.integer("ibeacon_reports", inspection.beaconReports)
    writer.timestamp("first", inspection.first)
    writer.timestamp("last", inspection.last)
    appendReceivers(to: &writer)
    writer.key("identities")
    writer.beginArray()
    for record in inspection.identities { Self.append(record, to: &writer) }
    writer.endArray()
    Self.append(inspection.channels, to: &writer)
    writer.key("rejected")
    writer.tally(inspection.rejected)
    writer.key("others")
    writer.tally(inspection.others)
    writer.key("notes")
    writer.beginArray()
    for note in notes { writer.string(note) }
    writer.endArray()
    writer.integer("damaged_at", capture.damagedAt)
    writer.endLine()
    return writer.bytes
  }

  /// For how long each receiver listened; nothing if all listened the whole time, as far as the capture shows.
  private func appendReceivers(to writer: inout JSONLineWriter) {
    let listening = inspection.listening
    guard listening.receivers.contains(where: { $0.pauses > 0 }) else { return }
    writer.key("receivers")
    writer.beginArray()
    for receiver in listening.receivers {
      writer.beginObject()
      writer.key("receiver")
      writer.string(receiverName(receiver))
      writer.key("listened")
      writer.seconds(receiver.listened(until: listening.end))
      writer.key("pauses")
      writer.integer(receiver.pauses)
      if receiver.unexpectedReports > 0 {
        writer.key("unexpected_reports")
        writer.integer(receiver.unexpectedReports)
      }
      Self.append(receiver.longestPauses(until: listening.end), to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func append(_ pauses: [ListeningPause], to writer: inout JSONLineWriter) {
    writer.key("longest_pauses")
    writer.beginArray()
    for pause in pauses {
      writer.beginObject()
      writer.timestamp("t", pause.start)
      writer.seconds("duration", pause.length)
      writer.key("states")
      writer.beginArray()
      for reason in pause.reasons { writer.string(reason.rawValue) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
  }

  /// A receiver's name; `nil` if the capture does not distinguish receivers.
  private func receiverName(_ receiver: ReceiverListening) -> String? {
    let names = capture.receiverNames
    return Int(receiver.receiver) < names.count ? names[Int(receiver.receiver)] : nil
  }

  private static func append(_ record: IdentityRecord, to writer: inout JSONLineWriter) {
    writer.beginObject()
    writer.identity(record.identity)
    writer.integer("power", record.power)
    writer.integer("reports", record.reports)
    writer.timestamp("first", record.first)
    writer.timestamp("last", record.last)
    writer.integer("rssi_min", record.weakest)
    writer.integer("rssi_max", record.strongest)
    writer.integer("addresses", record.addresses)
    if let levels = record.contested {
      writer.key("contested")
      writer.beginArray()
      writer.hundredths(levels.stronger)
      writer.hundredths(levels.weaker)
      writer.endArray()
    }
    append(record.channels, to: &writer)
    if !record.channels.levels.isEmpty {
      writer.hundredths("channel_spread", record.channels.spread)
    }
    writer.endObject()
  }

  /// The reports on each channel; nothing if the capture knows no channels.
  private static func append(_ channels: ChannelLevels, to writer: inout JSONLineWriter) {
    let levels = channels.levels
    guard !levels.isEmpty else { return }
    writer.key("channels")
    writer.beginArray()
    for level in levels {
      writer.beginObject()
      writer.integer("channel", level.channel.rawValue)
      writer.integer("reports", level.reports)
      writer.hundredths("rssi_mean", level.mean)
      writer.endObject()
    }
    writer.endArray()
  }

  // MARK: Table

  /// Lines for a user, no wider than a terminal of at least 60 columns.
  package mutating func table(columns: Int) -> [UInt8] {
    // Narrower than this, each UUID has a separate line; names need room as well.
    isWide = columns >= (names.entries.isEmpty ? 80 : 110)
    // What fits stays as it is, with its own spaces.
    var lines = summary.flatMap { line in
      line.count <= columns ? [line] : HelpText.wrapped(line, indent: 0, columns)
    }
    if !inspection.identities.isEmpty { lines += ["", heading] }
    lines += grouped { [row($0)] }
    lines += channelTable
    if inspection.rejected.total > 0 { lines += ["", "claim to be an iBeacon and are not valid:"] }
    lines += inspection.rejected.occurred.map {
      Column.right("\($0.count)", 8) + "  \($0.reason.name)"
    }
    if !notes.isEmpty { lines.append("") }
    lines += notes.flatMap { HelpText.wrapped("note: \($0)", indent: 0, columns) }
    if let offset = capture.damagedAt { lines.append("damaged at byte \(offset)") }
    return CommandIO.table(lines)
  }

  private var summary: [String] {
    let types = capture.linkTypes.map { String($0) }.joined(separator: ", ")
    let format = capture.format?.name ?? "empty"
    var lines = ["\(name): \(format)" + (types.isEmpty ? "" : ", link type \(types)")]
    lines.append(
      "\(capture.records) records, \(inspection.reports) advertising reports, "
        + "\(inspection.beaconReports) of them iBeacon"
    )
    if let others = inspection.others.sentence { lines.append(others) }
    if let first = inspection.first, let last = inspection.last {
      lines.append("from \(RFC3339.string(first))")
      lines.append("to   \(RFC3339.string(last))  (\(DecimalText.span(last - first)))")
    }
    lines += listening
    return lines
  }

  /// For how long each receiver listened, and its longest pauses; nothing of a single receiver without one.
  private var listening: [String] {
    let listening = inspection.listening
    let recorded = DecimalText.span(listening.recorded)
    var steady: [String] = []
    if listening.receivers.count > 1 {
      // Most receivers listen all the time, so they share a line.
      let groups = Dictionary(grouping: listening.receivers.filter { $0.pauses == 0 }) {
        $0.listened(until: listening.end)
      }
      steady = groups.sorted { $1.key < $0.key }.map { listened, receivers in
        let names = receivers.map { receiverName($0) ?? "receiver \($0.receiver)" }
        return names.joined(separator: ", ")
          + " listened for \(DecimalText.span(listened)) of \(recorded), without a pause"
      }
    }
    return steady
      + listening.receivers.filter { $0.pauses > 0 }.flatMap { receiver in
        let listened = DecimalText.span(receiver.listened(until: listening.end))
        let pauses = receiver.pauses == 1 ? "1 pause" : "\(receiver.pauses) pauses"
        let unexpected = receiver.unexpectedReports
        let longest = receiver.longestPauses(until: listening.end)
        let title =
          "\(receiverName(receiver) ?? "the receiver") listened for \(listened) of \(recorded), with \(pauses)"
          + (unexpected > 0 ? ", in which it still gave \(unexpected) reports" : "")
          + (longest.count < receiver.pauses ? "; the longest:" : ":")
        return [title]
          + longest.map { pause in
            "  \(pause.reasons.map(\.rawValue).joined(separator: ", "))"
              + " for \(DecimalText.span(pause.length)) from \(RFC3339.string(pause.start))"
          }
      }
  }

  /// The lines of all identities; without a column for it, each UUID is above its beacons.
  private func grouped(_ lines: (IdentityRecord) -> [String]) -> [String] {
    guard !isWide else { return inspection.identities.flatMap(lines) }
    var uuids: [UInt128] = []
    var groups: [UInt128: [String]] = [:]
    for record in inspection.identities {
      let uuid = record.identity.uuid
      if groups[uuid] == nil { uuids.append(uuid) }
      groups[uuid, default: []] += lines(record)
    }
    return uuids.flatMap { [UUIDText.string($0)] + (groups[$0] ?? []) }
  }

  /// For each identity, and for all that advertised, the means by channel and the numbers of reports below them; nothing
  /// if the capture has no channels.
  private var channelTable: [String] {
    guard !inspection.channels.levels.isEmpty else { return [] }
    let names = AdvertisingChannel.allCases.map { Column.right("\($0.rawValue)", 8) }.joined()
    let title = "MEAN RSSI AND REPORTS BY CHANNEL"
    var lines = [""]
    if isWide { lines.append(Column.left(title, 37)) } else { lines += [title, ""] }
    lines[lines.count - 1] += Column.right("MAJ/MIN", isWide ? 11 : 20) + names
    lines[lines.count - 1] += Column.right("SPREAD", 8)
    lines += grouped { record in
      let name = Column.right("\(record.identity.major)/\(record.identity.minor)", isWide ? 11 : 20)
      let uuid = isWide ? Column.left(UUIDText.string(record.identity.uuid), 37) : ""
      return rows(uuid + name, record.channels, spread: record.channels.spread)
    }
    // Beacons far and near, so that a spread would not describe the channels.
    return lines + rows("all that advertised", inspection.channels, spread: nil)
  }

  /// Each channel's mean in dBm with the spread in dB, and its number of reports.
  private func rows(_ name: String, _ channels: ChannelLevels, spread: Double?) -> [String] {
    let levels = AdvertisingChannel.allCases.map { channel in
      channels.levels.first { $0.channel == channel }
    }
    let means = levels.map { Column.right($0?.mean.map(Self.tenths) ?? "-", 8) }.joined()
    let reports = levels.map { Column.right("\($0?.reports ?? 0)", 8) }.joined()
    let width = isWide ? 48 : 20
    return [
      Column.left(name, width) + means + Column.right(spread.map(Self.tenths) ?? "-", 8),
      Column.right("reports", width) + reports,
    ]
  }

  private static func tenths(_ number: Double) -> String {
    DecimalText.fixed(number, decimals: 1)
  }

  private var heading: String {
    (isWide ? Column.left("UUID", 37) : "") + Column.right("MAJ/MIN", isWide ? 11 : 13)
      + Column.right("POWER", 6) + Column.right("REPORTS", 9) + Column.right("RSSI", 11)
      + Column.right("ADDR", 5) + (names.entries.isEmpty ? "" : "  NAME")
  }

  private func row(_ record: IdentityRecord) -> String {
    let rssi =
      record.weakest.flatMap { weakest in record.strongest.map { "\(weakest)..\($0)" } } ?? "-"
    let uuid = isWide ? Column.left(UUIDText.string(record.identity.uuid), 37) : ""
    let numbers = "\(record.identity.major)/\(record.identity.minor)"
    return uuid + Column.right(numbers, isWide ? 11 : 13)
      + Column.right("\(record.power)", 6) + Column.right("\(record.reports)", 9)
      + Column.right(rssi, 11) + Column.right("\(record.addresses)", 5)
      + (names[record.identity].map { "  \($0)" } ?? "")
  }
}
