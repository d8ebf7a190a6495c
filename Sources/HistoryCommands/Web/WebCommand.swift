// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit
internal import WebServer

/// `web`: the operator's page and metrics.
package struct WebCommand {
  /// The port of the page.
  private static let port = CommandOption(
    "port",
    .integer("PORT", 0...65_535),
    "Serve on this port, 0 for any free one (default: \(usualPort))"
  )
  /// Lets other machines read.
  private static let isPublic = CommandFlag(
    "public",
    "Let everybody who can reach this machine read it (default: only this machine)"
  )
  /// The speed of a replay.
  private static let speed = CommandOption(
    "speed",
    .speed,
    "Replay at this speed (default: 1x)",
    needs: ["from"]
  )
  /// Ends with the source.
  private static let once = CommandFlag(
    "once",
    "End with the capture instead of serving its end",
    needs: ["from"]
  )
  /// Not in the list of ports of other exporters.
  private static let usualPort = 9743

  /// Returns the command `web`: the operator's page and metrics.
  ///
  /// `--from` can name these sources beside captures.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "web",
      "Serve the operator's page and metrics for Prometheus",
      discussion: [
        "Serves a page that shows radios, listed beacons, regions and who was notified last, and the same as metrics at"
          + " /metrics. It is the operator's view. Nothing can be changed there. Ctrl-C ends it.",
        "Only listed beacons appear by themselves: those that the configuration names, or that a region or constraint"
          + " names as UUID/MAJOR/MINOR. The others are counted.",
      ],
      groups: [
        .source([Options.adapter, Options.via, Options.from, speed]),
        OptionGroup("Beacons", [Options.satisfying, Options.region, Options.state]),
        OptionGroup("Pages", [port, isPublic, once]),
        OptionGroup("Recording", [HistoryOptions.keep]),
        .settings,
      ],
      exclusive: [["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
      examples: [
        CommandExample("beaconctl web", "Serve what the adapters receive to this machine"),
        CommandExample(
          "beaconctl web --from service:",
          "Serve what the machine's service receives; no right to the radio is needed"
        ),
        CommandExample(
          "beaconctl web --from air.jsonl --speed 10x",
          "Serve a recording, ten times as fast as it was"
        ),
      ]
    ) { arguments, io in try await WebCommand(arguments, sources, io: io).run() }
  }

  private let options: RunOptions
  private let port: UInt16
  private let isPublic: Bool
  private let endsWithSource: Bool
  private let io: CommandIO

  private init(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    io: CommandIO
  ) throws {
    var options = try RunOptions(
      arguments,
      from: io.configurations,
      sources: sources,
      participants: [.history]
    )
    options.output.format = OutputFormat.none
    if !options.isLive { options.speed = arguments[Self.speed].map(\.factor) ?? 1 }
    self.options = options
    port = UInt16(clamping: arguments[Self.port] ?? Self.usualPort)
    isPublic = arguments.has(Self.isPublic)
    endsWithSource = arguments.has(Self.once)
    self.io = io
  }

  /// Serves until the user stops it.
  ///
  /// - Returns: How the run ended; a user who stops it ends it as usual.
  private func run() async throws -> ExitCode {
    let board = MetricsBoard(OperatorMetrics(version: Library.version, book: options.names))
    let server = try start(board)
    defer { server.stop() }
    var options = options
    options.participants.append { [isPublic] surroundings in
      // The source is open: a run that cannot begin says nothing about pages.
      try Self.announce(server, isPublic: isPublic, on: surroundings.io)
      return MetricsFeed(board, surroundings)
    }
    let code = try await EventRun.run(options, .ranging, io: io)
    guard !options.isLive, !endsWithSource, !io.isInterrupted() else {
      return io.isInterrupted() ? .done : code
    }
    if !options.output.isQuiet {
      io.show("the source has ended; the last state is served until Ctrl-C")
    }
    while !io.isInterrupted() { io.clock.sleep(for: Self.patience) }
    return .done
  }

  /// The longest time until a signal has its effect.
  private static let patience = TimeSpan.milliseconds(250)

  private func start(_ board: MetricsBoard) throws -> WebServer {
    do throws(WebServerError) {
      return try WebServer(port: port, reach: isPublic ? .everybody : .loopback) {
        board.answer($0)
      }
    } catch {
      let code: ExitCode =
        switch error {
        case .portInUse: .unavailable
        case .notPermitted: .notPermitted
        case .failed: .failed
        }
      throw CommandFailure(code, "\(error)")
    }
  }

  private static func announce(_ server: WebServer, isPublic: Bool, on io: CommandIO) throws {
    if isPublic {
      io.show(
        "everybody who can reach this machine can now read the page and the metrics, and so who was where;"
          + " they are neither encrypted nor behind a password"
      )
    }
    let root = "http://127.0.0.1:\(server.port)"
    try io.output.write(Array("page     \(root)/\nmetrics  \(root)/metrics\n".utf8))
  }
}
