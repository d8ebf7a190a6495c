// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
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

  /// `manual`: the manual page.
  package static func manual(
    of program: @escaping @Sendable () -> BeaconctlCommand
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "manual",
      "the manual page, for man",
      exclusive: Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl manual >~/.local/share/man/man1/beaconctl.1",
          "make 'man beaconctl' find it"
        )
      ]
    ) { arguments, io in
      let page = ManualPage.render(program(), version: Library.version, exitCodes: exitCodes)
      try io.output.write(Array(page.utf8))
      return .done
    }
  }
}
