// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconBlueZ
package import BeaconCore
package import BeaconFormats
package import Beacons
internal import SystemKit

/// Runs an engine over captures, or over the adapters' reports, and writes its deliveries.
package struct EventRun {
  private let options: RunOptions
  private let kind: EventCSVWriter.Kind?
  private let io: CommandIO
  /// The view on the terminal; `nil` for plain output.
  private let screen: RangeScreen?
  private let started: TimeSpan
  private let setup: EngineSetup
  private let status: StatusLine
  private let outputs: RunOutputs
  private let keeper: StoreKeeper?
  private let grants: ClientGrants?
  private let hooks: RunHooks?

  private var isLive: Bool { options.isLive }

  /// Runs until the source ends or the user stops it.
  ///
  /// - Parameters:
  ///   - options: The user's options; without captures the run is live.
  ///   - kind: The request to the engine; nothing if the run only records.
  ///   - io: The command's surroundings.
  /// - Returns: How the run ended.
  /// - Throws: The errors of the source and the outputs.
  package static func run(
    _ options: RunOptions,
    _ kind: EventCSVWriter.Kind?,
    io: CommandIO
  ) async throws -> ExitCode {
    try EngineSetup(options, kind).checkOutputs(io)
    let isReplay = !options.isLive
    guard kind == .ranging, let loop = RangeScreen.start(options, io: io) else {
      return try await EventRun(options, kind, io: io, on: nil).run()
    }
    let naming = BeaconNaming(loop, options, io)
    return try await loop.during(isReplay: isReplay, io: io, performing: naming.perform) { io in
      let screen = RangeScreen(loop, options, naming, io: io)
      return try await EventRun(options, kind, io: io, on: screen).run()
    }
  }

  private func run() async throws -> ExitCode {
    let code: ExitCode
    do {
      code = try await isLive ? listen() : replay(options.opener?(io).source)
    } catch {
      await hooks?.close()
      outputs.abandon()
      throw error
    }
    await hooks?.close()
    // A folder that the user named is an output (row L9).
    let isLost = options.stateDirectory != nil && keeper?.hasUnwritten == true
    return code == .done && (isLost || hooks?.hasFailed == true) ? .failed : code
  }

  private init(
    _ options: RunOptions,
    _ kind: EventCSVWriter.Kind?,
    io: CommandIO,
    on screen: RangeScreen?
  ) {
    let isLive = options.isLive
    self.options = options
    self.kind = kind
    self.io = io
    self.screen = screen
    started = io.clock.elapsed
    setup = EngineSetup(options, kind)
    let status = StatusLine(
      io,
      isWanted: (isLive || options.speed == nil) && !options.output.isQuiet
    )
    let outputs = RunOutputs(
      options,
      kind,
      io: io,
      isLive: isLive || options.speed != nil,
      showsView: screen != nil
    )
    (self.status, self.outputs) = (status, outputs)
    hooks = RunHooks(options, io: io)
    let keeper = StoreKeeper(options, of: options.client, isLive: isLive, io: io) {
      line,
      isOfState in
      guard !(isOfState && isLive && options.output.isQuiet) else { return }
      try? outputs.flush()
      status.clear()
      io.show(line)
    }
    self.keeper = keeper
    grants = options.client.map { client in
      ClientGrants(
        client,
        keeper,
        io: io,
        isLive: isLive,
        showsLimits: !options.output.isQuiet
      ) {
        try outputs.flush()
        status.clear()
      }
    }
  }

  private func runStatus(_ captures: CaptureSource?) -> RunStatus {
    guard !options.output.isQuiet else { return RunStatus(status, grants, captures, showLine: nil) }
    return RunStatus(status, grants, captures) { [outputs, status, io] line in
      try? outputs.flush()
      status.clear()
      io.show(line)
    }
  }

  // MARK: Captures

  private func replay(_ simulated: (any ScanSource)?) async throws -> ExitCode {
    let captures = try CaptureSource(options.captures, timing: options.configuration.timing) {
      [outputs] in try outputs.flush()
    }
    defer { leave() }
    let recorded = grants.map {
      RecordedUserActions(captures, $0, hasAnswers: options.client?.answers != nil)
    }
    let shown = options.captures.isEmpty ? nil : captures
    // A client may not know the reports; its requests are answered by the deliveries, and no more.
    let unmet = kind.flatMap { kind in
      options.captures.isEmpty || options.client != nil ? nil : UnmetRequests(options, kind)
    }
    let span = options.span.map { ShownSpan([], $0, io: io) }
    var run = try run(
      simulated ?? captures,
      first: [runStatus(shown), recorded, unmet, span]
    )
    run.pace = options.speed.map { ($0, io.clock) }
    if let span = options.span {
      span.showUnknownZone(io)
      run.paceStart = { [io] in try span.range(io, start: $0).lowerBound }
    }
    run.drains = options.drains
    let result = try await run.run()
    status.clear()
    try outputs.close(
      receivers: await simulated?.receiverNames ?? captures.receiverNames,
      wasInterrupted: result.wasInterrupted
    )
    if options.output.isVerbose {
      ((isLimited ? [] : captures.summaries) + [carriedNote].compactMap(\.self)).forEach(io.show)
    }
    if !options.output.isQuiet {
      ((isLimited ? [] : captures.remarks) + morningRemarks(captures)).forEach(io.show)
      if !result.wasInterrupted, let span, !span.hasShown, kind == .sightings || !span.hasTime {
        let files = options.captures.joined(separator: ", ")
        io.show("\(files): nothing to show lies in that span" + span.place)
      } else if !result.wasInterrupted {
        let format = options.output.format ?? (io.output.isTerminal ? .table : options.output.piped)
        unmet?.sentences(isTable: format == .table, isInterrupted: io.isInterrupted)
          .forEach(io.show)
      }
    }
    writeSummary(result, late: captures.moved)
    return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
  }

  /// Says where the morning that ends an App Clip's grant is, if no recording says it.
  private func morningRemarks(_ captures: CaptureSource) -> [String] {
    guard !captures.paths.isEmpty, captures.zone == nil,
      options.configuration.authorization.utcOffset == nil,
      options.client?.manifest.appClip ?? false
    else { return [] }
    return ["no capture says its time zone: what an App Clip may do ends at 4 o'clock UTC"]
  }

  // MARK: Live

  /// Runs over the reports of other machines.
  private func listen(to open: AdditionalSource.Opener) async throws -> ExitCode {
    defer { leave() }
    try grants?.fetchGrants()
    let connection = try await open(io)
    defer { connection.close() }
    let remarks = RunRemarks { connection.drainRemarks().forEach(show) }
    var run = try run(connection.source, first: [remarks, runStatus(nil)])
    let result = try await run.run()
    try outputs.close(receivers: await connection.source.receiverNames)
    writeSummary(result, unused: connection.unused())
    return .done
  }

  private func listen() async throws -> ExitCode {
    if let opener = options.opener { return try await listen(to: opener) }
    defer { leave() }
    try grants?.fetchGrants()
    let isPrompt = kind == .sightings || !options.regions.isEmpty
    let scan = BlueZScanOptions(options, isPrompt: isPrompt, opening: io.openKernelChannel)
    let (result, radio) = try await withLiveSource(scan, showing: show) { radio, remarks in
      let recorded = recordStatus(radio)
      var run = try run(radio, first: [remarks, runStatus(nil), recorded])
      let result = try await run.run()
      if let recorded { show(recorded.text) }
      try outputs.close(receivers: radio.receiverNames)
      return (result, radio)
    }
    if options.output.isVerbose {
      let counted = radio.statistics
      if !isLimited {
        io.show(
          "\(counted.deviceSignals) signals of devices, \(counted.reports) reports with a sample"
        )
      }
      if let carriedNote { show(carriedNote) }
    }
    writeSummary(result)
    return .done
  }

  /// Whether the run's client may not know of the reports, and so of no count and no fault of them.
  private var isLimited: Bool { grants?.isLimited ?? false }

  /// For whom the intervals of distances hold, which no report shows.
  private var carriedNote: String? {
    guard kind == .ranging, !options.configuration.ranging.isCarried else { return nil }
    return
      "intervals are for beacons and receivers that hang or lie; if people carry them: --set ranging.carried=true"
  }

  /// What `record` shows, whose run has nothing else to show.
  private func recordStatus(_ radio: BlueZSource) -> RecordStatus? {
    guard kind == nil, !options.output.isQuiet, let path = options.recording?.path else {
      return nil
    }
    return RecordStatus(path, radio, io: io)
  }

  private func show(_ diagnostic: BlueZDiagnostic) { show(diagnostic.description) }

  private func show(_ line: String) {
    guard !options.output.isQuiet else { return }
    status.clear()
    io.show(line)
  }

  // MARK: Both

  private func run(
    _ source: any ScanSource,
    first: [(any RunParticipant)?]
  ) throws -> Runner {
    let surroundings = AdditionalParticipant.Surroundings(options: options, io: io) {
      [outputs, options, status, io] line in
      guard !options.output.isQuiet else { return }
      try? outputs.flush()
      status.clear()
      io.show(line)
    }
    let filtered = try options.filter?(source, surroundings)
    var participants = first.compactMap { $0 }
    if let filtered { participants.append(filtered.remarks) }
    var shown: [any RunParticipant] = [outputs]
    if let screen { shown.append(screen) }
    if let span = options.span {
      participants.append(ShownSpan(shown, span, io: io))
    } else {
      participants += shown
    }
    participants.append(RunRequests(setup, grants, keeper))
    if let grants { participants.append(grants) }
    if let keeper { participants.append(keeper) }
    let recording = RunRecording(options, setup, grants, offsets: filtered?.offsets, io: io)
    // A run without requests is there for its recording.
    recording.isNeeded = kind == nil
    participants.append(recording)
    if let hooks {
      participants.append(options.span.map { ShownSpan([hooks], $0, io: io) } ?? hooks)
    }
    participants += try options.participants.map { try $0(surroundings) }
    return Runner(
      filtered?.source ?? source,
      setup,
      participants: participants,
      isInterrupted: io.isInterrupted
    )
  }

  private func leave() {
    status.clear()
    grants?.end()
  }

  private func writeSummary(
    _ result: Runner.Result,
    late: Int = 0,
    unused: [(name: String, count: Int)] = []
  ) {
    guard options.output.wantsSummary else { return }
    var summary = outputs.summary
    summary.statistics = result.statistics ?? EngineStatistics()
    summary.unused = unused
    summary.isLimited = isLimited
    summary.statistics.dropped.add(result.dropped)
    summary.statistics.late += late
    try? io.errors.write(
      summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
    )
  }
}

