// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFleet
internal import BeaconFormats
internal import Beacons
internal import BeaconMuseum
internal import SystemKit

/// `site health`: the faults of beacons that stay in their places, and with the receivers.
package struct FleetCommand {
  /// The plan whose beacons are the fleet.
  private static let plan = CommandOption(
    "plan",
    .file("FILE"),
    "The beacons of this museum plan belong to the fleet"
  )
  /// The beacons that belong to the fleet.
  private static let beacons = Options.beacons(
    "Beacons that satisfy this identity constraint belong to the fleet"
  )
  /// Shows past findings as well.
  private static let all = CommandFlag("all", "Show also what is no longer wrong")

  /// `site health`: the health of a fleet.
  package static let command = BeaconctlCommand(
    "health",
    "Find what is wrong with your beacons and receivers",
    discussion: [
      "Reads what fixed receivers recorded in days or weeks, and compares each beacon with what was usual for it:"
        + " missing beacons, changed intervals and levels, copies of a beacon, unknown identities,"
        + " receivers that are deaf or whose clock is wrong. The worst comes first.",
      "Your beacons are those with a name in the configuration, those of --plan, and those of --beacon."
        + " Exit code 2 if something is wrong.",
    ],
    groups: [
      OptionGroup("Source", usage: "[SOURCE]", [Options.from]),
      OptionGroup("Beacons", [beacons, plan]), OptionGroup("Settings", [Options.config]),
      OptionGroup("Output", [all, Options.reportFormat, Options.time]),
    ],
    required: [Options.from],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl site health --from 'hall.jsonl*' --from 'cellar.jsonl*' --plan museum.json5",
        "Find out which exhibits have lost their beacon"
      )
    ]
  ) { arguments, io in
    try FleetCommand(arguments, io: io).run()
  }

  private let captures: [String]
  private let roster: FleetRoster
  private let calibration: Calibration
  private let names: EventNames
  private let showsAll: Bool
  private let isTable: Bool
  private let isQuiet: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    captures = try arguments.captures()
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    calibration = loaded.configuration.ranging.calibration
    var book = loaded.names
    var listed = book.entries.map(\.identity)
    if let path = arguments[Self.plan] {
      let plan = try ParsedFile.read(path, Plan.init(reading:))
      listed += plan.exhibits.map(\.identity)
      for exhibit in plan.exhibits where book[exhibit.identity] == nil {
        book[exhibit.identity] = exhibit.title[plan.languages.first ?? ""]
      }
    }
    roster = FleetRoster(listed, arguments.all(Self.beacons))
    guard !roster.isEmpty else {
      throw UsageError.missing(
        ["--plan FILE", "--beacon UUID[/MAJOR[/MINOR]]"],
        in: arguments.programName,
        joinedBy: "or",
        hint:
          "beacons that have names in the configuration ('beaconctl name') belong to the fleet, too"
      )
    }
    names = EventNames(
      timeStyle: arguments[Options.time] ?? .local,
      zone: io.localZone,
      book: book,
      start: .earliest
    )
    showsAll = arguments.has(Self.all)
    isTable = io.reportFormat(arguments[Options.reportFormat], arguments) == .table
    isQuiet = arguments.has(Options.quiet)
    self.io = io
  }

  /// Reads the captures to their end, and writes the fault.
  package func run() throws -> ExitCode {
    let captures = try CaptureSource(captures)
    var health = FleetHealth(roster, calibration)
    var progress = ProgressLine(io, isWanted: !isQuiet, besideData: true)
    while let batch = try captures.next() {
      health.add(batch)
      progress.show(captures.progress)
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
    }
    progress.clear()
    if !isQuiet {
      captures.remarks.forEach(io.show)
      if health.ignored > 0 {
        io.show(
          "\(health.ignored) reports were left out: at most \(FleetHealth.beaconLimit) beacons and"
            + " \(FleetHealth.receiverLimit) receivers are followed"
        )
      }
      if health.counts.received == 0 { io.show("no beacon of the list was received") }
    }
    let report = FleetReport(health, receivers: captures.receiverNames, names, showsAll: showsAll)
    if isTable {
      try io.write(table: report.table)
    } else {
      try io.output.write(report.json)
    }
    return health.findings.isEmpty && health.counts.received > 0 ? .done : .negativeVerdict
  }
}
