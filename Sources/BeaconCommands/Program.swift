// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconBlueZ
package import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// The program: its commands, of which a command line runs one.
package struct Program: Sendable {
  /// The whole command line, from which help, completions and the manual come.
  package let root: BeaconctlCommand
  /// Every constant that the program knows, in the order in which `config list` writes them.
  private let schema: ConfigurationSchema

  /// Creates the program.
  ///
  /// - Parameters:
  ///   - additional: Commands of other modules, in the order in which help lists them.
  ///   - constants: The constants of those modules.
  ///   - sources: The sources of scan inputs of those modules.
  package init(
    adding additional: [BeaconctlCommand] = [],
    constants: [ConfigurationSchema] = [],
    sources: [AdditionalSource] = []
  ) {
    root = Self.root(adding: additional, sources)
    schema = ConfigurationSchema([.engine, .receivers, .recording, .authorization] + constants)
  }

  private static func root(
    adding additional: [BeaconctlCommand],
    _ sources: [AdditionalSource]
  ) -> BeaconctlCommand {
    let inputs = [
      ScanCommand.command(sources), RangeCommand.command(sources),
      MonitorCommand.command(sources), RecordCommand.command,
      InspectCommand.command, DecodeCommand.command, ConvertCommand.command,
      RehearseCommand.command, CalibrateCommand.command,
    ]
    let settings = [
      AuthCommand.command, ConfigCommand.command, DoctorCommand.command,
      ProgramTexts.completion { root(adding: additional, sources) },
      ProgramTexts.manual { root(adding: additional, sources) },
    ]
    return BeaconctlCommand(
      "beaconctl",
      "beacon ranging and region monitoring on Linux",
      discussion: [
        "Receives iBeacons over Bluetooth or from a capture, and shows which are near and how far away"
          + " they are. Data goes to standard output, messages to standard error."
      ],
      sharedGroups: [.everywhere],
      subcommands: inputs + additional + settings,
      examples: [
        CommandExample(
          "beaconctl scan --from capture.btsnoop",
          "Show every iBeacon in a capture"
        ),
        CommandExample("beaconctl inspect capture.btsnoop", "Summarize a capture"),
      ]
    )
  }

  /// Understands a command line.
  ///
  /// - Parameter arguments: The words after the program's own name.
  /// - Returns: What they request.
  /// - Throws: ``UsageError`` for the first fault.
  package func parse(_ arguments: [String]) throws(UsageError) -> Invocation<CommandIO> {
    try CommandLineParser(root, suggesting: { NearestName.find($0, in: $1) }).parse(arguments)
  }

  /// Runs the command that some arguments, without the program's own name, request.
  package func run(_ arguments: [String], io: CommandIO) async -> ExitCode {
    do {
      switch try parse(arguments) {
      case .help(let path): try io.output.write(Array(HelpText.render(path).utf8))
      case .version: try io.output.write(Array("beaconctl \(Library.version)\n".utf8))
      case .run(let command, let arguments):
        var io = io
        io.schema = schema
        io.files = try files(of: arguments, io)
        return try await command(arguments, io)
      }
      return .done
    } catch let error as UsageError {
      io.show(error.description)
      return .usage
    } catch let error as BlueZUnavailable {
      io.show("\(error)")
      return error.isPermission ? .notPermitted : .unavailable
    } catch let refusal as OutputRefusal {
      io.show("\(refusal)")
      return .usage
    } catch let failure as CommandFailure {
      failure.lines.forEach(io.show)
      return failure.code
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      let failure = CommandFailure(error)
      failure.lines.forEach(io.show)
      return failure.code
    } catch {
      io.show("a bug in beaconctl: \(error)")
      return .software
    }
  }

  /// The files that a command may write, which are none of those that it reads.
  private func files(
    of arguments: ParsedArguments,
    _ io: CommandIO
  ) throws(OutputRefusal) -> OutputFiles {
    let files = OutputFiles(replacing: arguments.has(Options.force))
    for path in arguments.inputs.flatMap(FilePattern.expanded) { files.addInput(path) }
    if io.writesStandardStreams { try files.addStandardStreams() }
    return files
  }
}
