// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import Beacons
internal import BeaconFormats

/// `completion` and `manual`: the texts that are made from the whole command line.
package enum ProgramTexts {
  /// The shell that `completion` writes for.
  private static let shell = CommandArgument(.choice(of: Shell.self), "The shell")

  /// The meaning of the exit codes, as the manual page lists them.
  package static let exitCodes = [
    ("0", "done"), ("1", "failed"), ("2", "the check failed"), ("64", "wrong usage"),
    ("65", "invalid data"), ("66", "input not found"), ("69", "no bus, bluetoothd or adapter"),
    ("70", "a bug"), ("77", "not permitted"), ("78", "invalid configuration"),
    ("130, 143", "ended by SIGINT or SIGTERM"),
  ]

  /// `help`: what there is to do, or how a command is used.
  ///
  /// - Parameters:
  ///   - known: The commands that shells complete.
  ///   - program: The whole command line.
  /// - Returns: The command.
  package static func help(
    completing known: [String],
    of program: @escaping @Sendable () -> BeaconctlCommand
  ) -> BeaconctlCommand {
    let names = CommandArgument(
      ValueKind("COMMAND", completion: .names(known)) { $0 },
      "The command; without one, all are listed",
      isOptional: true,
      repeats: true
    )
    return BeaconctlCommand(
      "help",
      "Show what there is to do, or how a command is used",
      arguments: [names],
      exclusive: Exclusive.verbosity,
      examples: [CommandExample("beaconctl help range", "Show how range is used")]
    ) { arguments, io in
      var path = CommandPath(program())
      for name in arguments.all(names) {
        guard let command = path.command.subcommand(name) else {
          throw unknown(name, in: path)
        }
        path = path.appending(command)
      }
      try io.output.write(Array(HelpText.render(path, width: io.columns).utf8))
      return .done
    }
  }

  /// The error for a word of `help` or `manual` that is not a command.
  private static func unknown(_ name: String, in path: CommandPath<CommandIO>) -> UsageError {
    let group = path.names.joined(separator: " ")
    let known = path.command.subcommands.map(\.name)
    guard !known.isEmpty else {
      let isCommand = path.commands[0].subcommand(name) != nil
      let further = isCommand ? " and 'beaconctl help \(name)', one after the other" : ""
      return UsageError(
        "\(quoted(name)) is not a command of '\(group)'; write 'beaconctl help \(group)'\(further)"
      )
    }
    let list =
      group.isEmpty
      ? "; 'beaconctl help' lists them" : "; write one of \(known.joined(separator: ", "))"
    let hint = NearestName.hint(for: name, in: known)
    let whole = group.isEmpty ? name : "\(group) \(name)"
    return UsageError("\(quoted(whole)) is not a command" + (hint.isEmpty ? list : hint))
  }

  /// `completion`: the script with which a shell completes this command line.
  package static func completion(
    of program: @escaping @Sendable () -> BeaconctlCommand
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "completion",
      "Print the completion script of a shell",
      arguments: [shell],
      exclusive: Exclusive.verbosity,
      examples: [
        CommandExample("source <(beaconctl completion bash)", "Enable completion in this shell")
      ]
    ) { arguments, io in
      try io.output.write(
        Array(try arguments.required(shell).completion(of: program()).utf8)
      )
      return .done
    }
  }

  /// The common parts of every manual page.
  package static func common(
    version: String = Library.version,
    date: String = Library.versionDate
  ) -> ManualPage<CommandIO>.Common {
    ManualPage.Common(
      version: version,
      date: date,
      related: ["bluetoothctl(1)", "btmon(1)", "bluetoothd(8)", "systemd(1)"],
      exitCodes: exitCodes,
      environment: [
        ("NO_COLOR", "if set, no color unless --color always"),
        ("XDG_STATE_HOME", "where the account's state is kept, in a folder beacons"),
        ("BEACONS_CONFIG", "the configuration file that --config names otherwise, or none"),
        ("XDG_CONFIG_HOME", "where the account's configuration is, in a folder beacons"),
        ("VISUAL, EDITOR", "the editor of 'beaconctl config edit'"),
        ("DBUS_SYSTEM_BUS_ADDRESS", "another system bus than the machine's"),
        ("DBUS_SESSION_BUS_ADDRESS", "the desktop session of 'beaconctl monitor --notify'"),
        ("COLUMNS", "the width of help and tables, if it is not the terminal's"),
      ],
      files: [
        ("~/.config/beacons/config.json5", "the account's configuration: 'beaconctl config edit'"),
        ("/etc/beacons/config.json5", "the machine's configuration, read before the account's"),
        ("~/.local/state/beacons", "users' decisions and clients' states: 'beaconctl auth'"),
        ("/var/lib/beacons/machine.json", "the machine's location services, written by root"),
        ("/var/lib/beacons/recordings", "the recordings of beacons-record.service"),
        ("/usr/share/doc/beaconctl/examples", "a museum plan and a configuration, in the package"),
      ]
    )
  }

  /// `manual`: the manual pages.
  package static func manual(
    of program: @escaping @Sendable () -> BeaconctlCommand
  ) -> BeaconctlCommand {
    let page = CommandArgument(
      .text("COMMAND"),
      "The command; without one, the page of the program",
      isOptional: true
    )
    return BeaconctlCommand(
      "manual",
      "Print a manual page, for man",
      arguments: [page],
      exclusive: Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl manual >~/.local/share/man/man1/beaconctl.1",
          "Make 'man beaconctl' find it"
        ),
        CommandExample("beaconctl manual range | man -l -", "Read about one command"),
      ]
    ) { arguments, io in
      let pages = ManualPage(program(), common())
      guard let name = arguments[page] else {
        try io.output.write(Array(pages.program().utf8))
        return .done
      }
      guard let text = pages.command(name) else {
        throw unknown(name, in: CommandPath(program()))
      }
      try io.output.write(Array(text.utf8))
      return .done
    }
  }
}
