// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import BeaconTerminal
internal import Beacons

/// `museum report`: a report of visits from their recordings.
package struct MuseumReportCommand {
  /// The captures that `museum report` reads.
  private static let files = CommandArgument(
    .file("CAPTURE"),
    "A recording of one visit, of any format",
    repeats: true
  )
  /// Shows figures about few visitors.
  private static let smallCells = CommandFlag(
    "small-cells",
    "Also show figures about few visitors; for one visit everything is shown"
  )
  /// The page to write.
  private static let html = CommandOption("html", .output("FILE"), "Write the report to this page")
  /// The table to write.
  private static let csvFile = CommandOption(
    "csv",
    .output("FILE"),
    "Write the table of exhibits to this file, comma-separated"
  )

  /// The format of the figures.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .jsonl, .csv, .none]),
    "Print the figures of the exhibits so: table on a terminal, else jsonl; none prints nothing"
  )

  /// `museum report`: a report of visits.
  static let command = BeaconctlCommand(
    "report",
    "Make a report of visits from their recordings",
    discussion: [
      "Replays every recording with the guide, and reports the visitors' places: as a"
        + " page that needs no network and no script, and as comma-separated values. Without either"
        + " file the figures are printed: as a table on a terminal, into a pipe as JSON Lines unless"
        + " --format or 'output.piped' of the configuration chooses otherwise."
    ],
    arguments: [files],
    groups: [
      OptionGroup("Visits", [MuseumOptions.plan, MuseumOptions.language, smallCells]),
      .settings,
      OptionGroup("Output", [html, csvFile, format, Options.force, Options.summary]),
    ],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl museum report --plan museum.json5 --html report.html visit.btsnoop",
        "Make a page about one visit"
      )
    ]
  ) { arguments, io in
    try MuseumReportCommand(arguments, io: io).run()
  }

  private let arguments: ParsedArguments
  private let captures: [String]
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.arguments = arguments
    self.io = io
    captures = arguments.all(Self.files)
  }

  /// Replays all recordings, one after another, and writes the report.
  ///
  /// A recording that cannot be read is reported and left out; the report covers the others.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    try io.check([arguments[Self.html], arguments[Self.csvFile]].compactMap { $0 })
    let plan = try PlanFile.read(arguments)
    let language = try plan.language(named: arguments)
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    let replay = VisitReplay(
      plan,
      loaded.configuration,
      rules: GuideConfiguration(loaded.settings)
    )
    var verdict = ExitCode.done
    var visits = DistinctVisits()
    var summary = RunSummary()
    let (captures, repeated) = CaptureSource.distinct(self.captures)
    repeated.forEach(io.show)
    for path in captures {
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      do {
        var file = try CaptureSource([path], timing: loaded.configuration.timing)
        let (played, isOfVisitor) = try play(&file, replay, plan)
        let name = WholeFile.name(path)
        let others = visits.add(played, named: name, isOfVisitor: isOfVisitor)
        let shown = CaptureSource.mostRemarks - (visits.copies - others.count)
        for other in others.prefix(max(0, shown)) {
          io.show("\(name) is a recording of the same visit as \(other); the visit counts once")
        }
        if let visit = played.visit, others.isEmpty {
          if let remark = visit.spanRemark { io.show("\(path): \(remark)") }
          Self.remarks(on: visit).forEach { io.show("\(path): \($0)") }
          if played.planReports == 0 { io.show("\(path): \(Self.absence(visit, of: plan))") }
        }
        summary.statistics.reports += played.reports
        summary.statistics.dropped.add(file.drops)
        if !arguments.has(Options.quiet) { file.remarks.forEach(io.show) }
      } catch {
        guard let failure = CommandFailure(reading: error) else { throw error }
        failure.lines.forEach(io.show)
        if verdict == .done { verdict = failure.code }
      }
    }
    remark(onFurther: visits.copies - CaptureSource.mostRemarks)
    guard !visits.visits.isEmpty || verdict == .done else { return verdict }
    let report = VisitReport(
      visits.visits,
      of: plan,
      from: captures.count - visits.copies,
      suppression: arguments.has(Self.smallCells) ? .everything : .usual,
      language: language,
      zone: io.localZone
    )
    try write(report, piped: loaded.pipedFormat)
    if verdict == .done, visits.planReports == 0 { verdict = .negativeVerdict }
    if arguments.has(Options.summary) {
      let line = summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
      try? io.errors.write(line)
    }
    return verdict
  }

  private func remark(onFurther copies: Int) {
    guard copies > 0 else { return }
    io.show("and \(copies) more recordings of visits that others have; each visit counts once")
  }

  /// Replays a recording as its visitor permitted; one without actions of a visitor belongs to the operator.
  ///
  /// - Returns: The visit, and whether the recording has actions of a visitor.
  private func play(
    _ file: inout CaptureSource,
    _ replay: VisitReplay,
    _ plan: Plan
  ) throws -> (played: VisitReplay.Played, isOfVisitor: Bool) {
    let client = RunClient(
      name: RunOptions.guideName,
      manifest: plan.manifest.manifest(in: plan.languages.first ?? "en")
    )
    let grants = ClientGrants(
      client,
      nil,
      io: io,
      isLive: false,
      showsLimits: false,
      asking: .view
    ) {}
    let user = RecordedUserActions(file, grants, hasAnswers: false, isForAnyClient: true)
    let played = try replay.play(
      &file,
      by: user,
      connecting: { user.knowsClient ? grants.connect(to: &$0) : $0.driver?.connect() }
    ) {
      guard io.isInterrupted() else { return }
      throw CommandFailure(Interruption.exitCode ?? .interrupted, [])
    }
    return (played, user.knowsClient)
  }

  /// Sentences about the times of which nothing is known.
  private static func remarks(on visit: Visit) -> [String] {
    [
      (Visit.Gap.Reason.notAllowed, "The visitor did not allow the guide to know the place for"),
      (.unheard, "Nothing was received for"),
    ].compactMap { reason, text in
      let seconds = visit.unknown(reason)
      return seconds > 0 ? "\(text) \(Int(seconds.rounded())) s, which the report leaves out" : nil
    }
  }

  /// Returns rows as lines of columns that are as wide as their widest cell; names are left, figures right.
  ///
  /// Where lines would be wider than `columns`, columns move closer together, then the widest names are cut.
  static func lines(_ rows: [[String]], columns: Int = .max) -> [String] {
    let names = 3
    var widths = (rows.first ?? []).indices.map { column in
      rows.map { column < $0.count ? CellWidth.of($0[column]) : 0 }.max() ?? 0
    }
    let cells = widths.reduce(0, +)
    let gap = cells + 2 * (widths.count - 1) > columns ? 1 : 2
    var excess = columns == .max ? 0 : cells + gap * (widths.count - 1) - columns
    while excess > 0,
      let widest = widths.indices.prefix(names).max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.shortestName
    {
      widths[widest] -= 1
      excess -= 1
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        var cell = cell
        if CellWidth.of(cell) > widths[column] {
          while CellWidth.of(cell) >= widths[column] { cell.removeLast() }
          cell += "~"
        }
        let space = String(repeating: " ", count: max(0, widths[column] - CellWidth.of(cell)))
        return column < names ? cell + space : space + cell
      }
      return cells.joined(separator: String(repeating: " ", count: gap))
    }
  }

  private static let shortestName = 6

  /// The beacons of a recording in place of the plan's.
  private static func absence(_ visit: Visit, of plan: Plan) -> String {
    let held = BeaconCensus(visit.strangers.map(\.identity)).text(lookingFor: plan.constraint)
    return "has no beacon of the plan, whose UUID is \(UUIDText.string(plan.uuid)); it has \(held);"
      + " give a recording of a visit to this museum, or with --plan the plan of the other one"
  }

  /// Writes the files asked for; without any, or if a format is asked for, the figures to standard output.
  private func write(_ report: VisitReport, piped: OutputFormat?) throws {
    let page = arguments[Self.html]
    let table = arguments[Self.csvFile]
    if let page { try io.write(report.html, to: page) }
    if let table { try io.write(report.csv, to: table) }
    let asked = arguments[Self.format]
    guard asked != nil || page == nil && table == nil else { return }
    switch asked ?? (io.output.isTerminal ? .table : piped ?? .jsonl) {
    case .table:
      let columns = io.output.isTerminal ? io.columns : Int.max
      try io.write(table: Self.lines(report.rows, columns: columns))
    case .json, .jsonl: try io.output.write(report.jsonLines)
    case .csv: try io.output.write(Array(report.csv.utf8))
    case .none: break
    }
  }
}
