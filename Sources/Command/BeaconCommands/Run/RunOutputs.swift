// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
internal import Beacons
private import SystemKit

/// Writes what a run delivers, and counts it for the summary.
package final class RunOutputs: RunParticipant {
  private let options: RunOptions
  private let kind: EventCSVWriter.Kind?
  private let io: CommandIO
  private let isLive: Bool
  /// Whether a view has standard output for itself; it requests single reports, which are for nobody else.
  private let showsView: Bool
  private var outputs: EventOutputs?
  /// What was counted.
  package private(set) var summary: RunSummary

  /// - Parameters:
  ///   - options: The user's options.
  ///   - kind: Which events a table of values holds; `nil` if none are requested.
  ///   - io: Where standard output is.
  ///   - isLive: Whether each event is written at once.
  ///   - showsView: Whether a view has standard output for itself.
  package init(
    _ options: RunOptions,
    _ kind: EventCSVWriter.Kind?,
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

  package func named(receivers: [String]) { outputs?.name(receivers: receivers) }

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
      EngineSetup(options, kind).names(
        receivers: receivers,
        start: start,
        zone: io.localZone
      ),
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
  private let rotates: Bool
  private var recorder: Recorder?
  /// Whether the user has left the client in the foreground.
  private var isForeground = true
  package let wantsSlices: Bool

  package init(
    _ options: RunOptions,
    _ setup: EngineSetup,
    _ grants: ClientGrants?,
    io: CommandIO
  ) {
    self.setup = setup
    self.grants = grants
    files = io.files
    show = { if !options.output.isQuiet { io.show($0) } }
    rotates = options.rotation != nil
    wantsSlices = options.recording != nil
  }

  package func begin(_ driver: inout EngineDriver, receivers: [String]) throws {
    recorder = try setup.recorder(
      receivers: receivers,
      startingAt: driver.now,
      opening: files,
      utcOffset: driver.configuration.authorization.utcOffset,
      grants
    )
    isForeground = grants?.stateLine.isForeground ?? true
    if recorder != nil, let grants {
      show("--record keeps everything that is received, whatever \(grants.name) may know")
    }
    showNotices()
  }

  private func showNotices() {
    for notice in recorder?.drainNotices() ?? [] { show("\(notice)") }
  }

  // A piece begins with the client as it is then; whatever changes it ends a slice.
  package func settled(_ driver: borrowing EngineDriver) {
    guard rotates, let grants, let id = grants.userActions.client?.id,
      let current = driver.grants(of: id)
    else { return }
    recorder?.note([
      ClientStateLine(client: grants.name, grants: current, isForeground: isForeground)
    ])
  }

  package func recorded(_ slice: ScanSlice, receivers: [String]) throws {
    try recorder?.record(slice, receivers: receivers)
    showNotices()
  }

  package func recordedAction(_ action: RecordedUserAction) throws {
    switch action.input {
    case .foreground, .tapNotification: isForeground = true
    case .background: isForeground = false
    case .start(_, let isForeground): self.isForeground = isForeground
    default: break
    }
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
