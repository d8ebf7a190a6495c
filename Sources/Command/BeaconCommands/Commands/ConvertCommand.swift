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
    "Convert a capture to another format, or cut a span out of it",
    discussion: [
      "The ending of OUT decides: .jsonl, .btsnoop and .pcap are captures; .csv and .json are tables of the iBeacon reports,"
        + " as 'scan' prints them."
    ],
    arguments: [input, output],
    groups: [
      OptionGroup("Span", [Options.since, Options.until]),
      OptionGroup(
        "Output",
        [
          Options.to, Options.force, Options.includeAddresses, Options.summary,
        ]
      ),
    ],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl convert day.jsonl rest.jsonl --since 2026-05-02T10:00:00Z",
        "Keep the part from 10 o'clock on"
      ),
      CommandExample("beaconctl convert day.btsnoop day.csv", "Write the reports as a table"),
    ]
  ) { arguments, io in
    if let run = try Self.table(arguments, io) {
      return try await EventRun.run(run, .sightings, io: io)
    }
    var command = try ConvertCommand(arguments, io: io)
    return try command.run()
  }

  /// The run that writes the reports as a table; `nil` if a capture is to be written.
  private static func table(_ arguments: ParsedArguments, _ io: CommandIO) throws -> RunOptions? {
    let output = try arguments.required(output)
    guard arguments[Options.to] == nil, let format = OutputFormat(ending: output.path),
      format != .jsonl
    else { return nil }
    let loaded = try LoadedConfiguration(arguments, from: io.configurations)
    var options = RunOptions()
    options.captures = [try arguments.required(input)]
    (options.configuration, options.names) = (loaded.configuration, loaded.names)
    let span = MomentSpan(arguments)
    options.span = span.isAll ? nil : span
    options.output = OutputOptions(arguments)
    options.output.format = OutputFormat.none
    options.output.further = [OutputOptions.Further(format: format, file: output)]
    return options
  }

  private let input: String
  private let output: OutputPath
  private let format: RecordingWriter.Format
  private let includesAddresses: Bool
  private let options: OutputOptions
  private let chosen: MomentSpan
  private var since: Timestamp?
  private var until: Timestamp?
  /// What cuts the span; `nil` where everything is kept.
  private var cut: RecordingCut?
  private var reports = 0
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) throws {
    input = try arguments.required(Self.input)
    output = try arguments.required(Self.output)
    guard let format = arguments[Options.to] ?? RecordingWriter.Format(ending: output.path) else {
      throw UsageError(
        "'\(output.path)' has no ending that names a format: use .jsonl, .btsnoop, .pcap, .csv or .json, or --to"
      )
    }
    self.format = format
    includesAddresses = arguments.has(Options.includeAddresses)
    options = OutputOptions(arguments)
    chosen = MomentSpan(arguments)
    self.io = io
  }

  /// Reads the one and writes the other, batch by batch.
  package mutating func run() throws -> ExitCode {
    let started = io.clock.elapsed
    try io.check([output])
    let file = try CaptureSource([input], .verbatim)
    // A fault at the start of the input is reported before the output is touched.
    var next = try file.next()
    if !chosen.isAll {
      chosen.showUnknownZone(io)
      let span = try chosen.range(io, start: next?.inputs.first?.time ?? .earliest)
      since = span.lowerBound > .earliest ? span.lowerBound : nil
      until = span.upperBound < .latest ? span.upperBound : nil
      cut = RecordingCut(since: since, until: until, header: file.captures[0].header)
    }
    let sink = try io.open(output)
    let start = next?.inputs.first?.time ?? .earliest
    var writer = RecordingWriter(
      format,
      header: header(of: file, startingAt: start),
      includesAddresses: includesAddresses,
      startingAt: max(since ?? .earliest, start)
    )
    var position = 0
    var progress = ProgressLine(
      io,
      isWanted: !options.isQuiet,
      besideData: !output.isStandardOutput
    )
    defer { progress.clear() }
    while let batch = next {
      writer.name(receivers: file.receiverNames)
      append(batch, at: position, with: file.drainUserActionLines(), to: &writer)
      position += batch.inputs.count
      try sink.write(writer.drainBytes())
      progress.show(file.progress)
      if io.isInterrupted() {
        // The packets of a stream would be lost; a file can be converted again.
        if !RunOptions.canReadAgain(input) { try sink.commit() }
        return Interruption.exitCode ?? .interrupted
      }
      next = try file.next()
    }
    for line in file.drainUserActionLines() { append(line, to: &writer) }
    try refuseEmptySpan()
    // The source continued beyond the span, so it was listening until its end.
    if let until, cut?.hasLater ?? false { writer.end(at: until) }
    try sink.write(writer.drainBytes())
    try sink.commit()
    progress.clear()
    if !options.isQuiet { (file.remarks + cutRemarks).forEach(io.show) }
    if options.wantsSummary {
      var summary = RunSummary()
      summary.statistics.reports = reports
      summary.statistics.dropped = file.drops
      try? io.errors.write(summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now))
    }
    return .done
  }

  /// The description of the output; a part of a recording stays that part, whatever was cut off.
  private func header(of file: CaptureSource, startingAt start: Timestamp) -> CaptureHeader {
    let header = file.captures[0].header
    return CaptureHeader(
      tool: "beaconctl",
      version: Library.version,
      receivers: (format == .lines ? header?.receivers : nil) ?? file.receiverNames,
      profile: header?.profile,
      isRedacted: header?.isRedacted ?? false,
      begun: header?.begun,
      piece: header?.piece,
      offsets: header?.offsets ?? [:],
      isCut: header?.isCut ?? false || since.map { start < $0 } ?? false
    )
  }

  private func refuseEmptySpan() throws {
    guard let cut, cut.kept == 0 else { return }
    let span = cut.bounds.map {
      "; the capture is from \(RFC3339.string($0.lowerBound)) to \(RFC3339.string($0.upperBound))"
    }
    throw CommandFailure(
      .badData,
      "\(WholeFile.name(input)): nothing lies in that span\(span ?? "")"
    )
  }

  /// Notes for a user on a span.
  private var cutRemarks: [String] {
    guard let cut else { return [] }
    guard cut.actionsBefore > 0, format == .lines else { return [] }
    return [
      "\(WholeFile.name(input)): what users did before --since is left out;"
        + " clients start with the grants that the recording states before it, as Settings changed them"
    ]
  }

  private mutating func append(_ line: UserActionLine, to writer: inout RecordingWriter) {
    guard let elements = cut?.add(line) else { return writer.append(line) }
    append(elements, of: [], to: &writer)
  }

  private mutating func append(_ batch: ScanBatch, to writer: inout RecordingWriter) {
    guard cut != nil else {
      reports += batch.inputs.count { if case .report = $0 { true } else { false } }
      return writer.append(batch)
    }
    append(batch.inputs.flatMap { cut?.add($0) ?? [] }, of: batch.bytes, to: &writer)
  }

  /// Writes the inputs of the span.
  private mutating func append(
    _ elements: [RecordingCut.Element],
    of bytes: [UInt8],
    to writer: inout RecordingWriter
  ) {
    var inputs: [ScanInput] = []
    func flush() {
      if !inputs.isEmpty { writer.append(ScanBatch(bytes: bytes, inputs: inputs)) }
      inputs = []
    }
    for element in elements {
      switch element {
      case .input(let input):
        inputs.append(input)
        if case .report = input { reports += 1 }
      case .line(let line):
        flush()
        writer.append(line)
      }
    }
    flush()
  }

  /// Writes a batch that starts behind some scan inputs, with users' actions in between.
  private mutating func append(
    _ batch: ScanBatch,
    at position: Int,
    with userActions: [UserActionLine],
    to writer: inout RecordingWriter
  ) {
    var rest = batch.inputs[...]
    for line in userActions {
      let count = min(max(0, line.scanInputsBefore - position), batch.inputs.count)
      let before = batch.inputs[rest.startIndex..<max(rest.startIndex, count)]
      append(ScanBatch(bytes: batch.bytes, inputs: Array(before)), to: &writer)
      rest = rest[before.endIndex...]
      append(line, to: &writer)
    }
    append(ScanBatch(bytes: batch.bytes, inputs: Array(rest)), to: &writer)
  }
}
