// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Parses a command line according to the declared commands.
///
/// Options may be anywhere. They are written as `--name value`, `--name=value` (the value may be empty), `-n value`,
/// `-nvalue`, or as several letters after one dash. After `--` everything is an argument; `-` alone is an argument too.
/// The parser throws the first fault.
package struct CommandLineParser<Context>: Sendable {
  /// Returns the known name that the user most likely meant by an unknown one; `nil` if none is similar.
  package typealias NameSuggestion = @Sendable (_ name: String, _ known: [String]) -> String?

  /// The program.
  package let root: Command<Context>
  private let suggest: NameSuggestion

  /// Creates a parser for a program's command line.
  package init(_ root: Command<Context>, suggesting suggest: @escaping NameSuggestion) {
    self.root = root
    self.suggest = suggest
  }

  /// Parses the arguments after the program's name.
  ///
  /// - Throws: ``UsageError`` for the first fault.
  package func parse(_ arguments: [String]) throws(UsageError) -> Invocation<Context> {
    var reading = CommandLineReading(root, arguments, suggest)
    return try reading.run()
  }
}

/// A command line during parsing.
private struct CommandLineReading<Context> {
  let arguments: [String]
  let suggest: CommandLineParser<Context>.NameSuggestion
  var path: CommandPath<Context>
  var index = 0
  /// The options given so far and, once the command is known, its arguments.
  var given: [(key: String, value: any Sendable, place: Int)] = []
  /// The files that the command reads.
  var inputs: [String] = []
  var positionals = 0
  /// The invocation that an option such as `--help` requests in place of running.
  var instead: Invocation<Context>?

  init(
    _ root: Command<Context>,
    _ arguments: [String],
    _ suggest: @escaping CommandLineParser<Context>.NameSuggestion
  ) {
    self.arguments = arguments
    self.suggest = suggest
    path = CommandPath(root)
  }

  mutating func run() throws(UsageError) -> Invocation<Context> {
    var onlyArguments = false
    while index < arguments.count, instead == nil {
      let text = arguments[index]
      index += 1
      if onlyArguments || text == "-" || !text.hasPrefix("-") || isNegativeArgument(text) {
        try argument(text)
      } else if text == "--" {
        onlyArguments = true
      } else if text.hasPrefix("--") {
        try longOption(text)
      } else {
        try letters(text)
      }
    }
    if case .help? = instead {
      // The command that is meant may also follow.
      while index < arguments.count, !path.command.subcommands.isEmpty,
        !arguments[index].hasPrefix("-")
      {
        index += 1
        try argument(arguments[index - 1])
      }
      return .help(path)
    }
    if let instead { return instead }
    // A bare group lists its commands.
    if path.commands.count > 1, !path.command.subcommands.isEmpty,
      path.command.defaultSubcommand == nil
    {
      return .help(path)
    }
    try descendToDefault()
    let arguments = try finished()
    guard let run = path.command.run else { throw commandMissing() }
    return .run(run, arguments)
  }

  /// Whether a text is a negative number, and the next argument may be one.
  private func isNegativeArgument(_ text: String) -> Bool {
    guard let due = due, due.kind.form.takesNumbers else { return false }
    return Self.looksNegative(text)
  }

  private static func looksNegative(_ text: String) -> Bool {
    guard let second = text.utf8.dropFirst().first else { return false }
    return text.hasPrefix("-") && (0x30...0x39).contains(second)
  }

  // MARK: Arguments

  /// The next argument of the command, if any.
  private var due: ArgumentDeclaration? {
    let declared = path.command.arguments
    if positionals < declared.count { return declared[positionals] }
    guard let last = declared.last, last.repeats else { return nil }
    return last
  }

