// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The meaning of a parsed command line.
package enum Invocation<Context>: Sendable {
  /// Run a command.
  case run(Command<Context>.Action, ParsedArguments)
  /// Show the help of a command.
  case help(CommandPath<Context>)
  /// Show the version.
  case version
}

/// The options and arguments of one call, each with its declared type.
///
/// The keys are the declared options and arguments, so a name cannot be mistyped.
package struct ParsedArguments: Sendable {
  /// A value and its place.
  package struct Entry<Value: Sendable>: Sendable {
    /// The value.
    package var value: Value
    /// The place of its option, or of the argument itself; the first is 1.
    package var place: Int
  }

  /// The names of the called command, starting with the program's.
  package let commandNames: [String]
  /// The files that the command reads, in the order given.
  package internal(set) var inputs: [String] = []
  private var entries: [String: [Entry<any Sendable>]] = [:]
  /// The places of the values with a name in them, in the order given.
  private var named: [(key: String, index: Int)] = []

  init(commandNames: [String]) {
    self.commandNames = commandNames
  }

  mutating func append(_ value: any Sendable, to key: String, place: Int) {
    if value is NamedValue { named.append((key, entries[key]?.count ?? 0)) }
    entries[key, default: []].append(Entry(value: value, place: place))
  }

  /// Whether a value contains a name that was not looked up.
  package var hasNames: Bool { !named.isEmpty }

  /// Reads the values with a name in them.
  ///
  /// - Parameter find: Returns the text in place of the name, as the user could have written it.
  /// - Throws: ``UsageError`` for the first value that is wrong, and what `find` throws except ``ValueFault``.
  package mutating func lookUpNames(_ find: (String) throws -> String) throws {
    for (key, index) in named {
      guard let value = entries[key]?[index].value as? NamedValue else { continue }
      entries[key]?[index].value = try value.read(find)
    }
    named = []
  }

  /// The called command, as the user types it after the program's name.
  package var commandName: String { commandNames.dropFirst().joined(separator: " ") }
  /// The called command, as the user types it, with the program's name.
  package var programName: String { commandNames.joined(separator: " ") }

  /// The value of an option that the command needs.
  ///
  /// - Throws: ``UsageError`` if it is missing; if the command declares it as required, the parser has already refused
  ///   such a command line.
  package func required<Value>(_ option: CommandOption<Value>) throws(UsageError) -> Value {
    guard let value = self[option] else {
      throw .missing([option.declaration.usage], in: programName)
    }
    return value
  }

  // MARK: Options

  /// The place where an option was first given; `nil` if it was not given.
  package func place(of option: some DeclaredOption) -> Int? {
    entries[option.longName]?.first?.place
  }

  /// Whether an option was given.
  package func has(_ option: some DeclaredOption) -> Bool { entries[option.longName] != nil }

  /// Whether an option with a long name was given, of whichever module it is; the name has no dashes.
  package func has(named name: String) -> Bool { entries["--\(name)"] != nil }

  /// How often a flag was given.
  package func count(_ flag: CommandFlag) -> Int { entries[flag.longName]?.count ?? 0 }

  /// The value of an option; `nil` if it was not given.
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

  /// The value of an argument; `nil` if it was omitted.
  package subscript<Value>(argument: CommandArgument<Value>) -> Value? { all(argument).first }

  /// All values of an argument, in the order given.
  package func all<Value>(_ argument: CommandArgument<Value>) -> [Value] {
    values(of: argument.declaration.name).map(\.value)
  }

  /// The value of a required argument.
  ///
  /// - Throws: ``UsageError`` if it is missing; the parser has already refused such a command line.
  package func required<Value>(
    _ argument: CommandArgument<Value>
  ) throws(UsageError) -> Value {
    guard let value = self[argument] else {
      throw .missing([argument.declaration.name], in: programName)
    }
    return value
  }

  private func values<Value>(of key: String) -> [Entry<Value>] {
    (entries[key] ?? []).compactMap { entry in
      (entry.value as? Value).map { Entry(value: $0, place: entry.place) }
    }
  }
}

/// A value with a name in it, as the user wrote it.
struct NamedValue: Sendable {
  let kind: AnyValueKind
  let text: String
  /// The part of the text that may be a name.
  let name: Substring
  /// The option or argument, as messages name it.
  let owner: String
  let place: Int

  func read(_ find: (String) throws -> String) throws -> any Sendable {
    do {
      let found = try find(String(name))
      return try kind.read("\(text[..<name.startIndex])\(found)\(text[name.endIndex...])")
    } catch ValueFault.wrong(let message) {
      throw UsageError("\(owner): \(message)", argument: place)
    }
  }
}
