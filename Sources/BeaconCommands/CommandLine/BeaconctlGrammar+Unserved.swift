// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconctlGrammar {
  /// Options that the grammar declares and that no code of this build serves.
  ///
  /// Using one is refused, and help, completions and the manual do not show it; silence would let a script believe that
  /// it was heeded. Whoever writes the code that serves an option takes it out here.
  package static let unserved: [CommandOption] = [
    .simulate, .plan,
  ]

  /// The command line as far as this build serves it, which is what is shown of it.
  package static let served = root.leavingOut(unserved)
}

extension Command {
  /// Returns the command, and all below it, without some options.
  package func leavingOut(_ options: [CommandOption]) -> Command {
    let names = Set(options.map(\.name))
    func kept(_ groups: [OptionGroup]) -> [OptionGroup] {
      groups.map { OptionGroup($0.title, $0.options.filter { !names.contains($0.name) }) }
        .filter { !$0.options.isEmpty }
    }
    var command = self
    command.groups = kept(groups)
    command.sharedGroups = kept(sharedGroups)
    command.subcommands = subcommands.map { $0.leavingOut(options) }
    return command
  }
}

extension CommandPath {
  /// Returns the same path through commands without some options.
  package func leavingOut(_ options: [CommandOption]) -> CommandPath {
    commands.dropFirst().reduce(CommandPath(commands[0].leavingOut(options))) {
      $0.appending($1.leavingOut(options))
    }
  }
}
