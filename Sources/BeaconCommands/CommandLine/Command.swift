// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A command of a command line, as a value from which parsing, help, completions and the manual page come.
package struct Command: Sendable {
  /// The word it is called by.
  package var name: String
  /// What it does, in one line without a full stop.
  package var summary: String
  /// What else there is to know, a paragraph an element.
  package var discussion: [String]
  /// What it takes beside options, in order.
  package var arguments: [CommandArgument]
  /// Its options in the groups that help shows.
  package var groups: [OptionGroup]
  /// Options of this command and of all below it.
  package var sharedGroups: [OptionGroup]
  /// The commands below it; one that has some does nothing itself.
  package var subcommands: [Command]
  /// The subcommand that is meant when none is named.
  package var defaultSubcommand: String?
  /// Names of options of which only one may be given, a set an element.
  package var exclusive: [[String]]
  /// Lines to try.
  package var examples: [CommandExample]

  /// Creates a command.
  package init(
    _ name: String,
    _ summary: String,
    discussion: [String] = [],
    arguments: [CommandArgument] = [],
    groups: [OptionGroup] = [],
    sharedGroups: [OptionGroup] = [],
    subcommands: [Command] = [],
    defaultSubcommand: String? = nil,
    exclusive: [[String]] = [],
    examples: [CommandExample] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments
    self.groups = groups
    self.sharedGroups = sharedGroups
    self.subcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
    self.exclusive = exclusive
    self.examples = examples
  }

  /// Returns the subcommand of a name.
  package func subcommand(_ name: String) -> Command? {
    subcommands.first { $0.name == name }
  }
}

/// Options that belong together.
package struct OptionGroup: Sendable {
  /// The heading in help.
  package var title: String
  /// The options, in the order help shows them.
  package var options: [CommandOption]

  /// Creates a group.
  package init(_ title: String, _ options: [CommandOption]) {
    self.title = title
    self.options = options
  }
}

/// Something a command takes by its place instead of by a name.
package struct CommandArgument: Sendable {
  /// What help and messages call it, in capitals.
  package var name: String
  /// What it may be.
  package var kind: ValueKind
  /// What it is for.
  package var help: String
  /// Whether it may be left out.
  package var isOptional: Bool
  /// Whether there may be several.
  package var repeats: Bool

  /// Creates an argument.
  package init(
    _ name: String,
    _ kind: ValueKind,
    _ help: String,
    isOptional: Bool = false,
    repeats: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.isOptional = isOptional
    self.repeats = repeats
  }

  /// The argument as a usage line shows it.
  package var usage: String {
    let name = repeats ? "\(name)..." : name
    return isOptional ? "[\(name)]" : name
  }
}

/// A line to try, and what it does.
package struct CommandExample: Sendable {
  /// What to type.
  package var line: String
  /// What happens then.
  package var meaning: String

  /// Creates an example.
  package init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

/// The commands from the root down to one, which is what was called.
package struct CommandPath: Sendable {
  /// The commands, the root first; never empty.
  package private(set) var commands: [Command]

  /// Creates the path of the root.
  package init(_ root: Command) {
    commands = [root]
  }

  /// The command at the end.
  package var command: Command { commands[commands.count - 1] }
  /// All names, as they are typed.
  package var name: String { commands.map(\.name).joined(separator: " ") }
  /// The names below the root.
  package var names: [String] { commands.dropFirst().map(\.name) }
  /// The groups of options that may be given here, the command's own first.
  package var groups: [OptionGroup] {
    command.groups + commands.reversed().flatMap(\.sharedGroups)
  }
  /// The options that may be given here.
  package var options: [CommandOption] { groups.flatMap(\.options) }

  /// Returns the path one command further down.
  package func appending(_ command: Command) -> CommandPath {
    var path = self
    path.commands.append(command)
    return path
  }

  /// The path of this command and of all below it, in the order they are declared.
  package var all: [CommandPath] {
    [self] + command.subcommands.flatMap { appending($0).all }
  }
}
