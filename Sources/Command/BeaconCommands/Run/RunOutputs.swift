// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
internal import Beacons
private import SystemKit

/// Writes a run's deliveries, and counts it for the summary.
package final class RunOutputs: RunParticipant {
  private let options: RunOptions
  private let kind: EventCSVWriter.Kind?
  private let io: CommandIO
  private let isLive: Bool
  /// Whether a view has standard output for itself; it requests single reports, which are only for it.
  private let showsView: Bool
  private var outputs: EventOutputs?
  /// How many receivers have names in the outputs.
  private var namedReceivers = 0
  /// The counts.
  package private(set) var summary: RunSummary

  /// - Parameters:
  ///   - options: The user's options.
  ///   - kind: Which events a table of values holds; `nil` if none are requested.
  ///   - io: Where standard output is.
  ///   - isLive: Whether each event is written immediately.
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

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    // The receivers of a capture have names once its first batch is read, and not before.
    case .begins: try open(run.receivers, start: run.now)
    case .received where run.receivers.count != namedReceivers:
      namedReceivers = run.receivers.count
      outputs?.name(receivers: run.receivers)
    case .delivered(let deliveries): try write(deliveries)
    case .willWait: try flush()
    default: break
    }
  }

  /// Writes deliveries, and counts them.
  package func write(_ deliveries: [Delivery]) throws {
    var shown = deliveries
    if showsView {
      shown.removeAll { delivery in
        if case .sighting = delivery.event { true } else { false }
      }
    }
    if options.output.wantsSummary { summary.count(shown) }
    try outputs?.write(shown)
  }

  /// Writes the remaining bytes.
  package func flush() throws { try outputs?.flush() }

  /// Closes the outputs; a run without any input has an end as well, as an empty table shows.
  ///
  /// - Parameters:
  ///   - receivers: The names of the receivers.
  ///   - wasInterrupted: Whether the user cut the run short: a file that can be made again is left as it was.
  /// - Throws: The error of an output.
  package func close(receivers: [String], wasInterrupted: Bool = false) throws {
    if outputs == nil { try open(receivers, start: .earliest) }
    try outputs?.end(isComplete: !wasInterrupted || !options.canRepeat)
    outputs = nil
  }

  /// Gives up files that are not complete.
  package func abandon() { outputs = nil }

  /// Opens the outputs of a run that starts at a time.
  package func open(_ receivers: [String], start: Timestamp) throws {
    namedReceivers = receivers.count
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

/// Records the inputs of a run, if the user wants it.
package final class RunRecording: RunParticipant {
  private let setup: EngineSetup
  private let grants: ClientGrants?
  private let files: OutputFiles
  /// Shows what happened to the file.
  private let show: (String) -> Void
  private let rotates: Bool
  /// Returns the offsets of a site's receivers that the run starts with.
  private let offsets: () -> [String: Int]
  private var recorder: Recorder?
  /// Whether the user has left the client in the foreground.
  private var isForeground = true
  private let options: RunOptions
  /// Shows why the recording of a live run ended, also where notes are not wanted.
  private let warn: (String) -> Void
  /// Whether a live run ends without its recording.
  package var isNeeded = false

  package init(
    _ options: RunOptions,
    _ setup: EngineSetup,
    _ grants: ClientGrants?,
    offsets: (() -> [String: Int])? = nil,
    io: CommandIO
  ) {
    self.setup = setup
    self.grants = grants
    self.offsets = offsets ?? { [:] }
    files = io.files
    show = { if !options.output.isQuiet { io.show($0) } }
    warn = { io.show($0) }
    self.options = options
    rotates = options.rotation != nil
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    do {
      try follow(moment, &run)
    } catch {
      recorder = nil
      guard continues(without: error, moment) else { throw error }
      let path = options.recording?.path ?? ""
      warn("the run continues, but nothing more is recorded to \(path): \(error)")
    }
  }

  /// Whether a run continues without a recording that failed, as a service does.
  private func continues(without error: any Error, _ moment: RunMoment) -> Bool {
    guard options.isLive, !isNeeded else { return false }
    if error is OutputRefusal, case .begins = moment { return false }
    guard let error = error as? SystemError else { return true }
    let isStream = options.recording.map { $0.isStandardOutput || OutputFiles.isStream($0.path) }
    // Whoever read it from standard output has read enough.
    return !error.isInterruption && !(error.isClosedPipe && isStream ?? false)
  }

  private func follow(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins: try begin(&run)
    case .settled: try noteState(run)
    case .recorded(let slice):
      try recorder?.record(slice, receivers: run.receivers)
      showNotices()
    case .recordedAction(let action): try record(action, run)
    case .sourceEnded:
      if run.isCutShort, options.canRepeat { return abandon() }
      try end(at: run.now)
    case .ended:
      // The run failed, and another one can record the rest as well.
      if options.canRepeat { return abandon() }
      try? end(at: run.now)
    default: break
    }
  }

  private func begin(_ run: inout RunContext) throws {
    recorder = try setup.recorder(
      receivers: run.receivers,
      startingAt: run.now,
      opening: files,
      utcOffset: run.engine.configuration?.authorization.utcOffset,
      offsets: offsets(),
      grants
    )
    if recorder != nil { run.driver?.keepSlices() }
    isForeground = grants?.stateLine.isForeground ?? true
    if recorder != nil, let grants {
      show("--record keeps everything that is received, also if \(grants.name) does not get it")
    }
    showNotices()
  }

  private func showNotices() {
    for notice in recorder?.drainNotices() ?? [] { show("\(notice)") }
  }

  // A piece begins with the client as it is then; whatever changes it ends a slice.
  private func noteState(_ run: borrowing RunContext) throws {
    guard rotates, let grants, let id = run.client, let current = run.driver?.grants(of: id) else {
      return
    }
    try recorder?.note([
      ClientStateLine(client: grants.name, grants: current, isForeground: isForeground)
    ])
  }

  private func record(_ action: TimedUserAction, _ run: borrowing RunContext) throws {
    if let id = run.client { isForeground = run.driver?.isForeground(id) ?? isForeground }
    let name = action.client == nil ? nil : grants?.name
    try recorder?.record(
      RecordedUserAction(time: action.time, client: name, input: action.action)
    )
  }

  private func abandon() {
    recorder?.abandon()
    recorder = nil
  }

  private func end(at time: Timestamp) throws {
    defer { recorder = nil }
    try recorder?.end(at: time)
  }
}
