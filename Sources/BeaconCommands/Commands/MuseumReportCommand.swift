// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons

/// `museum report`: what recordings of visits say of a museum.
package struct MuseumReportCommand {
  private let arguments: ParsedArguments
  private let captures: [String]
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.arguments = arguments
    self.io = io
    captures = arguments.texts(BeaconctlGrammar.reportCaptures)
  }

  /// Plays all recordings, and writes the report.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    let plan = try PlanFile.read(arguments)
    let configuration = try LoadedConfiguration(arguments).configuration
    let replay = VisitReplay(plan, configuration)
    var visits: [Visit] = []
    for path in captures {
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      var file = try CaptureFile(path)
      if let visit = try replay.visit(&file) { visits.append(visit) }
      file.remarks.forEach(io.say)
    }
    let statistics = VisitStatistics(visits, of: plan)
    for entry in statistics.exhibits {
      let title = plan.exhibits[entry.exhibit].title[plan.languages[0]]
      io.say(
        "\(title) \(entry.passed) \(entry.visitors) \(entry.visits) \(entry.dwell?.median ?? 0)"
      )
    }
    if arguments.has(.summary) {
      let line = RunSummary().line(wall: io.clock.elapsed - started, use: ResourceUse.now)
      try? io.errors.write(line)
    }
    return .done
  }
}
