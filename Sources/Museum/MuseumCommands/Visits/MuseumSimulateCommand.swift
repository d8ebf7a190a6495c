// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons

/// `museum simulate`: simulated visits to a plan's museum, as captures with their ground truth.
package struct MuseumSimulateCommand {
  /// The capture that `museum simulate` writes.
  private static let file = CommandArgument(
    .output("OUT"),
    "The capture to write; with several visitors, each file name gets a number"
  )
  /// The seed of all random numbers of a simulation.
  private static let seed = CommandOption(
    "seed",
    .integer("SEED", 0...Int.max),
    "The seed (default: 1)"
  )
  /// The number of visitors.
  private static let visitors = CommandOption(
    "visitors",
    .integer("N", 1...5000),
    "Simulate this many visitors in a day (default: 1)"
  )
  /// The file for the ground truth.
  private static let truth = CommandOption(
    "truth",
    .output("FILE"),
    "Write the true positions to this file, ten times a second, as JSON Lines"
  )
  /// The share of packets that are received.
  private static let delivered = CommandOption(
    "delivered",
    .number("SHARE", 0.01...1),
    "The share of strong packets that are received (default: \(ReceptionModel().delivered))"
  )
  /// People without a receiver.
  private static let bystanders = CommandOption(
    "bystanders",
    .number("N", 0...5),
    "Other people per square meter (default: 0)"
  )
  /// How long the receiver listens without a pause.
  private static let listen = CommandOption(
    "listen",
    .duration,
    "Let the receiver listen for this long at a time (default: always)",
    needs: ["pause"]
  )
  /// How long the receiver pauses in between.
  private static let pause = CommandOption(
    "pause",
    .duration,
    "Let the receiver pause for this long in between",
    needs: ["listen"]
  )
  /// RSSI as BlueZ reports it to a client without RSSI in its filter.
  private static let staleRSSI = CommandFlag(
    "stale-rssi",
    "Report RSSI as BlueZ without an RSSI filter: only changes of 8 dB and more"
  )

  /// `museum simulate`: simulated visits.
  static let command = BeaconctlCommand(
    "simulate",
    "Simulate visits: captures and their true positions",
    discussion: [
      "Visitors behave as published studies describe, each with a receiver; a capture contains what"
        + " that receiver got. The same plan and seed give the same bytes on every machine."
    ],
    arguments: [file],
    groups: [
      OptionGroup("Visits", [MuseumOptions.plan, seed, visitors, truth]),
      OptionGroup("Radio", [delivered, bystanders, listen, pause, staleRSSI]),
      OptionGroup("Output", [Options.to, Options.force, Options.summary]),
    ],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl museum simulate --plan museum.json5 --truth t.jsonl visit.btsnoop",
        "Simulate one visit, with its true positions"
      )
    ]
  ) { arguments, io in
    try MuseumSimulateCommand(arguments, io: io).run()
  }

  private let arguments: ParsedArguments
  private let output: OutputPath
  private let format: RecordingWriter.Format
  private let visitors: Int
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.arguments = arguments
    self.io = io
    output = try arguments.required(Self.file)
    visitors = arguments[Self.visitors] ?? 1
    guard let format = arguments[Options.to] ?? RecordingWriter.Format(ending: output.path) else {
      throw UsageError(
        "'\(output.path)' has no ending that names a format; use --to btsnoop, pcap or jsonl"
      )
    }
    self.format = format
    if output.isStandardOutput, visitors > 1 {
      throw UsageError("several visitors do not fit on standard output; name a file")
    }
  }

  /// Simulates the day and writes a capture for each visitor.
  package func run() throws -> ExitCode {
    try io.check((1...visitors).map(path) + [arguments[Self.truth]].compactMap { $0 })
    let plan = try PlanFile.read(arguments)
    let day: SimulatedDay
    let radio: RadioSite
    do {
      (day, radio) = try simulate(plan)
    } catch let failure as SimulatedSite.Failure {
      throw CommandFailure(.badData, "\(arguments[MuseumOptions.plan] ?? "the plan"): \(failure)")
    }
    let crowd = day.visitors.count > 1 ? CrowdTable(day, isCancelled: io.isInterrupted) : nil
    if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
    let truth = try arguments[Self.truth].map { try io.open($0) }
    var summary = RunSummary()
    let started = io.clock.elapsed
    for visitor in day.visitors {
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      summary.statistics.reports += try write(
        VisitScan(radio, day, visitor, crowd: crowd),
        startingAt: day.start + TimeSpan(seconds: visitor.path.start),
        to: path(of: visitor.number)
      )
      try truth.map { try write(GroundTruth(day, visitor), to: $0) }
    }
    try truth?.commit()
    if arguments.has(Options.summary) {
      let line = summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
      try? io.errors.write(line)
    }
    return .done
  }

  private func simulate(_ plan: Plan) throws -> (SimulatedDay, RadioSite) {
    var link = LinkModel()
    var reception = ReceptionModel()
    if let share = arguments[Self.delivered] { reception.delivered = share }
    if let people = arguments[Self.bystanders] { link.bystanders = people }
    if let on = arguments[Self.listen], let off = arguments[Self.pause] {
      reception.duty = (on: on.seconds, off: off.seconds)
    }
    reception.isStale = arguments.has(Self.staleRSSI)
    let seed = UInt64(arguments[Self.seed] ?? 1)
    let site = try SimulatedSite(plan, power: link.powerAtOneMeter)
    let day = SimulatedDay(
      site,
      VisitorModel(),
      visitors: visitors,
      seed: seed,
      isCancelled: io.isInterrupted
    )
    return (day, RadioSite(site, link, reception, seed: seed))
  }

  /// Returns the file of a visitor: with the visitor's number before the ending, padded to the width of the last
  /// number.
  private func path(of visitor: Int) -> OutputPath {
    guard visitors > 1 else { return output }
    let output = output.path
    let width = String(visitors).count
    let digits = String(visitor)
    let number = String(repeating: "0", count: width - digits.count) + digits
    let folder = output.lastIndex(of: "/").map(output.index(after:)) ?? output.startIndex
    guard let dot = output[folder...].lastIndex(of: "."), dot > folder else {
      return OutputPath("\(output)-\(number)")
    }
    return OutputPath("\(output[..<dot])-\(number)\(output[dot...])")
  }

  /// Writes the reports of a visitor's receiver and returns their number.
  private func write(
    _ scan: VisitScan,
    startingAt start: Timestamp,
    to path: OutputPath
  ) throws -> Int {
    let sink = try io.open(path)
    var scan = scan
    var reports = 0
    var end = start
    var writer = RecordingWriter(
      format,
      header: CaptureHeader(tool: "beaconctl", version: Library.version, receivers: ["sim0"]),
      includesAddresses: true,
      startingAt: start
    )
    while let batch = scan.next() {
      if io.isInterrupted() { throw CommandFailure(Interruption.exitCode ?? .interrupted, []) }
      for input in batch.inputs {
        if case .report = input { reports += 1 }
        end = input.time
      }
      writer.append(batch)
      try sink.write(writer.drainBytes())
    }
    writer.end(at: end)
    try sink.write(writer.drainBytes())
    try sink.commit()
    return reports
  }

  private func write(_ truth: GroundTruth, to sink: any ByteSink) throws {
    var truth = truth
    while true {
      let lines = truth.nextLines()
      guard !lines.isEmpty else { return }
      try sink.write(lines)
    }
  }
}
