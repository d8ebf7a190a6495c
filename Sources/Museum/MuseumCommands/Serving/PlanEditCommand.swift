// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconBlueZ
internal import BeaconCommands
internal import BeaconCore
internal import BeaconMuseum
internal import SystemKit
internal import WebServer
internal import Beacons

/// `museum plan edit`: a page on which rooms are drawn and beacons are placed.
enum PlanEditCommand {
  private static let file = CommandArgument(
    .file("FILE"),
    "A museum plan, JSON5; a missing one is written"
  )
  private static let portOption = Options.port(usually: usualPort)
  private static let usualPort = 8081
  /// Receives beacons while the page is open.
  private static let live = CommandFlag(
    "live",
    "Receive beacons, so that the page can tell which one is in front of you"
  )
  /// `museum plan edit`: edits a plan in a browser.
  static let command = BeaconctlCommand(
    "edit",
    "Draw rooms and place beacons of a museum plan in a browser",
    discussion: [
      "Serves a page only to this machine, and prints its address. There rooms are drawn, over an image if you"
        + " have one, beacons, doors and the entrance are placed, and texts are written, in each language. 'Save'"
        + " changes only these in the file; everything else of it stays, comments included. Ctrl-C ends it.",
      "With --live or --from the page finds the beacon in front of you.",
      "The address contains a secret, so that other accounts of this machine cannot open the page.",
      "The image stays in the browser. A file that was changed meanwhile is not overwritten.",
    ],
    arguments: [file],
    groups: [
      OptionGroup("Page", [portOption]),
      .source([live, Options.adapter, Options.via, Options.from, Options.steadySpeed]),
    ],
    exclusive: [["live", "from"], ["adapter", "from"], ["via", "from"]] + Exclusive.verbosity,
    examples: [
      CommandExample("beaconctl museum plan edit museum.json5", "Edit a plan"),
      CommandExample(
        "beaconctl museum plan edit --live museum.json5",
        "Edit it on a walk: stand in front of an exhibit, and press 'Which beacon is here?'"
      ),
    ]
  ) { arguments, io in
    let path = try arguments.required(file)
    if FileStatus(path) != nil {
      _ = try PlanFile.read(path)
    } else {
      // Work of an hour that cannot be saved is worse than a fault now.
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
      guard FileStatus(folder)?.isFolder == true else {
        throw CommandFailure(.noInput, "\(path): there is no folder '\(folder)'")
      }
    }
    var random = SystemRandomNumberGenerator()
    let options = try options(arguments, io)
    let nearest = options.map { NearestBeacons($0.names) }
    let editor = PlanEditor(
      path,
      skeleton: Array(PlanSkeleton.text(uuid: uuid(using: &random), []).utf8),
      using: &random,
      io.files,
      nearest: nearest
    )
    let server = try serve(editor, port: UInt16(clamping: arguments[portOption] ?? usualPort))
    defer { server.stop() }
    try io.output.write(
      Array("editor  http://127.0.0.1:\(server.port)\(editor.folder)\n".utf8)
    )
    if let options, let nearest { try await receive(options, nearest, io) }
    io.serve {}
    return .done
  }

  // MARK: Receiving

  /// The options of receiving; `nil` if the command only edits.
  private static func options(_ arguments: ParsedArguments, _ io: CommandIO) throws -> RunOptions? {
    var options = RunOptions()
    options.captures = try arguments.captures()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    let isLive = arguments.has(live) || arguments[Options.adapter] != nil
    guard isLive || !options.captures.isEmpty else { return nil }
    options.names = try LoadedConfiguration(arguments, from: io.configurations).names
    options.speed = arguments[Options.steadySpeed].map(\.factor) ?? 1
    options.output = OutputOptions(arguments)
    return options
  }

  /// Receives beacons until the captures or the user end it.
  private static func receive(
    _ options: RunOptions,
    _ nearest: NearestBeacons,
    _ io: CommandIO
  ) async throws {
    guard options.captures.isEmpty else {
      let captures = try CaptureSource(options.captures, timing: options.configuration.timing)
      var run = run(captures, options, [nearest], io)
      run.pace = options.speed.map { ($0, io.clock) }
      _ = try await run.run()
      return
    }
    let scan = BlueZScanOptions(options, opening: io.openKernelChannel)
    try await withLiveSource(scan, showing: { io.show($0.description) }) { radio, remarks in
      var run = run(radio, options, [remarks, nearest], io)
      _ = try await run.run()
    }
  }

  private static func run(
    _ source: any ScanSource,
    _ options: RunOptions,
    _ participants: [any RunParticipant],
    _ io: CommandIO
  ) -> Runner {
    let setup = EngineSetup(options, .sightings)
    return Runner(
      source,
      setup,
      participants: [RunRequests(setup)] + participants,
      isInterrupted: io.isInterrupted
    )
  }

  private static func serve(_ editor: PlanEditor, port: UInt16) throws -> WebServer {
    var limits = WebLimits()
    // One curator; each connection may hold a draft.
    limits.connections = 16
    limits.connectionsPerAddress = 8
    do throws(WebServerError) {
      return try WebServer(
        port: port,
        limits: limits,
        largestContent: PlanEditor.largest,
        answer: { editor.answer($0) }
      )
    } catch {
      throw CommandFailure(error)
    }
  }

  /// A random UUID (RFC 9562, version 4) for a museum without one.
  private static func uuid(using random: inout some RandomNumberGenerator) -> UInt128 {
    let bits = UInt128.random(in: .min ... .max, using: &random)
    let version = bits & ~(0xF << 76) | (0x4 << 76)
    return version & ~(0x3 << 62) | (0x2 << 62)
  }
}
