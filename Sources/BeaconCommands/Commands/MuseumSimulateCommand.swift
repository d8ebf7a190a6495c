// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Beacons

/// `museum simulate`: visits through a plan, as captures, with their ground truth.
package struct MuseumSimulateCommand {
  private let arguments: ParsedArguments
  private let output: String
  private let format: RecordingWriter.Format
  private let visitors: Int
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    self.arguments = arguments
    self.io = io
    output = arguments.text(BeaconctlGrammar.simulateOutput) ?? "-"
    visitors = arguments.integer(.visitors) ?? 1
    guard let format = RecordingWriter.Format(ending: arguments.text(.to) ?? output) else {
      throw UsageError(
        "'\(output)' has no ending that names a format; say --to btsnoop, pcap or jsonl"
      )
    }
    self.format = format
    if output == "-", visitors > 1 {
      throw UsageError("several visitors do not fit on standard output; name a file")
    }
  }

  /// Simulates the day and writes a capture a visitor.
  package func run() throws -> ExitCode {
    let plan = try PlanFile.read(arguments)
    let day: SimulatedDay
    let radio: RadioSite
    do {
      (day, radio) = try simulate(plan)
    } catch let failure as SimulatedSite.Failure {
      throw CommandFailure(.badData, "\(arguments.text(.plan) ?? "the plan"): \(failure)")
    }
    let crowd = day.visitors.count > 1 ? CrowdTable(day) : nil
    let truth = try arguments.text(.truth).map { FileSink(try FileDescriptor(writing: $0)) }
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
    if arguments.has(.summary) {
      let line = summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
      try? io.errors.write(line)
    }
    return .done
  }

  private func simulate(_ plan: Plan) throws -> (SimulatedDay, RadioSite) {
    let constants = try SimulationConstants()
    var link = try LinkModel(constants)
    var reception = try ReceptionModel(constants)
    if let share = arguments.number(.delivered) { reception.delivered = share }
    if let people = arguments.number(.bystanders) { link.bystanders = people }
    if let on = arguments.span(.listen), let off = arguments.span(.pause) {
      reception.duty = (on: on.seconds, off: off.seconds)
    }
    reception.isStale = arguments.has(.staleRSSI)
    let seed = UInt64(arguments.integer(.seed) ?? 1)
    let site = try SimulatedSite(plan, power: link.powerAtOneMeter)
    let day = SimulatedDay(site, try VisitorModel(constants), visitors: visitors, seed: seed)
    return (day, RadioSite(site, link, reception, seed: seed))
  }

  /// The file of a visitor: with a number before the ending, as wide as the last needs.
  private func path(of visitor: Int) -> String {
    guard visitors > 1 else { return output }
    let width = String(visitors).count
    let digits = String(visitor)
    let number = String(repeating: "0", count: width - digits.count) + digits
    let folder = output.lastIndex(of: "/").map(output.index(after:)) ?? output.startIndex
    guard let dot = output[folder...].lastIndex(of: "."), dot > folder else {
      return "\(output)-\(number)"
    }
    return "\(output[..<dot])-\(number)\(output[dot...])"
  }

  /// Writes what a visitor's receiver heard and returns how many reports that were.
  private func write(
    _ scan: VisitScan,
    startingAt start: Timestamp,
    to path: String
  ) throws -> Int {
    let sink: any ByteSink =
      path == "-" ? io.output : FileSink(try FileDescriptor(writing: path))
    var scan = scan
    var reports = 0
    var end = start
    var writer = RecordingWriter(
      format,
      header: CaptureHeader(tool: "beaconctl", version: Program.version, receivers: ["sim0"]),
      includesAddresses: true,
      startingAt: start
    )
    while let batch = scan.next() {
      for input in batch.inputs {
        if case .report = input { reports += 1 }
        end = input.time
      }
      writer.append(batch)
      try sink.write(writer.takeBytes())
    }
    writer.end(at: end)
    try sink.write(writer.takeBytes())
    return reports
  }

  private func write(_ truth: GroundTruth, to sink: FileSink) throws {
    var truth = truth
    while true {
      let lines = truth.nextLines()
      guard !lines.isEmpty else { return }
      try sink.write(lines)
    }
  }
}
