// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a command line says, once it was understood.
package enum Invocation<Context>: Sendable {
  /// Run a command.
  case run(Command<Context>.Action, ParsedArguments)
  /// Show the help of a command.
  case help(CommandPath<Context>)
  /// Show the version.
  case version
}

/// The options and arguments of one call, each as a value of the type it was declared with.
///
/// They are asked for by the option's or argument's own value, so that a name cannot be mistyped.
package struct ParsedArguments: Sendable {
  /// A value and where it stood.
  package struct Entry<Value: Sendable>: Sendable {
    /// The value.
    package var value: Value
    /// The place of its option or of itself, 1 the first.
    package var place: Int
  }

  /// The names of the command called, the program's first.
  package let commandNames: [String]
  /// The files that the command reads, in the order given.
  package internal(set) var inputs: [String] = []
  private var entries: [String: [Entry<any Sendable>]] = [:]

  init(commandNames: [String]) {
    self.commandNames = commandNames
  }

  mutating func append(_ value: any Sendable, to key: String, place: Int) {
    entries[key, default: []].append(Entry(value: value, place: place))
  }

  /// The command called, as it is typed.
  package var commandName: String { commandNames.joined(separator: " ") }

  // MARK: Options

  /// Where an option was first given; `nil` where it was not.
  package func place(of option: some DeclaredOption) -> Int? {
    entries[option.longName]?.first?.place
  }

  /// Whether an option was given.
  package func has(_ option: some DeclaredOption) -> Bool { entries[option.longName] != nil }

  /// How often a flag was given.
  package func count(_ flag: CommandFlag) -> Int { entries[flag.longName]?.count ?? 0 }

  /// The value of an option; `nil` where it was not given.
  package subscript<Value>(option: CommandOption<Value>) -> Value? { entries(option).first?.value }

  /// All values of an option, in the order given.
  package func all<Value>(_ option: CommandOption<Value>) -> [Value] {
    entries(option).map(\.value)
  }

  /// All values of an option with their places, in the order given.
  package func entries<Value>(_ option: CommandOption<Value>) -> [Entry<Value>] {
    values(of: option.longName)
  }

  // MARK: Arguments

  /// The value of an argument; `nil` where it was left out.
  package subscript<Value>(argument: CommandArgument<Value>) -> Value? { all(argument).first }

  /// All values of an argument, in the order given.
  package func all<Value>(_ argument: CommandArgument<Value>) -> [Value] {
    values(of: argument.declaration.name).map(\.value)
  }

  /// The value of an argument that cannot be left out.
  ///
  /// - Throws: ``UsageError`` where it is missing, which the parser has refused already.
  package func required<Value>(
    _ argument: CommandArgument<Value>
  ) throws(UsageError) -> Value {
    guard let value = self[argument] else {
      throw UsageError("\(argument.declaration.name) is missing")
    }
    return value
  }

  private func values<Value>(of key: String) -> [Entry<Value>] {
    (entries[key] ?? []).compactMap { entry in
      (entry.value as? Value).map { Entry(value: $0, place: entry.place) }
    }
  }
}
