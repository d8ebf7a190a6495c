// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconBlueZ
package import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// The headings under which help lists the commands, in its order.
package enum CommandHeading: String, CaseIterable, Sendable {
  case watch = "Watch"
  case recordings = "Recordings"
  case beacons = "Your beacons"
  case museum = "Museum"
  case programs = "Programs"
  case receivers = "Several receivers"
  case machine = "This machine"
}

/// The program: its commands, of which a command line runs one.
package struct Program: Sendable {
  /// The whole command line, from which help, completions and the manual come.
  package let root: BeaconctlCommand
  /// Every constant that the program knows, in the order in which `config list` writes them.
  private let schema: ConfigurationSchema
  /// The options that choose a source other than the adapters.
  private let otherSources: [String]
  /// The sources of other modules, which may know names of beacons.
  private let sources: [AdditionalSource]

  /// A command and the heading under which help lists it.
  package typealias Heading = (heading: CommandHeading, command: BeaconctlCommand)

  /// Creates the program.
  ///
  /// - Parameters:
  ///   - additional: Commands of other modules, each with its heading, in the order in which help lists them there.
  ///   - constants: The constants of those modules.
  ///   - sources: The sources of scan inputs of those modules.
  ///   - participants: What those modules add to a run.
  ///   - conditions: The conditions of regions of those modules.
  ///   - service: The service that receives for programs, if a module provides one.
  package init(
    adding additional: [Heading] = [],
    constants: [ConfigurationSchema] = [],
    sources: [AdditionalSource] = [],
    participants: [AdditionalParticipant] = [],
    conditions: [AdditionalCondition] = [],
    service: ClientService? = nil
  ) {
    root = Self.root(adding: additional, sources, participants, conditions, service)
    self.sources = sources
    otherSources = ["from"] + sources.compactMap(\.name)
    schema = ConfigurationSchema([.engine, .receivers, .recording, .authorization] + constants)
  }

  private static func root(
    adding additional: [Heading],
    _ sources: [AdditionalSource],
    _ participants: [AdditionalParticipant],
    _ conditions: [AdditionalCondition],
    _ service: ClientService?
  ) -> BeaconctlCommand {
    let program: @Sendable () -> BeaconctlCommand = {
      root(adding: additional, sources, participants, conditions, service)
    }
    let own: [Heading] = [
      (.watch, RangeCommand.command(sources, participants, through: service)),
      (.watch, MonitorCommand.command(sources, participants, conditions, through: service)),
      (.watch, ScanCommand.command(sources)),
      (.recordings, RecordCommand.command(participants)), (.recordings, InspectCommand.command),
      (.recordings, PlotCommand.command), (.recordings, ConvertCommand.command),
      (.recordings, DecodeCommand.command),
      (.recordings, RehearseCommand.command),
      (.beacons, NameCommand.command), (.beacons, AdvertiseCommand.command),
    ]
    let last: [Heading] = [
      (.programs, AuthCommand.command(service)), (.machine, ConfigCommand.command),
      (
        .machine,
        ProgramTexts.help(completing: (own + additional).map(\.command.name), of: program)
      ),
      (.machine, ProgramTexts.completion(of: program)),
      (.machine, ProgramTexts.manual(of: program)),
    ]
    let all = own + additional + last
    return BeaconctlCommand(
      "beaconctl",
      "beacon ranging and region monitoring on Linux",
      discussion: [
        "Shows which iBeacons are near and how far away they are, live over Bluetooth or from a capture;"
          + " reports when regions are entered and left; guides visitors through a museum."
          + " Without a command, a terminal shows everything nearby.",
        "Data goes to standard output, messages to standard error. Into a pipe, reports are text and events JSON Lines, or as"
          + " --format or 'output.piped' of the configuration chooses.",
      ],
      sharedGroups: [.everywhere],
      sections: CommandHeading.allCases.map { heading in
        CommandSection(
          heading.rawValue,
          bare: heading == .watch
            ? "On a terminal, show everything nearby; elsewhere this help" : nil,
          all.filter { $0.heading == heading }.map(\.command)
        )
      },
      examples: [
        CommandExample("beaconctl range", "Show everything nearby, live"),
        CommandExample("beaconctl doctor", "Find out why nothing is received"),
        CommandExample("beaconctl record air.jsonl", "Record advertising reports"),
        CommandExample("beaconctl inspect capture.btsnoop", "Summarize a capture"),
      ]
    )
  }

  /// Understands a command line.
  ///
  /// - Parameter arguments: The words after the program's own name.
  /// - Returns: Their request.
  /// - Throws: ``UsageError`` for the first fault.
  package func parse(_ arguments: [String]) throws(UsageError) -> Invocation<CommandIO> {
    try CommandLineParser(root, suggesting: { NearestName.find($0, in: $1) }).parse(arguments)
  }

  /// Runs the command that some arguments, without the program's own name, request.
  package func run(_ arguments: [String], io: CommandIO) async -> ExitCode {
    var io = io
    let code = await perform(arguments, &io)
    for (path, former) in io.files.leftAside {
      io.show("\(path) is not complete; its former content is in \(former)")
    }
    return code
  }

  private func perform(_ arguments: [String], _ io: inout CommandIO) async -> ExitCode {
    do {
      switch try parse(arguments.isEmpty ? Self.usual(io) : arguments) {
      case .help(let path):
        try io.output.write(Array(HelpText.render(path, width: io.columns).utf8))
      case .version: try io.output.write(Array("beaconctl \(Library.version)\n".utf8))
      case .run(let command, var arguments):
        io.schema = schema
        io.files = try files(of: arguments, io)
        if io.dropsCapabilities { dropCapabilities(arguments, &io) }
        Interruption.endWithinASecond(keeping: Self.lasting.contains(arguments.commandName))
        try BeaconLookup.resolve(&arguments, sources, io)
        return try await command(arguments, io)
      }
      return .done
    } catch let error as UsageError {
      io.show(error.description)
      return .usage
    } catch let error as BlueZUnavailable {
      io.show("\(error)" + Self.whereToLook(error))
      return error.isPermission ? .notPermitted : .unavailable
    } catch let refusal as OutputRefusal {
      io.show("\(refusal)")
      return .usage
    } catch let error as CaptureError {
      let failure = CommandFailure(error)
      failure.lines.forEach(io.show)
      return failure.code
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

  /// What to run if nothing can be received for a reason that the sentence does not remove.
  private static func whereToLook(_ error: BlueZUnavailable) -> String {
    switch error {
    case .noBus, .failed: break
    default: return ""
    }
    return "; 'beaconctl \(examining)' looks for the cause"
  }

  /// The command that examines the capabilities of the process.
  private static let examining = "doctor"

  /// The meaning of a bare call: everything nearby on a terminal, elsewhere the help.
  private static func usual(_ io: CommandIO) -> [String] {
    io.terminal == nil ? ["--help"] : ["range"]
  }

  /// Opens the kernel's channels if a command may use them, then gives up the capabilities that this needs.
  ///
  /// The command that examines them keeps them. Root keeps its own, since its hooks and editors are root's programs as well;
  /// but a command that serves pages starts none, and keeps only what files and ports need.
  private func dropCapabilities(_ arguments: ParsedArguments, _ io: inout CommandIO) {
    let isServer = Self.servers.contains(arguments.commandName)
    guard Capabilities.areGranted || Capabilities.areRoots && isServer,
      arguments.commandNames.last != Self.examining
    else { return }
    if !otherSources.contains(where: arguments.has(named:)) {
      let via = arguments[Options.via]
      io.openKernelChannel = PreparedChannels(via: via, opening: io.openKernelChannel).open
    }
    if Capabilities.areRoots { Capabilities.dropButFiles() } else { Capabilities.drop() }
  }

  /// The commands that keep received data, or end a conversation: after a signal nothing may be cut off.
  private static let lasting: Set = [
    "range", "monitor", "scan", "record", "advertise", "gateway", "proxy", "web", "service run",
    "service agent", "demo",
    "museum guide", "museum serve", "museum plan edit", "history purge",
  ]

  /// The commands that answer requests of other machines.
  private static let servers: Set = ["museum serve", "proxy", "web"]

  /// The files that a command may write, without those that it reads.
  private func files(
    of arguments: ParsedArguments,
    _ io: CommandIO
  ) throws(OutputRefusal) -> OutputFiles {
    let files = OutputFiles(replacing: arguments.has(Options.force))
    for path in arguments.inputs.flatMap(FilePattern.expanded) { try files.addInput(path) }
    for path in io.configurations.files(arguments) { try files.addInput(path) }
    if io.writesStandardStreams { try files.addStandardStreams() }
    return files
  }
}
