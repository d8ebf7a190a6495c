// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
internal import BeaconTerminal
internal import BeaconCore
internal import BeaconMuseum
internal import Beacons

/// `museum guide`: a visitor's guide for a museum plan, with a live source, a capture or a simulated visit.
package struct MuseumGuideCommand {
  /// The speed of the replay.
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

  /// `museum guide`: the room and the exhibit in front of a visitor.
  static let command = BeaconctlCommand(
    "guide",
    "Guide a visitor through a museum",
    discussion: [
      "Shows the visitor's room and the exhibit in front of them: on a terminal as a screen with the"
        + " floor plan, else as JSON Lines or, with --format table, as sentences.",
      "The guide is the client 'museum-guide' and asks for permission on first use. Without a terminal, --answers gives"
        + " what the visitor does; without either and without a grant it ends with exit code 77.",
    ],
    groups: [
      OptionGroup("Visit", [MuseumOptions.plan, MuseumOptions.language]),
      .source([Options.adapter, Options.via, Options.from, MuseumOptions.simulatedVisit, speed]),
      .asking, .recording, .settings,
      OptionGroup("Output", [format, Options.force, Options.time, Options.summary]),
    ],
    exclusive: [["adapter", "from", "simulate"], ["via", "from", "simulate"]] + Exclusive.verbosity,
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
    setup = try GuideSetup(arguments, from: io.configurations)
  }

  /// Runs until the source ends or the visitor leaves.
  package func run() async throws -> ExitCode {
    let program = setup.program()
    let format = setup.options.output.format
    guard format == nil, let loop = showScene(program.program.view) else {
      let visit = GuideVisitRun(setup, program, format: format ?? .jsonl, io: io)
      return try await play(visit, speed: setup.options.speed, io: io)
    }
    let source = setup.source
    // On a screen a visit is shown at its original speed, unless the command line gives another.
    let speed = setup.options.speed ?? (source.hasSpeed ? nil : 1)
    let screen = GuideScreen(
      loop,
      program,
      client: setup.options.client?.name ?? RunOptions.guideName,
      stands: !source.isLive && speed == nil
    )
    return try await loop.during(isReplay: !source.isLive, io: io) { io in
      let visit = GuideVisitRun(
        setup,
        program,
        format: nil,
        views: [screen],
        asking: .view,
        io: io
      )
      return try await play(visit, speed: speed, io: io)
    }
  }

  private func showScene(_ view: GuideView) -> TerminalLoop<GuideScene>? {
    var scene = GuideScene(setup.plan, language: setup.language, view: view)
    scene.glyphs = Glyphs.glyphs(of: io.environment)
    scene.zone = io.localZone
    scene.origin = setup.source.origin
    return TerminalLoop.start(scene, setup.options.output, io: io)
  }

  private func play(_ visit: GuideVisitRun, speed: Double?, io: CommandIO) async throws -> ExitCode
  {
    do {
      return try await setup.source.run(visit, setup.plan, speed: speed, io)
    } catch let error as SystemError where error.isClosedPipe {
      // The reader of the output has closed it.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }
}
