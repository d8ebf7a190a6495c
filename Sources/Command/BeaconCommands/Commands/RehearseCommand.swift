// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconScenarios
internal import SystemKit
internal import BeaconFormats
internal import Beacons

/// `rehearse`: scenario files, and whether the engine delivers the events that they expect.
package struct RehearseCommand {
  /// The scenarios that `rehearse` runs.
  private static let files = CommandArgument(
    .file("FILE"),
    "A scenario file, JSON5",
    repeats: true
  )
  /// The format of verdicts, one a file.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .json]),
    "Output format: table, or json with one object per line"
  )

  /// `rehearse`: scenario files.
  package static let command = BeaconctlCommand(
    "rehearse",
    "Test scenario files: inputs on a timeline and expected events",
    discussion: [
      "Runs each file through its own engine and checks that the engine delivers the events that the file expects;"
        + " exit code 2 if it does not. A failure is shown on its timeline."
    ],
    arguments: [files],
    groups: [OptionGroup("Output", [format])],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl rehearse Fixtures/scenarios/*.json5",
        "Test every scenario of the project"
      )
    ]
  ) { arguments, io in
    try RehearseCommand(arguments, io: io).run()
  }

  private let paths: [String]
  private let isTable: Bool
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) {
    paths = arguments.all(Self.files)
    isTable = arguments[Self.format].map { $0 == .table } ?? true
    self.io = io
  }

  /// Runs every file; one that fails, or cannot be read, does not keep the others from running.
  package func run() throws -> ExitCode {
    var verdict = ExitCode.done
    for path in paths {
      do {
        let scenario = try read(path)
        let result = scenario.run(until: io.isInterrupted)
        if io.isInterrupted() { break }
        if isTable {
          try io.write(table: Self.table(path, result))
        } else {
          try io.output.write(Self.line(path, result))
        }
        if !result.holds, verdict == .done { verdict = .negativeVerdict }
      } catch let failure as CommandFailure {
        failure.lines.forEach(io.show)
        // A file that cannot be read weighs more than an expectation that does not hold.
        if verdict == .done || verdict == .negativeVerdict { verdict = failure.code }
      }
      if io.isInterrupted() { break }
    }
    return io.isInterrupted() ? Interruption.exitCode ?? .interrupted : verdict
  }

  private func read(_ path: String) throws -> Scenario {
    try ParsedFile.read(path) { bytes throws(JSON5Faults) in
      try Scenario(parsing: bytes, settable: io.schema)
    }
  }

  private static func table(_ path: String, _ result: ScenarioResult) -> [String] {
    let count = result.expectationCount
    let expectations = count == 1 ? "1 expectation" : "\(count) expectations"
    guard !result.holds else { return ["ok      \(path)  \(expectations)"] }
    let failures = result.failures.count == 1 ? "1 failure" : "\(result.failures.count) failures"
    return ["failed  \(path)  \(expectations), \(failures): \(result.name)"]
      + result.report.split(separator: "\n").map(String.init)
  }

  private static func line(_ path: String, _ result: ScenarioResult) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("file", path)
    writer.string("name", result.name)
    writer.bool("holds", result.holds)
    writer.integer("expectations", result.expectationCount)
    writer.key("failures")
    writer.beginArray()
    for failure in result.failures {
      writer.beginObject()
      writer.key("line")
      if let line = failure.line { writer.integer(line) } else { writer.null() }
      writer.string("text", failure.text)
      writer.endObject()
    }
    writer.endArray()
    writer.endLine()
    return writer.bytes
  }
}
