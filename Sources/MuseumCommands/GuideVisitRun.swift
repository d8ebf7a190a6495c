// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCommandLine
internal import BeaconTerminal
internal import SystemKit
internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons

/// One visit with the guide, whatever the source: the engine, the guide's client, its program, and where it all is shown.
final class GuideVisitRun {
  private let plan: Plan
  private let language: String
  private let options: RunOptions
  private let program: GuideProgram
  private let format: OutputFormat?
  private let display: (any GuideDisplay)?
  private let io: CommandIO
  private var output: GuideOutput?
  private var summary = RunSummary()
  private var recipient = Recipient.theOperator
  private let started: TimeSpan

  /// How long a live run that is shown waits for the source before it looks for keys: no longer than a person notices.
  private static let keyPatience = TimeSpan.milliseconds(100)

  /// - Parameters:
  ///   - setup: What the user said.
  ///   - program: The guide.
  ///   - format: How events are written to the output; `nil` for not at all.
  ///   - display: Where the visit is shown; `nil` for nowhere.
  ///   - io: The command's surroundings.
  init(
    _ setup: GuideSetup,
    _ program: GuideProgram,
    format: OutputFormat?,
    display: (any GuideDisplay)?,
    io: CommandIO
  ) {
    plan = setup.plan
    language = setup.language
    options = setup.options
    self.program = program
    self.format = format
    self.display = display
    self.io = io
    started = io.clock.elapsed
    program.tell = { [unowned self] in try tell($0, at: $1) }
  }

  // MARK: Sources

  /// Plays a reader to its end.
  ///
  /// - Parameters:
  ///   - reader: The air.
  ///   - receivers: The receivers' names by now.
  ///   - speed: How fast; `nil` for as fast as it goes.
  ///   - recorded: The captures whose persons take part; `nil` for none.
  /// - Returns: How the run ended.
  /// - Throws: What the reader and the outputs throw.
  func play(
    _ reader: some ScanReader,
    receivers: @escaping () -> [String],
    speed: Double?,
    recorded: Captures? = nil
  ) throws -> ExitCode {
    let grants = try grants(isLive: false)
    let userActions = recorded.map {
      RecordedUserActions($0, grants, hasAnswers: options.client?.answers != nil)
    }
    defer { grants.end() }
    if userActions == nil { try grants.fetchGrants() }
    let paced: any ScanReader =
      speed.map { speed in
        PacedReader(reader, speed: speed, clock: io.clock) { [unowned self] in try flush() }
      } ?? reader
    var run = EngineRun(paced, isInterrupted: io.isInterrupted)
    run.received = display.map { display in
      { slice, _ in display.hear(slice.piece, receivers: receivers()) }
    }
    let setup = EngineSetup(options, nil)
    let result = try run.run(
      { setup.configuration(receivers: receivers()) },
      prepare: { [self] driver in
        try userActions?.begin()
        try begin(
          &driver,
          grants,
          setup.names(receivers: receivers(), start: driver.now),
          isLive: speed != nil
        )
      },
      recorder: { try setup.recorder(receivers: receivers(), startingAt: $0, grants) },
      userActions: grants.userActions,
      deliver: { [unowned self] in try deliver($0) }
    )
    summary.statistics = result.statistics ?? EngineStatistics()
    try end()
    return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
  }

  /// Listens until the visitor leaves.
  func listen() throws -> ExitCode {
    do {
      return try Blocking.run { [self] in try await listenLive() }
    } catch let error as BlueZUnavailable {
      throw CommandFailure(error.isPermission ? .notPermitted : .unavailable, "\(error)")
    }
  }

  private func listenLive() async throws -> ExitCode {
    let grants = try grants(isLive: true)
    defer { grants.end() }
    try grants.fetchGrants()
    var scan = BlueZScanOptions(
      adapters: options.adapter.map { $0 == "all" ? .all : .named($0) } ?? .all,
      path: options.via,
      deafness: DeafnessConfiguration(options.settings),
      timing: options.configuration.timing,
      uuids: [plan.uuid]
    )
    scan.prepareThread = SignalStack.provide
    let source = try await BlueZSource.start(scan)
    do {
      try await listen(to: source, grants)
      await source.stop()
      // What is told of a source's end comes with its end.
      say(source)
      try end()
      return .done
    } catch {
      await source.stop()
      throw error
    }
  }

