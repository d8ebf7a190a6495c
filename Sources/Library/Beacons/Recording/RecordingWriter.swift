// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Writes scan inputs in one of the formats that can be written.
package struct RecordingWriter {
  /// The formats that can be written.
  package enum Format: String, Sendable {
    /// JSON Lines, which keep everything.
    case lines = "jsonl"
    /// btsnoop of the Linux monitor, which keeps reports.
    case btsnoop
    /// pcap of the Linux monitor, which keeps reports.
    case pcap

    /// Creates the format that a file name's extension stands for; `nil` if it stands for none.
    package init?(ending path: String) {
      switch path.split(separator: ".").last.map({ $0.lowercased() }) {
      case "btsnoop", "snoop", "log", "cfa": self = .btsnoop
      case "pcap": self = .pcap
      case "jsonl", "json", "ndjson": self = .lines
      default: return nil
      }
    }
  }

  private enum Writer {
    case lines(CaptureLineWriter)
    case capture(any CaptureWriter, AddressPseudonyms?)
  }

  private var writer: Writer
  private var bytes: [UInt8] = []

  /// Starts a recording.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - header: The recording's description of itself.
  ///   - includesAddresses: Whether device addresses are recorded unchanged.
  ///   - start: The time at which it starts.
  ///   - number: The number of the last pseudonym that the file may contain already.
  package init(
    _ format: Format,
    header: CaptureHeader,
    includesAddresses: Bool,
    startingAt start: Timestamp,
    pseudonymsAfter number: UInt64 = 0
  ) {
    switch format {
    case .lines:
      writer = .lines(
        CaptureLineWriter(
          header,
          pseudonyms: includesAddresses ? nil : AddressPseudonyms(after: number)
        )
      )
    case .btsnoop, .pcap:
      let capture: any CaptureWriter = format == .pcap ? PcapWriter() : BtsnoopWriter()
      capture.begin(receiverNames: header.receivers, at: start, into: &bytes)
      writer = .capture(capture, includesAddresses ? nil : AddressPseudonyms())
    }
  }

  /// Adds the inputs of a batch.
  package mutating func append(_ batch: ScanBatch) {
    switch writer {
    case .lines(var lines):
      lines.append(batch)
      writer = .lines(lines)
    case .capture(let capture, var pseudonyms):
      capture.write(Self.redacted(batch, &pseudonyms), into: &bytes)
      writer = .capture(capture, pseudonyms)
    }
  }

  private static func redacted(
    _ batch: ScanBatch,
    _ pseudonyms: inout AddressPseudonyms?
  ) -> ScanBatch {
    guard var names = pseudonyms else { return batch }
    var batch = batch
    for index in batch.inputs.indices {
      guard case .report(var report) = batch.inputs[index], let address = report.address else {
        continue
      }
      report.address = names.pseudonym(for: address)
      batch.inputs[index] = .report(report)
    }
    pseudonyms = names
    return batch
  }

  /// Adds the names of receivers that were not known at the start.
  package mutating func name(receivers: [String]) {
    guard case .lines(var lines) = writer else { return }
    lines.name(receivers: receivers)
    writer = .lines(lines)
  }

  /// Adds a user action as it was read, if the format supports it.
  package mutating func append(_ line: UserActionLine) {
    guard case .lines(var lines) = writer else { return }
    lines.append(line)
    writer = .lines(lines)
  }

  /// Adds a user action, if the format supports it.
  package mutating func append(_ action: RecordedUserAction) {
    if case .zone(let offset) = action.input { return append(zone: offset, at: action.time) }
    if case .start(let grants, let isForeground) = action.input {
      let state = ClientStateLine(
        client: action.client ?? "",
        grants: grants,
        isForeground: isForeground
      )
      return append(state, as: ClientStateLine.startInput, at: action.time)
    }
    guard case .lines(var lines) = writer else { return }
    lines.append("user", of: action.client, at: action.time, action.input.fields())
    writer = .lines(lines)
  }

  /// Adds how far local time is ahead of UTC from a time on, if the format supports it.
  package mutating func append(zone offset: TimeSpan, at time: Timestamp) {
    guard case .lines(var lines) = writer else { return }
    lines.append(zone: offset, at: time)
    writer = .lines(lines)
  }

  /// Adds a client's grants at a time, if the format supports it.
  package mutating func append(
    _ state: ClientStateLine,
    as input: String = ClientStateLine.input,
    at time: Timestamp
  ) {
    guard case .lines(var lines) = writer else { return }
    let fields = [FormField(UserAction.caseKey, .text(input))] + state.fields()
    lines.append("user", of: state.client, at: time, fields)
    writer = .lines(lines)
  }

  /// Adds a service's records of its clients' requests, if the format supports it.
  package mutating func append(_ line: RequestLine) {
    guard case .lines(var lines) = writer else { return }
    lines.append("request", of: line.client, at: line.time, line.content.fields())
    writer = .lines(lines)
  }

  /// Marks the end of the recording, if the format supports it.
  package mutating func end(at time: Timestamp) {
    guard case .lines(var lines) = writer else { return }
    lines.appendEnd(at: time)
    writer = .lines(lines)
  }

  /// Returns the bytes written since the last call.
  package mutating func drainBytes() -> [UInt8] {
    if case .lines(var lines) = writer {
      defer {
        lines.removeAll()
        writer = .lines(lines)
      }
      return lines.bytes
    }
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
