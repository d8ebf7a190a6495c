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

/// One visit with the guide, from any source: the guide is the program of a run, and views and outputs show it.
final class GuideVisitRun {
  private let plan: Plan
  private let language: String
  private let options: RunOptions
  private let guide: ProgramHost<Guide>
  private let showing: GuideShowing
  private let views: [any RunParticipant]
  private let asking: ClientGrants.Asking
  private let io: CommandIO
  private let started: TimeSpan

  /// The longest wait of a run with a view before it performs the actions of keys; the user notices no delay.
  private static let keyPatience = TimeSpan.milliseconds(100)

  /// - Parameters:
  ///   - setup: The user's options.
  ///   - guide: The guide.
  ///   - format: The output format of events; `nil` for no output.
  ///   - views: The views of the visit.
  ///   - asking: Where prompts are shown.
  ///   - io: The command's input and output.
  init(
    _ setup: GuideSetup,
    _ guide: ProgramHost<Guide>,
    format: OutputFormat?,
    views: [any RunParticipant] = [],
    asking: ClientGrants.Asking = .terminal,
    io: CommandIO
  ) {
    plan = setup.plan
    language = setup.language
    options = setup.options
    self.guide = guide
    self.views = views
    self.asking = asking
    self.io = io
    showing = GuideShowing(setup, guide, format: format, io: io)
    started = io.clock.elapsed
  }

  // MARK: Sources

  /// Checks, before the visit, whether the recording can be written.
  func checkOutputs() throws { try EngineSetup(options, nil).checkOutputs(io) }

  /// Replays a source to its end.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - speed: The speed of the replay; `nil` for as fast as possible.
  ///   - recorded: The captures whose user actions are used; `nil` for none.
  /// - Returns: The exit code of the run.
  /// - Throws: The errors of the source and the outputs.
  func play(
    _ source: any ScanSource,
    speed: Double?,
    recorded: CaptureSource? = nil
  ) async throws -> ExitCode {
    let grants = grants(isLive: false)
    defer { grants.end() }
    let userActions = recorded.map {
      RecordedUserActions($0, grants, hasAnswers: options.client?.answers != nil)
    }
    if userActions == nil {
      if options.client?.answers != nil {
        // A simulated visitor's grants belong to the simulation, so the account's grants are not used.
        grants.useGrants(ofRecording: SavedAuthorization())
      } else {
        try grants.fetchGrants()
      }
    }
    showing.isLive = speed != nil
    var run = run(source, first: userActions, grants)
    run.pace = speed.map { ($0, io.clock) }
    let result = try await run.run()
    try end(result, grants)
    if !result.wasInterrupted, !guide.hasAsked, !options.output.isQuiet {
      io.show("the replay ended before the guide ranged or monitored anything")
    }
    return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
  }

  /// Scans live until the visitor leaves.
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
    let result = try await withLiveSource(scan, showing: show) { radio, remarks in
      var run = run(radio, first: remarks, grants)
      return try await run.run()
    }
    try end(result, grants)
    return .done
  }

  private func show(_ diagnostic: BlueZDiagnostic) {
    if !options.output.isQuiet { io.show(diagnostic.description) }
  }

  private func run(
    _ source: any ScanSource,
    first: (any RunParticipant)?,
    _ grants: ClientGrants
  ) -> Runner {
    let setup = EngineSetup(options, nil)
    let recording = RunRecording(options, setup, grants, io: io)
    var participants = first.map { [$0] } ?? []
    participants += [GuideStart(grants), showing, HandIn(guide)]
    participants += views
    participants.append(grants)
    if let keeper = grants.keeper { participants.append(keeper) }
    participants.append(recording)
    var run = Runner(
      source,
      setup,
      participants: participants,
      isInterrupted: io.isInterrupted
    )
    run.program = guide
    if !views.isEmpty { run.patience = Self.keyPatience }
    return run
  }

  // MARK: Beginning and ending

  private func grants(isLive: Bool) -> ClientGrants {
    let client =
      options.client
      ?? RunClient(name: RunOptions.guideName, manifest: plan.manifest.manifest(in: language))
    let keeper = StoreKeeper(options, of: client, isLive: isLive, io: io) { [showing, io] line, _ in
      try? showing.flush()
      io.show(line)
    }
    return ClientGrants(
      client,
      keeper,
      io: io,
      isLive: isLive,
      showsLimits: asking != .view && !options.output.isQuiet,
      asking: asking,
      isForForeground: true
    ) { [showing] in try showing.flush() }
  }

  private func end(_ result: Runner.Result, _ grants: ClientGrants) throws {
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
    summary.statistics.dropped.add(result.dropped)
    try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
  }

  /// Writes the buffered output.
  func flush() throws { try showing.flush() }
}

/// Connects the guide's client at the start of a visit.
private final class GuideStart: RunParticipant {
  private let grants: ClientGrants

  init(_ grants: ClientGrants) {
    self.grants = grants
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    guard case .begins = moment, let client = grants.connect(to: &run) else { return }
    grants.keeper?.begin(client, &run)
  }
}

/// Starts again for the next visitor when a lent device was handed in.
private final class HandIn: RunParticipant {
  private let guide: ProgramHost<Guide>

  init(_ guide: ProgramHost<Guide>) {
    self.guide = guide
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    // In a recording it stands as an action, at its own time.
    guard case .noticed = moment, !run.policy.performsScheduled,
      guide.notices.contains(where: { $0.notice == .returned })
    else { return }
    run.perform(.nextVisitor)
  }
}

/// Writes a visit: each delivery, then the guide's notices; it counts both.
final class GuideShowing: RunParticipant {
  private let language: String
  private let museum: String
  private let options: RunOptions
  private let guide: ProgramHost<Guide>
  private let format: OutputFormat?
  private let io: CommandIO
  private var output: GuideOutput?
  /// Whether each event is written immediately.
  var isLive = false
  /// The counts so far.
  private(set) var summary = RunSummary()

  init(
    _ setup: GuideSetup,
    _ guide: ProgramHost<Guide>,
    format: OutputFormat?,
    io: CommandIO
  ) {
    language = setup.language
    museum = setup.plan.museum[setup.language]
    options = setup.options
    self.guide = guide
    self.format = format
    self.io = io
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins: begin(run)
    case .delivered(let deliveries):
      summary.count(deliveries)
      let isOpen = guide.program.isForeground
      for delivery in deliveries { try output?.write(delivery, isOpen: isOpen) }
    case .noticed: try writeNotices(run)
    case .willWait: try flush()
    default: break
    }
  }

  private func begin(_ run: borrowing RunContext) {
    guard let format else { return }
    let isTerminal = io.output.isTerminal
    output = GuideOutput(
      format,
      language: language,
      museum: museum,
      names: EngineSetup(options, nil).names(
        receivers: run.receivers,
        start: run.now,
        zone: io.localZone
      ),
      style: TextStyle(
        hasColor: options.output.hasColor(isTerminal: isTerminal, environment: io.environment)
      ),
      to: io.output,
      isLive: isLive || isTerminal
    )
  }

  private func writeNotices(_ run: borrowing RunContext) throws {
    let recipient = run.client.map { Recipient.client($0) } ?? .theOperator
    for (event, time) in guide.notices {
      summary.count(EventRecord.guide(event, in: language).type)
      try output?.write(event, to: recipient, at: time)
    }
  }

  /// Writes the buffered output.
  func flush() throws { try output?.flush() }
}
