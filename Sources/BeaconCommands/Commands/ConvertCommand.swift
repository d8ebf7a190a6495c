// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `convert`: one capture format into another.
package struct ConvertCommand {
  /// The capture that `convert` reads.
  private static let input = CommandArgument(
    .file("IN"),
    "The capture to read; - is standard input"
  )
  /// The capture that `convert` writes.
  private static let output = CommandArgument(
    .output("OUT"),
    "The capture to write; - is standard output, with --to"
  )

  /// `convert`: one format into another.
  package static let command = BeaconctlCommand(
    "convert",
    "Convert a capture to another format",
    arguments: [input, output],
    groups: [
      OptionGroup(
        "Output",
        [
          Options.to, Options.force, Options.redact, Options.includeAddresses, Options.summary,
        ]
      )
    ],
    exclusive: Exclusive.verbosity + Exclusive.redaction
  ) { arguments, io in
    try ConvertCommand(arguments, io: io).run()
  }

  private let input: String
  private let output: OutputPath
  private let format: RecordingWriter.Format
  private let includesAddresses: Bool
  private let options: OutputOptions
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    input = try arguments.required(Self.input)
    output = try arguments.required(Self.output)
    guard let format = arguments[Options.to] ?? RecordingWriter.Format(ending: output.path) else {
      throw UsageError(
        "'\(output.path)' has no ending that names a format; say --to btsnoop, pcap or jsonl"
      )
    }
    self.format = format
    includesAddresses = arguments.has(Options.includeAddresses)
    options = OutputOptions(arguments)
    self.io = io
  }

  /// Reads the one and writes the other, batch by batch.
  package func run() throws -> ExitCode {
    let started = io.clock.elapsed
    let file = try CaptureFile(input, .verbatim)
    try io.check([output])
    // Whatever is wrong with the start of the input is told before the output is touched.
    var next = try file.next()
    let sink = try io.open(output)
    var reports = 0
    var writer = RecordingWriter(
      format,
      header: CaptureHeader(
        tool: "beaconctl",
        version: Library.version,
        receivers: (format == .lines ? file.capture.header?.receivers : nil)
          ?? file.capture.receiverNames,
        profile: file.capture.header?.profile,
        isRedacted: file.capture.header?.isRedacted ?? false,
        begun: file.capture.header?.begun,
        piece: file.capture.header?.piece
      ),
      includesAddresses: includesAddresses,
      startingAt: next?.inputs.first?.time ?? .earliest
    )
    var position = 0
    var progress = ProgressLine(
      io,
      isWanted: !options.isQuiet,
      besideData: !output.isStandardOutput
    )
    defer { progress.clear() }
    while let batch = next {
      reports += batch.inputs.count { if case .report = $0 { true } else { false } }
      writer.name(receivers: file.capture.receiverNames)
      append(batch, at: position, with: file.drainUserActionLines(), to: &writer)
      position += batch.inputs.count
      try sink.write(writer.drainBytes())
      progress.show(file.progress)
      if io.isInterrupted() { return Interruption.exitCode ?? .interrupted }
      next = try file.next()
    }
    for line in file.drainUserActionLines() { writer.append(line) }
    try sink.write(writer.drainBytes())
    try sink.commit()
    progress.clear()
    if !options.isQuiet { file.remarks.forEach(io.show) }
    if options.wantsSummary {
      var summary = RunSummary()
      summary.statistics.reports = reports
      summary.statistics.dropped = file.capture.drops
      try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
    }
    return .done
  }

  /// Writes a batch that starts behind some scan inputs, with what users did in between.
  private func append(
    _ batch: ScanBatch,
    at position: Int,
    with userActions: [UserActionLine],
    to writer: inout RecordingWriter
  ) {
    var rest = batch.inputs[...]
    for line in userActions {
      let count = min(max(0, line.scanInputsBefore - position), batch.inputs.count)
      let before = batch.inputs[rest.startIndex..<max(rest.startIndex, count)]
      writer.append(ScanBatch(bytes: batch.bytes, inputs: Array(before)))
      rest = rest[before.endIndex...]
      writer.append(line)
    }
    writer.append(ScanBatch(bytes: batch.bytes, inputs: Array(rest)))
  }
}
