// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import SystemKit
package import BeaconCore
package import BeaconFormats
package import Beacons

/// A capture in a file, open for reading.
package final class CaptureFile: MergedCapture {
  /// The path as it was given.
  package let path: String
  /// The capture; what it tells of itself is complete when it was read to its end.
  package private(set) var capture: CaptureReader<FileByteSource>
  private let bytes: FileByteSource
  /// What keeps the capture on one clock; `nil` where its times are read as they are.
  private var clock: SteadyClock?
  private var hasInputs = false
  private var isAtEnd = false

  /// What is done with the times and lines of a capture.
  package enum Reading {
    /// Times are kept on one clock, for an engine.
    case steady
    /// Times are as they were recorded.
    case recorded
    /// Times and the lines of a recording are kept as they are, for a conversion.
    case verbatim
  }

  /// Opens a capture; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The capture.
  ///   - reading: What is done with times and lines.
  ///   - timing: How faults of the recorder's clock are recognized.
  ///   - beforeWaiting: Called before a read that has to wait for whoever writes to a pipe.
  /// - Throws: ``CommandFailure`` that names the file, and says what it is if it is no capture.
  package init(
    _ path: String,
    _ reading: Reading = .steady,
    timing: TimingConfiguration = TimingConfiguration(),
    beforeWaiting: @escaping () throws -> Void = {}
  ) throws {
    self.path = path
    do {
      bytes = try FileByteSource(
        path: path,
        isCancelled: { Interruption.exitCode != nil },
        beforeWaiting: beforeWaiting
      )
      capture = try CaptureReader(bytes)
      if reading == .verbatim { capture.readVerbatim() }
      clock = reading == .steady ? SteadyClock(timing) : nil
    } catch let error as SystemError {
      throw CommandFailure(error)
    } catch let error as CaptureFormatError {
      throw CommandFailure(.badData, "\(WholeFile.name(path)): \(error); \(Self.remedy(error))")
    }
  }

  /// What to read in place of a file that is not understood.
  private static func remedy(_ error: CaptureFormatError) -> String {
    switch error {
    case .unknownFormat:
      "give a recording of 'beaconctl record', or a capture as btsnoop, pcap, pcapng, PacketLogger or hcidump write it"
    case .unsupported: "capture Bluetooth, as 'beaconctl record FILE' or 'btmon -w FILE' do"
    }
  }

  package func next() throws -> ScanBatch? {
    while true {
      guard let batch = try nextRead() else {
        guard let rest = clock?.finish(hasEnded: hasEnded), !rest.inputs.isEmpty else { return nil }
        return rest
      }
      guard let steady = clock?.steady(batch) else { return batch }
      // An input behind a jump of the clock waits for the next ones.
      if !steady.inputs.isEmpty { return steady }
    }
  }

  private func nextRead() throws -> ScanBatch? {
    guard !isAtEnd else { return nil }
    do {
      let batch = try capture.next()
      hasInputs = hasInputs || batch != nil
      isAtEnd = batch == nil
      if batch == nil, !hasInputs { try checkLines() }
      return batch
    } catch let error as SystemError where error.kind != .write {
      throw CommandFailure(error)
    }
  }

  /// Refuses a file of JSON that has no line of a recording: any text that starts with a brace looks like one at first.
  private func checkLines() throws(CommandFailure) {
    guard capture.format == .jsonLines, capture.records > 0,
      capture.drops[.malformedRecord] >= capture.records
    else { return }
    let fault = capture.notes.first { $0.hasPrefix("line") }.map { ": \($0)" } ?? ""
    throw CommandFailure(
      .badData,
      "\(WholeFile.name(path)): not a capture: no line of it is one of a recording\(fault);"
        + " give a recording of 'beaconctl record', or a capture of another format"
    )
  }

  package var label: String { path }
  package var receiverNames: [String] { capture.receiverNames }
  package var headers: (first: CaptureHeader?, last: CaptureHeader?) {
    (capture.header, capture.lastHeader)
  }
  package var hasEnded: Bool { capture.end != nil }
  package var isLines: Bool { capture.format == .jsonLines }

  /// What users did according to a recording, as far as it was read; forgotten with the call.
  package func drainUserActionLines() -> [UserActionLine] { capture.drainUserActionLines() }

  /// How much of the capture was read, from 0 to 1; `nil` if its size is not known.
  package var progress: Double? {
    bytes.size.map { $0 > 0 ? Double(bytes.bytesRead) / Double($0) : 1 }
  }

  /// What the capture is, in a line.
  package var summary: String {
    let types = capture.linkTypes.map { String($0) }.joined(separator: ", ")
    let format = capture.format?.name ?? "empty"
    return "\(WholeFile.name(path)): \(format)" + (types.isEmpty ? "" : ", link type \(types)")
      + ", \(capture.records) records, \(capture.bytesRead) bytes"
  }

  /// What a user should know of the capture: where it breaks, what is odd, what was left out.
  package var remarks: [String] {
    var remarks: [String] = []
    let name = WholeFile.name(path)
    if let offset = capture.damagedAt {
      let records = capture.records == 1 ? "1 record" : "\(capture.records) records"
      remarks.append(
        "\(name): read \(records) up to byte \(offset): \(capture.damage ?? "damaged")"
      )
    }
    remarks += capture.notes.map { "\(name): \($0)" }
    if let clock { remarks += Self.remarks(on: clock, of: path) }
    let losses = capture.drops.occurred.filter { $0.reason.isLoss }
    if !losses.isEmpty {
      let reasons = losses.map { "\($0.count) \($0.reason.name)" }.joined(separator: ", ")
      remarks.append("\(name): left out: \(reasons)")
    }
    return remarks
  }

  /// How many inputs got another time than their stamp.
  package var moved: Int { clock?.moved ?? 0 }

  /// What a user should know of a recorder's clock.
  package static func remarks(on clock: SteadyClock, of path: String) -> [String] {
    var remarks: [String] = []
    if clock.stepsBack.count > 0 {
      let times = clock.stepsBack.count == 1 ? "" : ", the first of \(clock.stepsBack.count) times"
      let seconds = DecimalText.seconds(clock.stepsBack.first)
      remarks.append(
        "the clock was set back by \(seconds) s\(times); what follows is moved so that time goes on"
      )
    }
    if clock.wrongStamps > 0 {
      remarks.append(
        clock.wrongStamps == 1
          ? "1 record has a time far from its neighbors'; it is placed between them"
          : "\(clock.wrongStamps) records have a time far from their neighbors'; they are placed between them"
      )
    }
    return remarks.map { "\(WholeFile.name(path)): \($0)" }
  }
}
