// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconHistory
internal import BeaconMuseum
internal import Beacons
internal import Pages
internal import WebServer

/// `web`: the page of everything nearby, and metrics.
package struct WebCommand {
  /// The port of the page.
  private static let port = Options.port(usually: usualPort)
  /// Lets other machines read.
  private static let isPublic = CommandFlag(
    "public",
    "Let everybody who can reach this machine read it (default: only this machine)"
  )
  /// Ends with the source.
  private static let once = CommandFlag(
    "once",
    "End with the capture instead of serving its end",
    needs: ["from"]
  )
  /// The plans that are drawn.
  private static let plan = CommandOption(
    "plan",
    .file("FILE"),
    "Draw this museum plan, with the reception of its beacons",
    repeats: true
  )
  /// The history of another run.
  private static let past = CommandOption(
    "past",
    .file("FOLDER"),
    "Show also the history that another run keeps in this folder (default: that of --history)"
  )
  /// The most plans, and how many beacons and how many rooms they may have together: of more beacons nothing is known.
  private static let (planLimit, entryLimit) = (16, OperatorMetrics.beaconLimit)
  /// Not in the list of ports of other exporters.
  private static let usualPort = 9743

  /// Returns the command `web`: the page of everything nearby, and metrics.
  ///
  /// - Parameters:
  ///   - sources: What `--from` can name other than captures.
  ///   - conditions: The additions of other modules to the source, such as places.
  ///   - pages: The pages of other modules.
  /// - Returns: The command.
  package static func command(
    _ sources: [AdditionalSource],
    _ conditions: [AdditionalCondition] = [],
    _ pages: [AdditionalPage] = []
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "web",
      "Serve a page of everything nearby, and metrics for Prometheus",
      discussion: [
        "Serves a page of everything nearby, live: distances with their intervals, signals, receivers, regions with their"
          + " last crossings, radios and what helps them; and metrics at /metrics. It is the operator's view. With the"
          + " printed code a beacon can be named there, and places learned (--survey); nothing else can be changed. Ctrl-C ends it.",
        "In the metrics and the history only listed beacons appear by themselves: those that the configuration names, or"
          + " that a region or constraint names as UUID/MAJOR/MINOR, and those of --plan. The others are counted.",
        "--plan draws the rooms of a plan, its beacons, and in which room each other listed beacon is: places are named"
          + " as rooms. With a history, a slider shows the state at any minute.",
      ],
      groups: [
        .source(
          [Options.adapter, Options.via, Options.from, Options.steadySpeed]
            + sources.flatMap(\.options)
        ),
        OptionGroup(
          "Beacons",
          [Options.beacons, Options.region, Options.state] + conditions.flatMap(\.options)
        ),
        OptionGroup("Pages", [plan, past, port, isPublic, once] + pages.flatMap(\.options)),
        OptionGroup("Recording", [HistoryOptions.keep]),
        .settings,
      ],
      exclusive: [["adapter", "from"], ["via", "from"], ["history", "past"]] + Exclusive.verbosity,
      examples: [
        CommandExample("beaconctl web", "Serve the adapters' reports to this machine"),
        CommandExample(
          "beaconctl web --from service:",
          "Serve the reports of the machine's service; no right to the radio is needed"
        ),
        CommandExample(
          "beaconctl web --from air.jsonl --speed 10x",
          "Serve a recording, ten times as fast as it was"
        ),
        CommandExample(
          "beaconctl web --plan ground.json5 --plan annex.json5 --history days",
          "Draw two plans, keep a history, and look at any minute of it"
        ),
      ]
    ) { arguments, io in try await WebCommand(arguments, sources, conditions, pages, io: io).run() }
  }

  private let options: RunOptions
  private let plans: [Plan]
  private let past: String?
  private let pages: [any PageContent]
  private let port: UInt16
  private let isPublic: Bool
  private let endsWithSource: Bool
  private let io: CommandIO

  private init(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ conditions: [AdditionalCondition],
    _ pages: [AdditionalPage],
    io: CommandIO
  ) throws {
    var options = try RunOptions(
      arguments,
      from: io.configurations,
      sources: sources,
      participants: [.history]
    )
    options.output.format = OutputFormat.none
    if !options.isLive { options.speed = arguments[Options.steadySpeed].map(\.factor) ?? 1 }
    plans = try Self.plans(arguments)
    for plan in plans {
      for exhibit in plan.exhibits where options.names[exhibit.identity] == nil {
        options.names[exhibit.identity] = exhibit.title[plan.languages.first ?? ""]
      }
    }
    for condition in conditions { try condition.apply(arguments, &options) }
    past = try Self.history(arguments)
    self.pages = try pages.compactMap { try $0.choose(arguments, options, io) }
    self.options = options
    port = UInt16(clamping: arguments[Self.port] ?? Self.usualPort)
    isPublic = arguments.has(Self.isPublic)
    endsWithSource = arguments.has(Self.once)
    self.io = io
  }

  /// Returns the folder of the history to look at; one that another run keeps must be there.
  private static func history(_ arguments: ParsedArguments) throws -> String? {
    guard let path = arguments[past] else { return arguments[HistoryOptions.keep] }
    do throws(HistoryError) {
      _ = try HistoryReader(path).months()
    } catch {
      throw CommandFailure(error)
    }
    return path
  }

  /// Reads the plans.
  ///
  /// - Throws: ``CommandFailure`` with a line for each fault of a file.
  private static func plans(_ arguments: ParsedArguments) throws -> [Plan] {
    let paths = arguments.all(plan)
    guard paths.count <= planLimit else {
      throw UsageError("at most \(planLimit) plans can be drawn")
    }
    let plans = try paths.map { try ParsedFile.read($0, Plan.init(reading:)) }
    let counts = plans.reduce((beacons: 0, rooms: 0)) {
      ($0.beacons + $1.exhibits.count, $0.rooms + $1.rooms.count)
    }
    guard max(counts.beacons, counts.rooms) <= entryLimit else {
      throw UsageError("the plans have more than \(entryLimit) beacons or rooms together")
    }
    return plans
  }

  private func board(_ naming: NamingForm) -> MetricsBoard {
    MetricsBoard(
      OperatorMetrics(version: Library.version, book: options.names),
      floors: plans.map(PlanFloors.init),
      past: past.map { PastMinutes($0, version: Library.version, book: options.names) },
      names: options.names,
      naming: naming,
      pages: pages,
      isLive: options.isLive,
      zone: io.localZone,
      run: "\(UInt32.random(in: .min ... .max))"
    )
  }

  /// Serves until the user stops it.
  ///
  /// - Returns: How the run ended; a user who stops it ends it as usual.
  private func run() async throws -> ExitCode {
    var random = SystemRandomNumberGenerator()
    let naming = NamingForm(PageForms(PageCode(using: &random), io.clock))
    let board = board(naming)
    let server = try start(board)
    defer { server.stop() }
    var options = options
    options.participants.append { [isPublic, pages] surroundings in
      // The source is open: a run that cannot begin does not print addresses.
      try Self.announce(server, naming, pages, isPublic: isPublic, on: surroundings.io)
      return MetricsFeed(board, surroundings, naming)
    }
    options.offsetsChanged = { board.show(offsets: $0) }
    for page in pages { options.participants.append { PageFeed(page, $0.io) } }
    defer { board.close(naming, options.configurationFile, io) }
    let code = try await EventRun.run(options, .ranging, io: io)
    board.end()
    guard !options.isLive, !endsWithSource, !io.isInterrupted() else {
      return io.isInterrupted() ? .done : code
    }
    io.serveEnd(isQuiet: options.output.isQuiet) {
      board.keepNames(naming, options.configurationFile, io)
      pages.forEach { $0.perform(io) }
    }
    return .done
  }

  private func start(_ board: MetricsBoard) throws -> WebServer {
    do throws(WebServerError) {
      return try WebServer(
        port: port,
        reach: isPublic ? .everybody : .loopback,
        largestContent: PageCode.largest,
        isSlow: { board.isSlow($0) },
        answer: { board.answer($0) }
      )
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func announce(
    _ server: WebServer,
    _ naming: NamingForm,
    _ pages: [any PageContent],
    isPublic: Bool,
    on io: CommandIO
  ) throws {
    if isPublic {
      io.show(
        "everybody who can reach this machine can now read the page and the metrics, and so who was where;"
          + " they are neither encrypted nor behind a password"
      )
    }
    let root = server.address(isPublic: isPublic)
    let lines =
      ["page     \(root)/", "metrics  \(root)/metrics"]
      + pages.map { "\($0.tab.name.lowercased())   \(root)\($0.tab.path)" }
      + ["code     \(naming.forms.code)  for changes on the page"]
    try io.output.write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }
}
