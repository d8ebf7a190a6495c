// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
internal import BeaconCommandLine
internal import BeaconCore
internal import BeaconMuseum
internal import BeaconFormats
internal import Beacons

/// The source of a guide's visit: captures, a simulated visitor, or the adapters.
struct GuideSource {
  private let captures: [String]
  private let simulated: Int?
  private let isQuiet: Bool
  /// The speed of the replay; `nil` for as fast as possible, or if the user gave no speed.
  let speed: Double?
  /// Whether the user gave a speed.
  let hasSpeed: Bool

  /// Whether the adapters are the source.
  var isLive: Bool { captures.isEmpty && simulated == nil }

  /// The source of the visit, as the screen shows it.
  var origin: VisitOrigin {
    if isLive { return .live }
    return captures.isEmpty ? .simulated : .recording
  }

  /// Reads the source from a command line.
  init(_ arguments: ParsedArguments, _ options: RunOptions) {
    captures = options.captures
    isQuiet = options.output.isQuiet
    speed = options.speed
    hasSpeed = arguments.has(Options.speed)
    simulated = arguments[MuseumOptions.simulatedVisit]
  }

  /// Runs a visit to the source's end.
  ///
  /// - Parameters:
  ///   - visit: The visit.
  ///   - plan: The museum through which a simulated visitor walks.
  ///   - speed: The speed of the replay; `nil` for as fast as possible.
  ///   - io: Receives remarks about captures.
  /// - Returns: The exit code of the run.
  /// - Throws: The errors of the source and the outputs.
  func run(
    _ visit: GuideVisitRun,
    _ plan: Plan,
    speed: Double?,
    _ io: CommandIO
  ) async throws -> ExitCode {
    try visit.checkOutputs()
    if let simulated {
      let source = try Self.source(plan, seed: UInt64(clamping: simulated))
      return try await visit.play(source, speed: speed)
    }
    guard !captures.isEmpty else { return try await visit.listen() }
    let files = try CaptureSource(captures) { try visit.flush() }
    let code = try await visit.play(files, speed: speed, recorded: files)
    if !isQuiet { files.remarks.forEach(io.show) }
    return code
  }

  /// Returns the reports that a simulated visitor of a plan receives, as a source.
  ///
  /// - Throws: ``CommandFailure`` if nobody can walk through the plan.
  static func source(_ plan: Plan, seed: UInt64) throws -> ReaderSource {
    ReaderSource(try scan(plan, seed: seed), receiverNames: ["sim0"])
  }

  /// Returns the reports that a simulated visitor of a plan receives.
  ///
  /// - Throws: ``CommandFailure`` if visitors cannot walk through the plan.
  static func scan(_ plan: Plan, seed: UInt64) throws -> VisitScan {
    let link = LinkModel()
    do {
      let site = try SimulatedSite(plan, power: link.powerAtOneMeter)
      let day = SimulatedDay(site, VisitorModel(), visitors: 1, seed: seed)
      let radio = RadioSite(site, link, ReceptionModel(), seed: seed)
      guard let visitor = day.visitors.first else {
        throw CommandFailure(.badData, "nobody can walk through this plan")
      }
      return VisitScan(radio, day, visitor, crowd: nil)
    } catch let failure as SimulatedSite.Failure {
      throw CommandFailure(.badData, "the plan cannot be simulated: \(failure)")
    }
  }
}

extension AdditionalSource {
  /// The option for a plan, for commands that are not about museums.
  private static let plan = CommandOption(
    "plan",
    .file("FILE"),
    "Use a museum plan: its beacons' names and powers, and the rooms that --simulate walks through"
  )
  private static let visitor = CommandOption(
    "simulate",
    .integer("SEED", 0...Int.max),
    "Simulate a visitor of the plan, or of the demo's, the same for the same seed"
  )

  /// A simulated visitor of a museum plan, as a source for other commands.
  package static let simulatedVisitor = AdditionalSource(
    "simulate",
    options: [plan, visitor]
  ) { arguments, configuration, names in
    guard arguments.has(plan) || arguments.has(visitor) else { return nil }
    let plan = try arguments[plan].map(PlanFile.read) ?? PlanFile.demo()
    // A plan read from a file has only powers that can be a calibration.
    try? plan.calibrate(&configuration)
    names.add(plan.names)
    guard let seed = arguments[visitor] else { return nil }
    return { _ in
      Connection(try GuideSource.source(plan, seed: UInt64(clamping: seed)))
    }
  }
}
