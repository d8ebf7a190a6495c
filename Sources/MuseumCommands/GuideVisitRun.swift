// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCommandLine
internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons
internal import SystemKit

/// One visit with the guide, whatever the source: the guide as the program of a run, and where it all is shown.
final class GuideVisitRun {
  private let plan: Plan
  private let language: String
  private let options: RunOptions
  private let guide: ProgramHost<Guide>
  private let showing: GuideShowing
  private let display: (any GuideDisplay)?
  private let io: CommandIO
  private let started: TimeSpan

  /// How long a live run that is shown waits for the source before it looks for keys: the user sees no delay.
  private static let keyPatience = TimeSpan.milliseconds(100)

  /// - Parameters:
  ///   - setup: What the user said.
  ///   - guide: The guide.
  ///   - format: How events are written to the output; `nil` for not at all.
  ///   - display: Where the visit is shown; `nil` for nowhere.
  ///   - io: The command's surroundings.
  init(
    _ setup: GuideSetup,
    _ guide: ProgramHost<Guide>,
    format: OutputFormat?,
    display: (any GuideDisplay)?,
    io: CommandIO
  ) {
    plan = setup.plan
    language = setup.language
    options = setup.options
    self.guide = guide
    self.display = display
    self.io = io
    showing = GuideShowing(setup, guide, format: format, display: display, io: io)
    started = io.clock.elapsed
  }

  // MARK: Sources

  /// Checks whether the recording could be written, before the visit.
  func checkOutputs() throws { try EngineSetup(options, nil).checkOutputs(io) }

  /// Replays a source to its end.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - speed: How fast; `nil` for as fast as it goes.
  ///   - recorded: The captures whose users take part; `nil` for none.
  /// - Returns: How the run ended.
  /// - Throws: What the source and the outputs throw.
  func play(
    _ source: any RunSource,
    speed: Double?,
    recorded: Captures? = nil
  ) async throws -> ExitCode {
    let grants = grants(isLive: false)
    defer { grants.end() }
    let userActions = recorded.map {
      RecordedUserActions($0, grants, hasAnswers: options.client?.answers != nil)
    }
    if userActions == nil {
      if options.client?.answers != nil {
        // A simulated visitor decides for the simulation, whatever this account's visitors decided.
        grants.useGrants(ofRecording: SavedAuthorization())
      } else {
        try grants.fetchGrants()
      }
    }
    showing.isLive = speed != nil
    var run = run(source, first: userActions, grants)
    run.pace = speed.map { Pace(speed: $0, clock: io.clock) }
    let result = try await run.run()
    try end(result, grants, dropped: source.drops)
    return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
  }

  /// Listens until the visitor leaves.
  func listen() async throws -> ExitCode {
    let grants = grants(isLive: true)
    defer { grants.end() }
    try grants.fetchGrants()
    showing.isLive = true
    let scan = BlueZScanOptions(
      options,
      uuids: [plan.uuid],
      opening: io.openKernelChannel
    )
    let (result, source) = try await withLiveSource(scan, showing: show) { source in
      var run = run(source, first: source, grants)
      run.patience = display == nil ? Run.usualPatience : Self.keyPatience
      return (try await run.run(), source)
    }
    try end(result, grants, dropped: source.drops)
    return .done
  }

  private func show(_ diagnostic: BlueZDiagnostic) {
    if !options.output.isQuiet { io.show(diagnostic.description) }
  }

  private func run(
    _ source: any RunSource,
    first: (any RunParticipant)?,
    _ grants: ClientGrants
  ) -> Run {
    let setup = EngineSetup(options, nil)
    let recording = RunRecording(options, setup, grants, io: io, isLive: source.isLive)
    let others: [any RunParticipant] = [GuideStart(grants, showing), showing, grants, recording]
    var run = Run(
      source,
      setup,
      userActions: grants.userActions,
      participants: (first.map { [$0] } ?? []) + others,
      isInterrupted: io.isInterrupted
    )
    run.program = guide
    return run
  }

  // MARK: Beginning and ending

