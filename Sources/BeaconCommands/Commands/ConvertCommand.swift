// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `convert`: one capture format into another.
package struct ConvertCommand {
  private let input: String
  private let output: String
  private let format: RecordingWriter.Format
  private let includesAddresses: Bool
  private let options: OutputOptions
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    input = arguments.text(BeaconctlGrammar.convertInput) ?? "-"
    output = arguments.text(BeaconctlGrammar.convertOutput) ?? "-"
    // The names of the formats are the endings of their files.
    guard let format = RecordingWriter.Format(ending: arguments.text(.to) ?? output) else {
      throw UsageError(
        "'\(output)' has no ending that names a format; say --to btsnoop, pcap or jsonl"
      )
    }
    self.format = format
    includesAddresses = arguments.has(.includeAddresses)
    options = OutputOptions(arguments)
    self.io = io
  }

  /// Reads the one and writes the other, batch by batch.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    let file = try CaptureFile(input)
    if file.isSame(as: output) {
      throw UsageError("'\(output)' cannot be both read and written")
    }
    // Whatever is wrong with the start of the input is told before the output is touched.
    var next = try file.next()
    let sink: any ByteSink =
      output == "-" ? io.output : FileSink(try FileDescriptor(writing: output))
    var reports = 0
    var writer = RecordingWriter(
      format,
      header: CaptureHeader(
        tool: "beaconctl",
        version: Program.version,
        receivers: file.capture.receiverNames
      ),
      includesAddresses: includesAddresses,
      startingAt: next?.inputs.first?.time ?? .earliest
    )
    while let batch = next {
      reports += batch.inputs.count { if case .report = $0 { true } else { false } }
      writer.append(batch)
      try sink.write(writer.takeBytes())
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      next = try file.next()
    }
    try sink.write(writer.takeBytes())
    if !options.isQuiet { file.remarks.forEach(io.say) }
    if options.wantsSummary {
      var summary = RunSummary()
      summary.statistics.reports = reports
      summary.statistics.dropped = file.capture.drops
      try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
    }
    return .done
  }
}
