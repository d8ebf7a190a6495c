// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A command of a command line, as one value: what it is called with, what help says of it, and what it does.
///
/// Parsing, help, completions and the manual page come from the value. The context is what a program hands to its commands.
package struct Command<Context>: Sendable {
  /// What a command does, with the arguments of one call.
  package typealias Action = @Sendable (ParsedArguments, Context) throws -> ExitCode

  /// The word it is called by.
  package var name: String
  /// What it does, in one line without a full stop.
  package var summary: String
  /// What else there is to know, a paragraph an element.
  package var discussion: [String]
  /// What it takes beside options, in order.
  package var arguments: [ArgumentDeclaration]
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
  /// What it does; `nil` for a command that has commands below it.
  package var run: Action?

  /// Creates a command that does something.
  package init(
    _ name: String,
    _ summary: String,
    discussion: [String] = [],
    arguments: [any DeclaredArgument] = [],
    groups: [OptionGroup] = [],
    exclusive: [[String]] = [],
    examples: [CommandExample] = [],
    run: @escaping Action
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.groups = groups
    self.exclusive = exclusive
    self.examples = examples
    self.run = run
    sharedGroups = []
    subcommands = []
  }

  /// Creates a command that has commands below it.
  package init(
    _ name: String,
    _ summary: String,
    discussion: [String] = [],
    sharedGroups: [OptionGroup] = [],
    subcommands: [Command],
    defaultSubcommand: String? = nil,
    examples: [CommandExample] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.sharedGroups = sharedGroups
    self.subcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
    self.examples = examples
    arguments = []
    groups = []
    exclusive = []
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
  /// What stands for the group in a usage line; `nil` for nothing of its own.
  package var usage: String?
  /// The options, in the order help shows them.
  package var options: [OptionDeclaration]

  /// Creates a group.
  package init(_ title: String, usage: String? = nil, _ options: [any DeclaredOption]) {
    self.title = title
    self.usage = usage
    self.options = options.map(\.declaration)
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
package struct CommandPath<Context>: Sendable {
  /// The commands, the root first; never empty.
  package private(set) var commands: [Command<Context>]

  /// Creates the path of the root.
  package init(_ root: Command<Context>) {
    commands = [root]
  }

  /// The command at the end.
  package var command: Command<Context> { commands[commands.count - 1] }
  /// All names, as they are typed.
  package var name: String { commands.map(\.name).joined(separator: " ") }
  /// The names below the root.
  package var names: [String] { commands.dropFirst().map(\.name) }
  /// The groups of options that may be given here, the command's own first.
  package var groups: [OptionGroup] {
    command.groups + commands.reversed().flatMap(\.sharedGroups)
  }
  /// The options that may be given here.
  package var options: [OptionDeclaration] { groups.flatMap(\.options) }

  /// Returns the path one command further down.
  package func appending(_ command: Command<Context>) -> CommandPath {
    var path = self
    path.commands.append(command)
    return path
  }

  /// The path of this command and of all below it, in the order they are declared.
  package var all: [CommandPath] {
    [self] + command.subcommands.flatMap { appending($0).all }
  }
}
