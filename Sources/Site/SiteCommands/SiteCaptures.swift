// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconSites
internal import Beacons
internal import SystemKit

/// The captures of a site's receivers, on one clock.
///
/// Clocks are judged before anything is used, so captures that cannot be read twice are used as they are.
final class SiteCaptures {
  /// A clock that is off.
  struct Clock {
    var name: String
    var reference: String
    var offset: TimeSpan

    /// Notes for a user on it.
    var text: String {
      let seconds = DecimalText.fixed(abs(offset.seconds), decimals: 1)
      let way = offset < .zero ? "behind" : "ahead of"
      return "the clock of receiver '\(name)' is \(seconds) s \(way) that of '\(reference)';"
        + " what it received counts when it came"
    }

    /// The line of it.
    func append(to writer: inout JSONLineWriter, at time: Timestamp) {
      writer.beginLine("clock")
      writer.timestamp("t", time)
      writer.string("receiver", name)
      writer.string("reference", reference)
      writer.seconds("offset", offset)
      writer.endLine()
    }
  }

  private let captures: CaptureSource
  /// The clocks that are off.
  let clocks: [Clock]
  private var correction: ClockCorrection
  private var hasEnded = false

  /// Opens captures, and judges their clocks if there are several.
  ///
  /// - Throws: ``CommandFailure`` for the first that cannot be opened or read.
  init(_ paths: [String], isInterrupted: () -> Bool) throws {
    let offsets = try Self.offsets(paths, isInterrupted: isInterrupted)
    clocks = offsets.clocks
    correction = ClockCorrection(offsets.offsets)
    captures = try CaptureSource(paths)
  }

  /// Judges the clocks of captures; of none if there is only one, or one that cannot be read twice.
  ///
  /// - Throws: ``CommandFailure`` for the first that cannot be opened or read.
  static func offsets(
    _ paths: [String],
    timing: TimingConfiguration = TimingConfiguration(),
    isInterrupted: () -> Bool
  ) throws -> (offsets: [ClockOffset], clocks: [Clock]) {
    guard paths.count > 1, paths.allSatisfy({ FileStatus($0)?.isRegular ?? false }) else {
      return ([], [])
    }
    let captures = try CaptureSource(paths, timing: timing)
    var judge = ClockJudge()
    while let batch = try captures.next() {
      judge.add(batch)
      if isInterrupted() { return ([], []) }
    }
    let names = captures.receiverNames
    func name(_ receiver: Int) -> String { receiver < names.count ? names[receiver] : "" }
    let offsets = judge.finish()
    let clocks = offsets.map {
      Clock(name: name($0.receiver), reference: name($0.reference), offset: $0.offset)
    }
    return (offsets, clocks)
  }

  /// Returns the next inputs, which may be none; `nil` at the end.
  func next() throws -> ScanBatch? {
    if let batch = try captures.next() { return correction.add(batch) }
    guard !hasEnded else { return nil }
    hasEnded = true
    let rest = correction.finish()
    return rest.inputs.isEmpty ? nil : rest
  }

  var receiverNames: [String] { captures.receiverNames }
  /// The offsets of receivers that the runs which recorded them started with.
  var offsets: [String: Int] { SiteFiles.offsets(of: captures) }
  var remarks: [String] { clocks.map(\.text) + captures.remarks }
}

/// The live receivers of a site: the adapters of this machine, a broker, or Bluetooth proxies.
enum SiteSource {
  /// Opens the live source of a run for the time of some work.
  ///
  /// - Parameters:
  ///   - options: The user's options.
  ///   - io: The command's surroundings.
  ///   - work: Uses the source, and shows its remarks now and then.
  /// - Returns: The result of the work.
  /// - Throws: ``CommandFailure`` or `BlueZUnavailable` if nothing can be received, and the errors of the work.
  static func read<Value>(
    _ options: RunOptions,
    _ io: CommandIO,
    _ work: (any ScanSource, () -> Void) async throws -> Value
  ) async throws -> Value {
    func show(_ line: String) { if !options.output.isQuiet { io.show(line) } }
    guard let opener = options.opener else {
      let scan = BlueZScanOptions(options, opening: io.openKernelChannel)
      return try await withLiveSource(scan, showing: { show($0.description) }) { radio, remarks in
        try await work(radio, remarks.show)
      }
    }
    let connection = try await opener(io)
    defer { connection.close() }
    return try await work(connection.source) { connection.drainRemarks().forEach(show) }
  }
}
