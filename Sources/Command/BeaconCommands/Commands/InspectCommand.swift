// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `inspect`: the contents of a capture.
package struct InspectCommand {
  /// The capture that `inspect` reads.
  private static let file = CommandArgument(
    .file("FILE"),
    "A capture of any format; - is standard input"
  )

  /// `inspect`: the contents of a file.
  package static let command = BeaconctlCommand(
    "inspect",
    "Summarize a capture",
    discussion: [
      "Shows the format, link types, counts, identities, rejections with their reasons, and the"
        + " place of damage; for captures of a sniffer also the RSSI by advertising channel."
    ],
    arguments: [file],
    groups: [
      OptionGroup("Settings", [Options.config]),
      OptionGroup("Output", [Options.reportFormat, Options.summary]),
    ],
    exclusive: Exclusive.verbosity
  ) { arguments, io in
    try InspectCommand(arguments, io: io).run()
  }

  private let path: String
  private let options: OutputOptions
  private let names: NameBook
  private let isTable: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    path = try arguments.required(Self.file)
    options = OutputOptions(arguments)
    names = try LoadedConfiguration(arguments, from: io.configurations).names
    isTable = io.reportFormat(options.format, arguments) == .table
    self.io = io
  }

  /// Reads the capture to its end and prints its contents.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    let file = try CaptureSource([path], .recorded)
    var inspection = CaptureInspection()
    var progress = ProgressLine(io, isWanted: !options.isQuiet, besideData: true)
    while let batch = try file.next() {
      inspection.add(batch)
      progress.show(file.progress)
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
    }
    progress.clear()
    var report = InspectionReport(inspection, of: file, names: names)
    try io.output.write(isTable ? report.table(columns: io.columns) : report.json)
    if options.wantsSummary {
      var summary = RunSummary()
      summary.statistics = inspection.statistics(drops: file.drops)
      try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
    }
    return .done
  }
}

extension CaptureInspection {
  /// The counts that a summary shows.
  fileprivate func statistics(drops: Tally<DropReason>) -> EngineStatistics {
    var statistics = EngineStatistics()
    statistics.reports = reports
    statistics.beaconReports = beaconReports
    statistics.beacons = identities.count
    statistics.rejected = rejected
    statistics.dropped = drops
    return statistics
  }
}
