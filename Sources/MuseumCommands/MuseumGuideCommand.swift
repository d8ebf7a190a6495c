// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconMuseum
internal import Beacons
internal import Glibc

/// `museum guide`: a visitor's guide over a museum plan, from live, a capture or a simulated visit.
package struct MuseumGuideCommand {
  /// How fast a visit is played.
  private static let speed = CommandOption(
    "speed",
    .speed,
    "Play at this speed (default: 1x on a screen, else max)",
    needs: ["from", "simulate"]
  )
  /// The format of the guide's output.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .jsonl, .none]),
    "Output format: table writes sentences (default: a screen on a terminal, else jsonl)"
  )

  /// `museum guide`: what a visitor stands before.
  static let command = BeaconctlCommand(
    "guide",
    "Guide a visitor through a museum",
    discussion: [
      "Shows the visitor's room and the exhibit in front of them: on a terminal as a screen with the"
        + " floor plan, else as JSON Lines or, with --format table, as sentences.",
      "The guide is the client 'museum-guide' and asks for permission at first. Without a terminal, --answers gives"
        + " what the visitor does; without either and without a grant it ends with exit code 77.",
    ],
    groups: [
      OptionGroup("Visit", [MuseumOptions.plan, MuseumOptions.language]),
      .source([Options.adapter, Options.via, Options.from, MuseumOptions.simulatedVisit, speed]),
      .asking, .recording, .settings,
      OptionGroup("Output", [format, Options.time, Options.summary]),
    ],
    exclusive: [["adapter", "from", "simulate"], ["via", "from", "simulate"]] + Exclusive.verbosity
      + Exclusive.redaction,
    examples: [
      CommandExample(
        "beaconctl museum --plan museum.json5 --record visit.jsonl",
        "Guide a live visit and record it"
      ),
      CommandExample(
        "beaconctl museum --plan museum.json5 --simulate 7 --speed 10x",
        "Guide a simulated visitor, ten times as fast"
      ),
    ]
  ) { arguments, io in
    try await MuseumGuideCommand(arguments, io: io).run()
  }

  private let setup: GuideSetup
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    setup = try GuideSetup(arguments, schema: io.schema)
  }

  /// Runs until the source ends or the visitor leaves.
  package func run() async throws -> ExitCode {
    let output = setup.options.output
    let program = setup.program()
    let scene = GuideScene(setup.plan, language: setup.language, view: program.program.view)
    let hasColor = output.hasColor(
      isTerminal: io.output.isTerminal,
      environment: io.environment
    )
    let wantsScreen = output.format == nil
    let screen = wantsScreen ? try GuideScreen(scene, io: io, hasColor: hasColor) : nil
    defer { screen?.leave() }
    var io = io
    if let screen {
      io.user = screen
      io.clock = screen
      io.errors = screen
      io.isInterrupted = { screen.hasEnded || Interruption.exitCode != nil }
    }
    let visit = GuideVisitRun(
      setup,
      program,
      format: screen == nil ? output.format ?? .jsonl : nil,
      display: screen,
      io: io
    )
    do {
      // A visitor at a screen sees a visit as it was, unless the line says otherwise.
      let source = setup.source
      let speed = setup.options.speed ?? (screen != nil && !source.hasSpeed ? 1 : nil)
      let code = try await source.run(visit, setup.plan, speed: speed, io)
      return screen?.hasEnded ?? false ? .done : code
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }
}