  private func grants(isLive: Bool) -> ClientGrants {
    let client =
      options.client
      ?? RunClient(name: RunOptions.guideName, manifest: plan.manifest.manifest(in: language))
    return ClientGrants(
      client,
      io: io,
      ClientGrants.Ways(
        isLive: isLive,
        showsLimits: !(display is GuideScreen) && !options.output.isQuiet
      ) { [showing] in try showing.flush() }
    )
  }

  private func end(
    _ result: Run.Result,
    _ grants: ClientGrants,
    dropped: Tally<DropReason>
  ) throws {
    try flush()
    let strangers = guide.program.view.strangers
    if !strangers.isEmpty, !options.output.isQuiet {
      let count = strangers.count == 1 ? "1 beacon" : "\(strangers.count) beacons"
      io.show("\(count) of the museum's UUID are not in the plan, first \(strangers[0])")
    }
    guard options.output.wantsSummary else { return }
    var summary = showing.summary
    summary.statistics = result.statistics ?? EngineStatistics()
    summary.isLimited = grants.isLimited
    summary.statistics.dropped.add(dropped)
    try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
  }

  /// Writes what is not yet written.
  func flush() throws { try showing.flush() }
}

/// Connects the guide's client at the start of a visit.
private final class GuideStart: RunParticipant {
  private let grants: ClientGrants
  private let showing: GuideShowing

  init(_ grants: ClientGrants, _ showing: GuideShowing) {
    self.grants = grants
    self.showing = showing
  }

  func begin(_ driver: inout EngineDriver, receivers: [String]) {
    let client = grants.connect(to: &driver, monitoring: false, asking: false)
    showing.begin(as: client, driver.snapshot(of: client), grants.userActions)
  }
}

/// Shows a visit: what the engine delivers, then what the guide says, as the guide is after its answer.
final class GuideShowing: RunParticipant {
  private let language: String
  private let options: RunOptions
  private let guide: ProgramHost<Guide>
  private let format: OutputFormat?
  private let display: (any GuideDisplay)?
  private let io: CommandIO
  private var output: GuideOutput?
  private var recipient = Recipient.theOperator
  /// Whether each event is written at once.
  var isLive = false
  /// What was counted.
  private(set) var summary = RunSummary()

  init(
    _ setup: GuideSetup,
    _ guide: ProgramHost<Guide>,
    format: OutputFormat?,
    display: (any GuideDisplay)?,
    io: CommandIO
  ) {
    language = setup.language
    options = setup.options
    self.guide = guide
    self.format = format
    self.display = display
    self.io = io
  }

  /// Begins for a client.
  fileprivate func begin(
    as client: ClientID,
    _ snapshot: ClientSnapshot?,
    _ userActions: RunUserActions
  ) {
    recipient = .client(client)
    display?.begin(snapshot, userActions)
  }

  var wantsSlices: Bool { display != nil }
  var wantsEnd: Bool { display?.hasEnded ?? false }

  func begin(_ driver: inout EngineDriver, receivers: [String]) {
    guard let format else { return }
    let isTerminal = io.output.isTerminal
    output = GuideOutput(
      format,
      language: language,
      names: EngineSetup(options, nil).names(receivers: receivers, start: driver.now),
      style: TextStyle(
        hasColor: options.output.hasColor(isTerminal: isTerminal, environment: io.environment)
      ),
      to: io.output,
      isLive: isLive || isTerminal
    )
  }

  func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) throws {
    summary.count(deliveries)
    for delivery in deliveries {
      try output?.write(delivery)
      display?.receive(
        delivery,
        to: options.client?.name ?? RunOptions.guideName,
        guide.program.view
      )
    }
  }

  func noticed() throws {
    for (event, time) in guide.drainNotices() {
      summary.count(EventRecord.guide(event, in: language).type)
      try output?.write(event, to: recipient, at: time)
      display?.receive(event, guide.program.view)
    }
  }

  func recorded(_ slice: ScanSlice, receivers: [String]) {
    display?.receive(slice.piece, receivers: receivers)
  }

  func willWait() throws {
    try flush()
    display?.pump()
  }

  /// Writes what is not yet written.
  func flush() throws { try output?.flush() }
}
