// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import BeaconMuseum
internal import Beacons
internal import Glibc

/// `museum guide`: a visitor's guide over a museum plan, from live, a capture or a simulated visit.
package struct MuseumGuideCommand {
  private let setup: GuideSetup
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    setup = try GuideSetup(arguments)
  }

  /// Runs until the source ends or the visitor leaves.
  package func run() throws -> ExitCode {
    let output = setup.options.output
    let program = setup.program()
    let scene = GuideScene(setup.plan, language: setup.language, view: program.guide.view)
    let hasColor = output.color == .always || usesColor
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
      let code = try source.run(visit, setup.plan, speed: speed, io)
      return screen?.hasEnded ?? false ? .done : code
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private var usesColor: Bool {
    setup.options.output.color == .auto && io.output.isTerminal && io.environment["NO_COLOR"] == nil
  }
}
