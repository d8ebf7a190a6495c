// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons
internal import Glibc

/// `museum guide`: a visitor's guide over a museum plan, from live, a capture or a simulated visit.
package struct MuseumGuideCommand {
  private let plan: Plan
  private let language: String
  private let options: RunOptions
  private let simulated: Int?
  private let hasSpeed: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.io = io
    plan = try PlanFile.read(arguments)
    let asked = arguments.text(.language)
    if let asked, !plan.languages.contains(asked) {
      let known = plan.languages.joined(separator: ", ")
      throw UsageError("the plan is not written in '\(asked)'; its languages are \(known)")
    }
    language = asked ?? plan.languages.first ?? "en"
    options = try RunOptions(guide: arguments, through: plan, in: language)
    simulated = arguments.integer(.simulatedVisit)
    hasSpeed = arguments.has(.speed)
  }

  /// Runs until the source ends or the visitor leaves.
  package func run() throws -> ExitCode {
    let program = GuideProgram(Guide(plan, configuration: options.configuration))
    let scene = GuideScene(plan, language: language, view: program.guide.view)
    let hasColor = options.output.color == .always || usesColor
    let wantsScreen = options.output.format == nil
    let screen = wantsScreen ? try GuideScreen(scene, io: io, hasColor: hasColor) : nil
    defer { screen?.leave() }
    var io = io
    if let screen {
      io.person = screen
      io.clock = screen
      io.errors = screen
      io.isInterrupted = { screen.hasEnded || Interruption.exitCode != nil }
    }
    let visit = GuideVisitRun(
      plan: plan,
      language: language,
      options: options,
      program: program,
      screen: screen,
      io: io
    )
    do {
      let code = try run(visit, screen, io)
      return screen?.hasEnded ?? false ? .done : code
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private var usesColor: Bool {
    options.output.color == .auto && io.output.isTerminal && io.environment["NO_COLOR"] == nil
  }

  private func run(
    _ visit: GuideVisitRun,
    _ screen: GuideScreen?,
    _ io: CommandIO
  ) throws -> ExitCode {
    if let simulated {
      return try visit.play(
        simulatedAir(seed: simulated),
        receivers: { ["sim0"] },
        speed: speed(screen)
      )
    }
    if !options.captures.isEmpty {
      let captures = try Captures(options.captures) { try visit.flush() }
      let code = try visit.play(
        captures,
        receivers: { captures.receiverNames },
        speed: speed(screen),
        recorded: captures
      )
      if !options.output.isQuiet { captures.remarks.forEach(io.say) }
      return code
    }
    return try visit.listen()
  }

  /// A visitor at a screen sees a visit as it was, unless the line says otherwise.
  private func speed(_ screen: GuideScreen?) -> Double? {
    options.speed ?? (screen != nil && !hasSpeed ? 1 : nil)
  }

  private func simulatedAir(seed: Int) throws -> VisitAir {
    let constants = try SimulationConstants()
    let link = try LinkModel(constants)
    let seed = UInt64(clamping: seed)
    do {
      let site = try SimulatedSite(plan, power: link.powerAtOneMeter)
      let day = SimulatedDay(site, try VisitorModel(constants), visitors: 1, seed: seed)
      let radio = RadioSite(site, link, try ReceptionModel(constants), seed: seed)
      guard let visitor = day.visitors.first else {
        throw CommandFailure(.badData, "nobody can walk through this plan")
      }
      return VisitAir(radio, day, visitor, crowd: nil)
    } catch let failure as SimulatedSite.Failure {
      throw CommandFailure(.badData, "the plan cannot be simulated: \(failure)")
    }
  }
}
