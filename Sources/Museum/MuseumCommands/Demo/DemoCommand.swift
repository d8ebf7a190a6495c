// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
internal import SystemKit

/// `demo`: everything with a simulated visitor, without a file, a radio or an answer.
///
/// It runs other commands, and shows each before, so the user can run it again.
package struct DemoCommand {
  /// Runs a command line.
  package typealias Running = @Sendable ([String], CommandIO) async -> ExitCode

  /// The visitor: the same seed gives the same visit.
  private static let seed = "7"
  /// The speed of the demo: a visit of some five minutes takes about half a minute.
  private static let speed = CommandOption(
    "speed",
    .speed,
    "Play at this speed (default: 12x)"
  )

  /// The command.
  ///
  /// - Parameter running: Runs the commands of the demo.
  /// - Returns: The command.
  package static func command(running: @escaping Running) -> BeaconctlCommand {
    BeaconctlCommand(
      "demo",
      "Show all of it with a simulated visitor: no file, no radio",
      discussion: [
        "A visitor walks through a museum: on a terminal first as the list of everything nearby, then with the guide,"
          + " who asks for permission. The visitor allows, refuses in Settings, allows only an approximate location,"
          + " and allows the precise one again; the guide shows each change. q ends a screen.",
        "Then the report of the visit is written; its path is the last line. The plan, the visitor's answers and the"
          + " recording of the visit are in the same new folder.",
      ],
      groups: [OptionGroup("Visit", [speed])],
      exclusive: Exclusive.verbosity,
      examples: [CommandExample("beaconctl demo", "Watch a visit")]
    ) { arguments, io in
      try await DemoCommand(arguments, io: io, running: running).run()
    }
  }

  private let speed: String
  private let io: CommandIO
  private let running: Running

  private init(_ arguments: ParsedArguments, io: CommandIO, running: @escaping Running) {
    speed = arguments[Self.speed].map { $0.factor.map { "\($0)x" } ?? "max" } ?? "12x"
    self.io = io
    self.running = running
  }

  private func run() async throws -> ExitCode {
    let folder = try Folder.makeTemporary(named: "beacons-demo", in: io.environment["TMPDIR"])
    let files = ["plan.json5", "answers.json5", "visit.jsonl", "report.html"]
    let (plan, answers) = ("\(folder)/\(files[0])", "\(folder)/\(files[1])")
    let (visit, report) = ("\(folder)/\(files[2])", "\(folder)/\(files[3])")
    try io.write(Documents.demoPlan, to: OutputPath(plan))
    try io.write(Documents.demoAnswers, to: OutputPath(answers))
    let visitor = ["--plan", plan, "--simulate", Self.seed, "--speed", speed]
    let guide = ["museum"] + visitor + ["--answers", answers, "--record", visit]
    let steps =
      io.terminal == nil
      ? [guide + ["--format", "table", "--time", "relative"]]
      : [["range"] + visitor, guide]
    for step in steps + [["museum", "report", "--plan", plan, "--html", report, visit]] {
      try io.errors.write(Array("\n$ beaconctl \(step.joined(separator: " "))\n".utf8))
      var io = io
      if step.first == "range" { io.screenLeadsTo = "the guide" }
      let code = await running(step, io)
      guard code == .done else { return code }
      // The key that ends a screen ends only that.
      Interruption.forgetEnd()
    }
    io.show("the report of the visit; open it in a browser:")
    try io.output.write(Array("\(report)\n".utf8))
    return .done
  }
}