  private mutating func argument(_ text: String) throws(UsageError) {
    guard path.command.subcommands.isEmpty else {
      guard let command = path.command.subcommand(text) else {
        let names = path.command.subcommands.map(\.name)
        let hint = suggest(text, names).map { "did you mean '\($0)'?" }
        let list = path.commands.count > 1 ? "write one of \(names.joined(separator: ", "))" : nil
        throw fault("\(quoted(text)) is not a command; \(hint ?? list ?? seeHelp)")
      }
      path = path.appending(command)
      return
    }
    guard let due else {
      // A file without the option that reads files is the likeliest slip.
      let reading = path.options.first { $0.repeats && $0.kind?.form.isInput ?? false }
      let hint =
        reading.map { "did you mean '\($0.longName) \(text.oneLine)'?" }
        ?? "usage: \(HelpText.usage(of: path))"
      throw fault("\(quoted(text)) is an unexpected argument; \(hint)")
    }
    positionals += 1
    let value = try read(text, due.kind, of: due.name, at: index)
    given.append((key: due.name, value: value, place: index))
  }

  /// Reads the value of an option or argument; one with a name in it is read after the name was looked up.
  private mutating func read(
    _ text: String,
    _ kind: AnyValueKind,
    of owner: String,
    at place: Int
  ) throws(UsageError) -> any Sendable {
    if kind.form.isInput { inputs.append(text) }
    do {
      return try kind.read(text)
    } catch {
      guard let name = kind.form.nameInside(text) else {
        throw UsageError("\(owner): \(message(of: error))", argument: place)
      }
      return NamedValue(kind: kind, text: text, name: name, owner: owner, place: place)
    }
  }

  private mutating func descendToDefault() throws(UsageError) {
    guard !path.command.subcommands.isEmpty else { return }
    guard let command = path.command.defaultSubcommand.flatMap(path.command.subcommand) else {
      throw commandMissing()
    }
    path = path.appending(command)
  }

  private func commandMissing() -> UsageError {
    let names = path.command.subcommands.map(\.name)
    let list = path.commands.count > 1 ? "write one of \(names.joined(separator: ", "))" : seeHelp
    return UsageError("a command is missing after '\(path.name)'; \(list)")
  }

  // MARK: Options