  private func listen(to source: BlueZSource, _ grants: ClientGrants) async throws {
    let setup = EngineSetup(options, nil)
    let names = source.receiverNames
    let stop = GuideStop()
    var live = LiveRun(
      source,
      patience: display == nil ? LiveRun.usualPatience : Self.keyPatience,
      isInterrupted: { stop.isWanted || Interruption.exitCode != nil }
    )
    live.received = display.map { display in
      { slice, now in display.hear(slice.piece, receivers: now ?? names) }
    }
    let result = try await live.run(
      setup.configuration(receivers: names),
      prepare: { [self] driver in
        try begin(
          &driver,
          grants,
          setup.names(receivers: names, start: driver.now),
          isLive: true
        )
      },
      recorder: { try setup.recorder(receivers: names, startingAt: $0, grants) },
      userActions: grants.userActions,
      deliver: { [self] in try deliver($0) },
      between: { [self] in
        say(source)
        display?.pump()
        if display?.hasEnded ?? false { stop.want() }
      }
    )
    summary.statistics = result.statistics ?? EngineStatistics()
    summary.statistics.dropped.count(.sourceOverflow, times: source.statistics.dropped)
    summary.statistics.dropped.count(.kernelOverflow, times: source.statistics.kernelDropped)
  }

  private func say(_ source: BlueZSource) {
    for diagnostic in source.drainDiagnostics() where !options.output.isQuiet {
      io.say(diagnostic.description)
    }
  }

  // MARK: Beginning and ending

  private func grants(isLive: Bool) throws -> ClientGrants {
    let client =
      options.client
      ?? RunClient(name: RunOptions.guideName, manifest: plan.manifest.manifest(in: language))
    return ClientGrants(
      client,
      io: io,
      ClientGrants.Ways(
        isLive: isLive,
        saysLimits: !(display is GuideScreen) && !options.output.isQuiet
      ) {
        [unowned self] in try flush()
      }
    )
  }

  private func begin(
    _ driver: inout EngineDriver,
    _ grants: ClientGrants,
    _ names: EventNames,
    isLive: Bool
  ) throws {
    if let format {
      let isTerminal = io.output.isTerminal
      output = GuideOutput(
        format,
        language: language,
        names: names,
        style: TextStyle(
          hasColor: options.output.hasColor(isTerminal: isTerminal, environment: io.environment)
        ),
        to: io.output,
        isLive: isLive || isTerminal
      )
    }
    let client = grants.connect(to: &driver, monitoring: false, asking: false)
    recipient = .client(client)
    grants.userActions.program = program
    display?.begin(driver.snapshot(of: client)) { grants.userActions.add($0) }
    try program.begin(as: client, of: &driver)
  }

  private func end() throws {
    try flush()
    let strangers = program.guide.view.strangers
    if !strangers.isEmpty, !options.output.isQuiet {
      let count = strangers.count == 1 ? "1 beacon" : "\(strangers.count) beacons"
      io.say("\(count) of the museum's UUID are not in the plan, first \(strangers[0])")
    }
    if options.output.wantsSummary {
      try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
    }
  }

  /// Writes what is not yet written.
  func flush() throws {
    try output?.flush()
  }

  // MARK: What is told

  private func deliver(_ deliveries: [Delivery]) throws {
    summary.count(deliveries)
    for delivery in deliveries {
      try output?.write(delivery)
      display?.take(
        delivery,
        to: options.client?.name ?? RunOptions.guideName,
        program.guide.view
      )
    }
  }

  private func tell(_ event: GuideEvent, at time: Timestamp) throws {
    summary.count(EventRecord.guide(event, in: language).type)
    try output?.write(event, to: recipient, at: time)
    display?.take(event, program.guide.view)
  }
}
