// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
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

  /// Plays all recordings, one after another, and writes the report.
  ///
  /// A recording that cannot be read is told and left out: the others are still a report.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    let plan = try PlanFile.read(arguments)
    let language = try language(of: plan)
    let replay = VisitReplay(plan, try LoadedConfiguration(arguments).configuration)
    var verdict = ExitCode.done
    var visits: [Visit] = []
    var summary = RunSummary()
    for path in captures {
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      do {
        var file = try CaptureFile(path)
        let played = try replay.play(&file)
        if let visit = played.visit { visits.append(visit) }
        summary.statistics.reports += played.reports
        summary.statistics.dropped.add(file.capture.drops)
        if !arguments.has(.quiet) { file.remarks.forEach(io.say) }
      } catch let failure as CommandFailure {
        failure.lines.forEach(io.say)
        if verdict == .done { verdict = failure.code }
      }
    }
    guard !visits.isEmpty || verdict == .done else { return verdict }
    let report = VisitReport(
      visits,
      of: plan,
      suppression: arguments.has(.smallCells) ? .everything : .usual,
      language: language
    )
    try write(report)
    if arguments.has(.summary) {
      let line = summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
      try? io.errors.write(line)
    }
    return verdict
  }

  private func language(of plan: Plan) throws -> String? {
    guard let tag = arguments.text(.language) else { return nil }
    guard plan.languages.contains(tag) else {
      let known = plan.languages.joined(separator: ", ")
      throw UsageError("the plan is not written in '\(tag)'; its languages are \(known)")
    }
    return tag
  }

  /// Writes the files asked for; without any, the figures to standard output.
  private func write(_ report: VisitReport) throws {
    let page = arguments.text(.html)
    let table = arguments.text(.csvFile)
    if let page { try write(report.html, to: page) }
    if let table { try write(report.csv, to: table) }
    guard page == nil, table == nil else { return }
    try io.output.write(Array(report.csv.utf8))
  }

  private func write(_ text: String, to path: String) throws {
    let sink: any ByteSink =
      path == "-" ? io.output : FileSink(try FileDescriptor(writing: path))
    try sink.write(Array(text.utf8))
  }
}
