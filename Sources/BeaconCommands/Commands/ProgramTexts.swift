// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import Beacons

/// `completion` and `manual`: the texts that are made from the whole command line.
package enum ProgramTexts {
  /// The shell that `completion` writes for.
  private static let shell = CommandArgument(.choice(of: Shell.self), "the shell")

  /// What the exit codes mean, as the manual page lists them.
  package static let exitCodes = [
    ("0", "done"), ("1", "failed"), ("2", "a negative verdict"), ("64", "called wrongly"),
    ("65", "bad data"), ("66", "no such input"), ("69", "no bus, bluetoothd or adapter"),
    ("70", "a bug"), ("77", "not permitted"), ("78", "bad configuration"),
    ("130, 143", "cut short by SIGINT or SIGTERM"),
  ]

  /// `completion`: what a shell needs to complete this command line.
  package static func completion(
    of program: @escaping @Sendable () -> BeaconctlCommand
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "completion",
      "completion for a shell, to be sourced",
      arguments: [shell],
      exclusive: Exclusive.verbosity,
      examples: [
        CommandExample("source <(beaconctl completion bash)", "completion in this shell")
      ]
    ) { arguments, io in
      try io.output.write(
        Array(try arguments.required(shell).completion(of: program()).utf8)
      )
      return .done
    }
  }

  /// What every manual page says alike.
  package static func common(version: String) -> ManualPage<CommandIO>.Common {
    ManualPage.Common(
      version: version,
      exitCodes: exitCodes,
      environment: [
        ("NO_COLOR", "if set, no color unless --color always"),
        ("XDG_STATE_HOME", "where the account's state is kept, in a folder beacons"),
        ("DBUS_SYSTEM_BUS_ADDRESS", "another system bus than the machine's"),
      ],
      files: [
        ("~/.local/state/beacons", "what users decided and what clients keep: 'beaconctl auth'"),
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
      "the command; without one, the program's page",
      isOptional: true
    )
    return BeaconctlCommand(
      "manual",
      "the manual pages, for man",
      arguments: [page],
      exclusive: Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl manual >~/.local/share/man/man1/beaconctl.1",
          "make 'man beaconctl' find it"
        ),
        CommandExample("beaconctl manual range | man -l -", "read about one command"),
      ]
    ) { arguments, io in
      let pages = ManualPage(program(), common(version: Library.version))
      guard let name = arguments[page] else {
        try io.output.write(Array(pages.program().utf8))
        return .done
      }
      guard let text = pages.command(name) else {
        throw UsageError("there is no command '\(name)'")
      }
      try io.output.write(Array(text.utf8))
      return .done
    }
  }
}
