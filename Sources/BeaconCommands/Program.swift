// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Beacons

/// The program: understands a command line and runs what it asks for.
package enum Program {
  /// The version, by semantic versioning.
  package static let version = "0.1.0"

  /// Runs the command that some arguments, without the program's own name, ask for.
  package static func run(_ arguments: [String], io: CommandIO) -> ExitCode {
    do {
      switch try CommandLineParser(BeaconctlGrammar.root).parse(arguments) {
      case .help(let path): try io.output.write(Array(HelpText.render(path).utf8))
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
      io.say(error.description)
      return .failed
    } catch {
      io.say("a bug in beaconctl: \(error)")
      return .software
    }
  }

  private static func run(_ arguments: ParsedArguments, io: CommandIO) throws -> ExitCode {
    switch arguments.path.names {
    case ["scan"]: try Replay(ReplayOptions(arguments), .sightings, io: io).run()
    case ["range"]:
      try Replay(ReplayOptions(arguments, needing: .satisfying), .ranging, io: io).run()
    case ["monitor"]:
      try Replay(ReplayOptions(arguments, needing: .region), .monitoring, io: io).run()
    case ["inspect"]: try InspectCommand(arguments, io: io).run()
    case ["decode"]: try DecodeCommand(arguments, io: io).run()
    case ["convert"]: try ConvertCommand(arguments, io: io).run()
    case ["config", "list"]: try ConfigCommand(arguments, io: io).list()
    case ["config", "show"]: try ConfigCommand(arguments, io: io).show()
    case ["config", "check"]: try ConfigCommand(arguments, io: io).check()
    case ["completion"]: try completion(arguments, io: io)
    case let names: throw CommandFailure(.software, "no code for '\(names.joined(separator: " "))'")
    }
  }

  private static func completion(_ arguments: ParsedArguments, io: CommandIO) throws -> ExitCode {
    let shell = arguments.text(BeaconctlGrammar.completionShell).flatMap(Shell.init)
    try io.output.write(Array((shell ?? .bash).completion(of: BeaconctlGrammar.root).utf8))
    return .done
  }
}
