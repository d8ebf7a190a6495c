// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconFormats
internal import Beacons

/// The program: understands a command line and runs what it asks for.
package enum Program {
  /// The version, by semantic versioning.
  package static let version = Library.version

  /// Runs the command that some arguments, without the program's own name, ask for.
  package static func run(_ arguments: [String], io: CommandIO) -> ExitCode {
    do {
      let parser = CommandLineParser(BeaconctlGrammar.root)
      switch try parser.parse(arguments) {
      case .help(let path):
        try io.output.write(Array(HelpText.render(path).utf8))
      case .version: try io.output.write(Array("beaconctl \(version)\n".utf8))
      case .run(let arguments): return try run(arguments, io: io)
      }
      return .done
    } catch let error as UsageError {
      io.say(error.description)
      return .usage
    } catch let failure as CommandFailure {
      failure.lines.forEach(io.say)
      return failure.code
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      let failure = CommandFailure(error)
      failure.lines.forEach(io.say)
      return failure.code
    } catch {
      io.say("a bug in beaconctl: \(error)")
      return .software
    }
  }

  private static func run(_ arguments: ParsedArguments, io: CommandIO) throws -> ExitCode {
    switch arguments.path.names {
    case ["scan"]: return try run(RunOptions(arguments), .sightings, io: io)
    case ["range"]: return try run(RunOptions(arguments), .ranging, io: io)
    case ["monitor"]: return try run(RunOptions(arguments, needing: .region), .monitoring, io: io)
    case ["record"]: return try Live(RunOptions(recording: arguments), nil, io: io).run()
    case ["inspect"]: return try InspectCommand(arguments, io: io).run()
    case ["decode"]:
      var command = DecodeCommand(arguments, io: io)
      return try command.run()
    case ["convert"]: return try ConvertCommand(arguments, io: io).run()
    case ["rehearse"]: return try RehearseCommand(arguments, io: io).run()
    case ["museum", "guide"]: return try MuseumGuideCommand(arguments, io: io).run()
    case ["museum", "serve"]: return try MuseumServeCommand(arguments, io: io).run()
    case ["museum", "plan", "new"]: return try PlanNewCommand(arguments, io: io).run()
    case ["museum", "plan", "check"]: return try PlanCheckCommand(arguments, io: io).run()
    case ["museum", "simulate"]: return try MuseumSimulateCommand(arguments, io: io).run()
    case ["museum", "report"]: return try MuseumReportCommand(arguments, io: io).run()
    case ["calibrate"]: return try CalibrateCommand(arguments, io: io).run()
    case ["auth", "status"]: return try AuthCommand(arguments, io: io).status()
    case ["auth", "set"]: return try AuthCommand(arguments, io: io).set()
    case ["auth", "precise"]: return try AuthCommand(arguments, io: io).precise()
    case ["auth", "services"]: return try AuthCommand(arguments, io: io).services()
    case ["auth", "reset"]: return try AuthCommand(arguments, io: io).reset()
    case ["config", "list"]: return try ConfigCommand(arguments, io: io).list()
    case ["config", "show"]: return try ConfigCommand(arguments, io: io).show()
    case ["config", "check"]: return try ConfigCommand(arguments, io: io).check()
    case ["doctor"]: return try DoctorCommand(arguments, io: io).run()
    case ["completion"]: return try completion(arguments, io: io)
    case ["manual"]:
      let page = ManualPage.render(BeaconctlGrammar.root, version: version)
      try io.output.write(Array(page.utf8))
      return .done
    case let names: throw CommandFailure(.software, "no code for '\(names.joined(separator: " "))'")
    }
  }

  private static func run(
    _ options: RunOptions,
    _ kind: EventTableWriter.Kind,
    io: CommandIO
  ) throws -> ExitCode {
    options.captures.isEmpty
      ? try Live(options, kind, io: io).run() : try Replay(options, kind, io: io).run()
  }

  private static func completion(_ arguments: ParsedArguments, io: CommandIO) throws -> ExitCode {
    let shell = arguments.text(BeaconctlGrammar.completionShell).flatMap(Shell.init)
    try io.output.write(Array((shell ?? .bash).completion(of: BeaconctlGrammar.root).utf8))
    return .done
  }
}
