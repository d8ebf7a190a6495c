// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An option with a value, or a flag.
package protocol DeclaredOption: Sendable {
  /// The declaration, for parsing, help and completions.
  var declaration: OptionDeclaration { get }
}

extension DeclaredOption {
  /// The name as the user types it.
  package var longName: String { declaration.longName }
  /// The name and the placeholder of its value, as a usage line shows them.
  package var usage: String { declaration.usage }

  /// Returns the option for a command in which it needs one of some other options.
  package func needing(_ names: [String]) -> any DeclaredOption {
    var declaration = declaration
    declaration.needs = names
    return RelatedOption(declaration: declaration)
  }
}

/// An option that needs different options than those of its declaration.
private struct RelatedOption: DeclaredOption {
  let declaration: OptionDeclaration
}

/// An option that takes a value of a type.
package struct CommandOption<Value: Sendable>: DeclaredOption {
  /// The declaration, for parsing, help and completions.
  package let declaration: OptionDeclaration

  /// Creates an option.
  ///
  /// - Parameters:
  ///   - name: The name, without dashes.
  ///   - kind: The kind of its value.
  ///   - help: The description for help.
  ///   - aliases: Other names for it.
  ///   - letter: Its one-letter name, if any.
  ///   - repeats: Whether the user may give it several times.
  ///   - needs: The names of options; the user must give one of them too. Empty if it needs none.
  package init(
    _ name: String,
    _ kind: ValueKind<Value>,
    _ help: String,
    aliases: [String] = [],
    letter: Character? = nil,
    repeats: Bool = false,
    needs: [String] = []
  ) {
    declaration = OptionDeclaration(
      name: name,
      aliases: aliases,
      letter: letter,
      kind: AnyValueKind(kind),
      repeats: repeats,
      needs: needs,
      help: help
    )
  }
}

/// An option without a value.
package struct CommandFlag: DeclaredOption {
  /// The declaration, for parsing, help and completions.
  package let declaration: OptionDeclaration

  /// Creates a flag.
  ///
  /// - Parameters:
  ///   - name: The name, without dashes.
  ///   - help: The description for help.
  ///   - letter: Its one-letter name, if any.
  ///   - repeats: Whether the user may give it several times.
  ///   - needs: The names of options; the user must give one of them too. Empty if it needs none.
  package init(
    _ name: String,
    _ help: String,
    letter: Character? = nil,
    repeats: Bool = false,
    needs: [String] = []
  ) {
    declaration = OptionDeclaration(
      name: name,
      aliases: [],
      letter: letter,
      kind: nil,
      repeats: repeats,
      needs: needs,
      help: help
    )
  }

  private init(_ declaration: OptionDeclaration) {
    self.declaration = declaration
  }

  /// Shows the help of a command instead of running it.
  package static let help: CommandFlag = {
    var declaration = CommandFlag("help", "Show this help", letter: "h").declaration
    declaration.request = .help
    return CommandFlag(declaration)
  }()

  /// Shows a program's version instead of running a command.
  package static func version(of program: String) -> CommandFlag {
    var declaration = CommandFlag("version", "Show the version of \(program)", letter: "V")
      .declaration
    declaration.request = .version
    return CommandFlag(declaration)
  }
}

/// An option as parsing, help and completions see it.
package struct OptionDeclaration: Sendable {
  /// What an option requests instead of running a command.
  enum Request {
    case help, version
  }

  /// The name, without dashes.
  package let name: String
  /// Other names for it.
  package let aliases: [String]
  /// Its one-letter name, if any.
  package let letter: Character?
  /// The kind of its value; `nil` for a flag.
  package let kind: AnyValueKind?
  /// Whether the user may give it several times.
  package let repeats: Bool
  /// The names of options; the user must give one of them too.
  ///
  /// Empty if it needs none.
  package fileprivate(set) var needs: [String]
  /// The description for help.
  package let help: String
  /// Its request instead of running a command; `nil` for nothing.
  var request: Request?

  /// The name as the user types it.
  package var longName: String { "--\(name)" }
  /// The name and the placeholder of its value, as a usage line shows them.
  package var usage: String { kind.map { "\(longName) \($0.form.placeholder)" } ?? longName }
  /// All names as the user types them, the letter first.
  package var spellings: [String] {
    (letter.map { ["-\($0)"] } ?? []) + ([name] + aliases).map { "--\($0)" }
  }
}