  private mutating func longOption(_ text: String) throws(UsageError) {
    let parts = text.dropFirst(2).split(
      separator: "=",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let name = String(parts[0])
    let value = parts.count > 1 ? String(parts[1]) : nil
    let matches = { (option: OptionDeclaration) in
      option.name == name || option.aliases.contains(name)
    }
    guard let option = option(where: matches) else {
      let names = path.options.flatMap { [$0.name] + $0.aliases }
      let hint =
        orderHint("--\(name)", where: matches)
        ?? suggest(name, names).map { "did you mean '--\($0)'?" } ?? seeHelp
      throw fault("'--\(name.oneLine)' is not an option of '\(path.name)'; \(hint)")
    }
    if option.kind == nil, value != nil {
      throw fault("'--\(name)' takes no value; write '--\(name)' alone")
    }
    try accept(option, spelled: "--\(name)", value: value)
  }

  /// Reads `-a`, `-abc`, `-ovalue` and `-o value`.
  private mutating func letters(_ text: String) throws(UsageError) {
    var rest = text.dropFirst()
    while let letter = rest.popFirst(), instead == nil {
      guard let option = option(where: { $0.letter == letter }) else {
        let long = suggest(
          String(text.dropFirst()),
          path.options.flatMap { [$0.name] + $0.aliases }
        )
        let hint =
          orderHint("-\(letter)") { $0.letter == letter }
          ?? long.map { "did you mean '--\($0)'?" } ?? seeHelp
        throw fault("'-\("\(letter)".oneLine)' is not an option of '\(path.name)'; \(hint)")
      }
      var value: String?
      if option.kind != nil, !rest.isEmpty {
        value = String(rest)
        rest = ""
      }
      try accept(option, spelled: "-\(letter)", value: value)
    }
  }

  /// Returns the right order for an option of a command that stands in front of the command's name; `nil` for another fault.
  private func orderHint(
    _ spelled: String,
    where matches: (OptionDeclaration) -> Bool
  ) -> String? {
    guard !path.command.subcommands.isEmpty else { return nil }
    var named = path
    for word in arguments[index...].prefix(while: { $0 != "--" }) {
      if let command = named.command.subcommand(word) { named = named.appending(command) }
    }
    if named.options.contains(where: matches) {
      return "write it after the command: '\(named.name) \(spelled)'"
    }
    let owner = path.all.first { $0.command.run != nil && $0.options.contains(where: matches) }
    return owner.map { "write it after the command, as in '\($0.name) \(spelled)'" }
  }

  /// Returns the valid option that matches.
  ///
  /// If it is an option of the default subcommand, that subcommand is selected.
  private mutating func option(where matches: (OptionDeclaration) -> Bool) -> OptionDeclaration? {
    if let option = path.options.first(where: matches) { return option }
    guard let command = path.command.defaultSubcommand.flatMap(path.command.subcommand),
      let option = path.appending(command).options.first(where: matches)
    else { return nil }
    path = path.appending(command)
    return option
  }

  private mutating func accept(
    _ option: OptionDeclaration,
    spelled: String,
    value: String?
  ) throws(UsageError) {
    let place = index
    guard let kind = option.kind else {
      switch option.request {
      case .help: instead = .help(path)
      case .version: instead = .version
      case nil: break
      }
      return try add(option, true, at: place)
    }
    var text = value
    if text == nil, index < arguments.count, isValue(arguments[index], of: kind) {
      text = arguments[index]
      index += 1
    }
    guard let text else {
      let next =
        index < arguments.count ? "; write '\(option.longName)=...' if it begins with '-'" : ""
      throw UsageError(
        "'\(spelled)' needs a value: \(kind.form.placeholder)\(next)",
        argument: place
      )
    }
    try add(option, try read(text, kind, of: spelled, at: place), at: place)
  }

  private func message(of fault: ValueFault) -> String {
    switch fault {
    case .wrong(let message): return message
    case .unknown(let name, let known):
      if let nearest = suggest(name, known) {
        return "\(quoted(name)) is not known; did you mean '\(nearest)'?"
      }
      return "\(quoted(name)) is not known; write one of \(known.joined(separator: ", "))"
    }
  }

  /// Whether the argument after an option is its value, and not an option.
  private func isValue(_ text: String, of kind: AnyValueKind) -> Bool {
    !text.hasPrefix("-") || text == "-" || (kind.form.takesNumbers && Self.looksNegative(text))
  }

  private mutating func add(
    _ option: OptionDeclaration,
    _ value: any Sendable,
    at place: Int
  ) throws(UsageError) {
    if !option.repeats, let first = given.first(where: { $0.key == option.longName }) {
      throw UsageError(
        "'\(option.longName)' was already given as argument \(first.place); give it once",
        argument: place
      )
    }
    given.append((key: option.longName, value: value, place: place))
  }

  // MARK: The whole

  private func finished() throws(UsageError) -> ParsedArguments {
    try checkNothingIsMissing()
    for names in path.command.exclusive {
      let keys = names.map { "--\($0)" }
      var first: (key: String, value: any Sendable, place: Int)?
      for entry in given where keys.contains(entry.key) {
        if let first, first.key != entry.key {
          throw UsageError(
            "'\(entry.key)' cannot be combined with '\(first.key)' (argument \(first.place));"
              + " give one of them",
            argument: entry.place
          )
        }
        first = first ?? entry
      }
    }
    for option in path.options where !option.needs.isEmpty {
      guard let entry = given.first(where: { $0.key == option.longName }),
        !given.contains(where: { entry in option.needs.contains { "--\($0)" == entry.key } })
      else { continue }
      let needed = option.needs.map { "'--\($0)'" }.joined(separator: " or ")
      throw UsageError("'\(option.longName)' works only with \(needed)", argument: entry.place)
    }
    var parsed = ParsedArguments(commandNames: path.commands.map(\.name))
    for entry in given { parsed.append(entry.value, to: entry.key, place: entry.place) }
    parsed.inputs = inputs
    return parsed
  }

  /// Checks that all arguments and options that the command needs are given, and names those that are not in one message.
  private func checkNothingIsMissing() throws(UsageError) {
    let command = path.command
    var missing = command.arguments.dropFirst(positionals).filter { !$0.isOptional }.map(\.name)
    missing += command.required.filter { option in
      !given.contains { $0.key == option.longName }
    }.map(\.usage)
    guard !missing.isEmpty else { return }
    throw .missing(missing, in: path.name)
  }

  private var seeHelp: String { "see '\(path.name) --help'" }

  private func fault(_ message: String) -> UsageError {
    UsageError(message, argument: index)
  }
}
