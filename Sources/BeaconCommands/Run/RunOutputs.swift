// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
internal import Beacons
private import SystemKit

/// Writes what a run delivers, and counts it for the summary.
package final class RunOutputs: RunParticipant {
  private let options: RunOptions
  private let kind: EventTableWriter.Kind?
  private let io: CommandIO
  private let isLive: Bool
  /// Whether a view has standard output for itself; it asks for single reports, which are for nobody else.
  private let showsView: Bool
  private var outputs: EventOutputs?
  /// What was counted.
  package private(set) var summary: RunSummary

  /// - Parameters:
  ///   - options: What the user said.
  ///   - kind: Which events a table of values holds; `nil` where none are asked for.
  ///   - io: Where standard output is.
  ///   - isLive: Whether each event is written at once.
  ///   - showsView: Whether a view has standard output for itself.
  package init(
    _ options: RunOptions,
    _ kind: EventTableWriter.Kind?,
    io: CommandIO,
    isLive: Bool,
    showsView: Bool
  ) {
    self.options = options
    self.kind = kind
    self.io = io
    self.isLive = isLive
    self.showsView = showsView
    summary = RunSummary(
      countsBeacons: options.output.wantsSummary,
      isClients: options.client != nil
    )
  }

  // The receivers of a capture have names once its first batch is read, and not before.
  package func begin(_ driver: inout EngineDriver, receivers: [String]) throws {
    try open(receivers, start: driver.now)
  }

  package func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) throws {
    var shown = deliveries
    if showsView {
      shown.removeAll { delivery in
        if case .sighting = delivery.event { true } else { false }
      }
    }
    if options.output.wantsSummary { summary.count(shown) }
    try outputs?.write(shown)
  }

  package func willWait() throws { try flush() }

  /// Writes what is not yet written.
  package func flush() throws { try outputs?.flush() }

  /// Closes the outputs; a run without any input has an end too, as an empty table says.
  package func close(receivers: [String]) throws {
    if outputs == nil { try open(receivers, start: .earliest) }
    try outputs?.end()
  }

  private func open(_ receivers: [String], start: Timestamp) throws {
    outputs = try EventOutputs(
      options.output,
      EngineSetup(options, kind).names(receivers: receivers, start: start),
      kind: kind ?? .sightings,
      io: io,
      isLive: isLive,
      showsView: showsView
    )
  }
}

/// Records the inputs of a run, where the user wants it.
package final class RunRecording: RunParticipant {
  private let setup: EngineSetup
  private let grants: ClientGrants?
  private let files: OutputFiles
  /// Shows what happened to the file.
  private let show: (String) -> Void
  /// Whether receivers can come while the run goes on; those of a capture stand in its first lines.
  private let namesReceivers: Bool
  private var recorder: Recorder?
  package let wantsSlices: Bool

  package init(
    _ options: RunOptions,
    _ setup: EngineSetup,
    _ grants: ClientGrants?,
    io: CommandIO,
    isLive: Bool
  ) {
    self.setup = setup
    self.grants = grants
    files = io.files
    show = { if !options.output.isQuiet { io.show($0) } }
    namesReceivers = isLive
    wantsSlices = options.recording != nil
  }

  package func begin(_ driver: inout EngineDriver, receivers: [String]) throws {
    recorder = try setup.recorder(
      receivers: receivers,
      startingAt: driver.now,
      opening: files,
      grants
    )
    if recorder != nil, let grants {
      show("--record keeps everything that is received, whatever \(grants.name) may know")
    }
    showNotices()
  }

  private func showNotices() {
    for notice in recorder?.drainNotices() ?? [] { show("\(notice)") }
  }

  package func recorded(_ slice: ScanSlice, receivers: [String]) throws {
    try recorder?.record(slice, receivers: namesReceivers ? receivers : nil)
    if namesReceivers { showNotices() }
  }

  package func recordedAction(_ action: RecordedUserAction) throws {
    try recorder?.record(action)
  }

  package func sourceEnded(_ driver: borrowing EngineDriver) throws {
    try recorder?.end(at: driver.now)
    recorder = nil
  }

  package func end(at time: Timestamp) {
    try? recorder?.end(at: time)
    recorder = nil
  }
}