/// Connects the client of a run and makes its first requests.
package final class RunRequests: RunParticipant {
  private let setup: EngineSetup
  private let grants: ClientGrants?
  private let keeper: StoreKeeper?

  package init(_ setup: EngineSetup, _ grants: ClientGrants? = nil, _ keeper: StoreKeeper? = nil) {
    self.setup = setup
    self.grants = grants
    self.keeper = keeper
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins: setup.prepare(&run, grants, keeper: keeper)
    case .recordedAction(let action):
      // A later run of the client made its requests again.
      if case .start = action.action { setup.ask(&run, grants) }
    default: break
    }
  }
}

/// Shows on a terminal how far a run has come, and whether its client uses location.
private final class RunStatus: RunParticipant {
  private let line: StatusLine
  private let grants: ClientGrants?
  /// The replayed captures; `nil` if the run is live.
  private let captures: CaptureSource?
  /// Shows a line on standard error; `nil` where the user wants none.
  private let showLine: ((String) -> Void)?

  init(
    _ line: StatusLine,
    _ grants: ClientGrants?,
    _ captures: CaptureSource?,
    showLine: ((String) -> Void)?
  ) {
    self.line = line
    self.grants = grants
    self.captures = captures
    self.showLine = showLine
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .delivered(let deliveries): show(deliveries)
    case .received: if let captures { line.show(captures.progress, grants) }
    case .willWait: if captures == nil, let grants { line.show(grants.indicator, of: grants.name) }
    default: break
    }
  }

  /// Shows a condition that the user can change, also if the events go elsewhere.
  private func show(_ deliveries: [Delivery]) {
    // A loop over the array would copy each delivery. The span of an empty array traps in a statically linked program.
    guard let showLine, !deliveries.isEmpty else { return }
    let deliveries = deliveries.span
    for index in deliveries.indices {
      switch deliveries[index].event {
      case .diagnostic(.exitTimeTooShort), .diagnostic(.identityContested),
        .diagnostic(.powerImplausible), .diagnostic(.listensInTurns),
        .diagnostic(.stateContradicted):
        showLine(EventSentence.text(of: deliveries[index].event))
      default: continue
      }
    }
  }
}
