// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A command of a program, as one value: its arguments and options, its help, and the function that runs it.
///
/// Parsing, help, completions and the manual page use this value. The context is a value that the program passes to its
/// commands.
package struct Command<Context>: Sendable {
  /// The function of a command, with the arguments of one call.
  package typealias Action = @Sendable (ParsedArguments, Context) async throws -> ExitCode

  /// The name of the command.
  package var name: String
  /// One line that describes the command, without a full stop.
  package var summary: String
  /// The further description; each element is a paragraph.
  package var discussion: [String]
  /// The positional arguments, in order.
  package var arguments: [ArgumentDeclaration]
  /// The options, in the groups that help shows.
  package var groups: [OptionGroup]
  /// Options of this command and of all its subcommands.
  package var sharedGroups: [OptionGroup]
  /// The subcommands under their headings, as help lists them.
  ///
  /// A command that has subcommands has no separate function.
  package var sections: [CommandSection<Context>]
  /// The subcommand to use if the command line names none.
  package var defaultSubcommand: String?
  /// The options that every call has to give.
  package var required: [OptionDeclaration]
  /// Sets of options that exclude each other; each element is one set of names.
  package var exclusive: [[String]]
  /// Example command lines.
  package var examples: [CommandExample]
  /// The function; `nil` for a command that has subcommands.
  package var run: Action?

  /// Creates a command with a function.
  package init(
    _ name: String,
    _ summary: String,
    discussion: [String] = [],
    arguments: [any DeclaredArgument] = [],
    groups: [OptionGroup] = [],
    required: [any DeclaredOption] = [],
    exclusive: [[String]] = [],
    examples: [CommandExample] = [],
    run: @escaping Action
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments.map(\.declaration)
    self.groups = groups
    self.required = required.map(\.declaration)
    self.exclusive = exclusive
    self.examples = examples
    self.run = run
    sharedGroups = []
    sections = []
  }

  /// Creates a command with subcommands.
  package init(
    _ name: String,
    _ summary: String,
    discussion: [String] = [],
    sharedGroups: [OptionGroup] = [],
    subcommands: [Command],
    defaultSubcommand: String? = nil,
    examples: [CommandExample] = []
  ) {
    self.init(
      name,
      summary,
      discussion: discussion,
      sharedGroups: sharedGroups,
      sections: [CommandSection("Commands", subcommands)],
      defaultSubcommand: defaultSubcommand,
      examples: examples
    )
  }

  /// Creates a command with subcommands under several headings.
  package init(
    _ name: String,
    _ summary: String,
    discussion: [String] = [],
    sharedGroups: [OptionGroup] = [],
    sections: [CommandSection<Context>],
    defaultSubcommand: String? = nil,
    examples: [CommandExample] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.sharedGroups = sharedGroups
    self.sections = sections
    self.defaultSubcommand = defaultSubcommand
    self.examples = examples
    arguments = []
    groups = []
    required = []
    exclusive = []
  }

  /// The subcommands, in the order in which help lists them.
  package var subcommands: [Command] { sections.flatMap(\.commands) }

  /// Returns the subcommand with a name.
  package func subcommand(_ name: String) -> Command? {
    subcommands.first { $0.name == name }
  }
}

/// Commands that help lists under one heading.
package struct CommandSection<Context>: Sendable {
  /// The heading.
  package var title: String
  /// The action of a call without a command, if it belongs under this heading; `nil` for no line about it.
  package var bare: String?
  /// The commands, in order.
  package var commands: [Command<Context>]

  /// Creates a section.
  package init(_ title: String, bare: String? = nil, _ commands: [Command<Context>]) {
    self.title = title
    self.bare = bare
    self.commands = commands
  }
}

/// Options that belong together.
package struct OptionGroup: Sendable {
  /// The heading in help.
  package var title: String
  /// The text for the group in a usage line; `nil` for none.
  package var usage: String?
  /// The options, in the order of the help.
  package var options: [OptionDeclaration]

  /// Creates a group.
  package init(_ title: String, usage: String? = nil, _ options: [any DeclaredOption]) {
    self.title = title
    self.usage = usage
    self.options = options.map(\.declaration)
  }
}

/// An example command line and its meaning.
package struct CommandExample: Sendable {
  /// The command line.
  package var line: String
  /// The effect of the command line.
  package var meaning: String

  /// Creates an example.
  package init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

/// The commands from the root to the command that was called.
package struct CommandPath<Context>: Sendable {
  /// The commands, the root first; never empty.
  package private(set) var commands: [Command<Context>]

  /// Creates the path of the root.
  package init(_ root: Command<Context>) {
    commands = [root]
  }

  /// The command at the end.
  package var command: Command<Context> { commands[commands.count - 1] }
  /// All names, as the user types them.
  package var name: String { commands.map(\.name).joined(separator: " ") }
  /// The names below the root.
  package var names: [String] { commands.dropFirst().map(\.name) }
  /// The groups of valid options, the command's own first.
  package var groups: [OptionGroup] {
    command.groups + commands.reversed().flatMap(\.sharedGroups)
  }
  /// The valid options.
  package var options: [OptionDeclaration] { groups.flatMap(\.options) }

  /// Returns the path of a subcommand.
  package func appending(_ command: Command<Context>) -> CommandPath {
    var path = self
    path.commands.append(command)
    return path
  }

  /// The paths of this command and of all its subcommands, in the order of declaration.
  package var all: [CommandPath] {
    [self] + command.subcommands.flatMap { appending($0).all }
  }
}
