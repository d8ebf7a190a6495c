// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something that may be given by its name: an option with a value, or a flag.
package protocol DeclaredOption: Sendable {
  /// What parsing, help and completions need to know of it.
  var declaration: OptionDeclaration { get }
}

extension DeclaredOption {
  /// The name as it is typed.
  package var longName: String { declaration.longName }

  /// Returns the option as it is for a command in which it needs one of other options.
  package func needing(_ names: [String]) -> any DeclaredOption {
    var declaration = declaration
    declaration.needs = names
    return RelatedOption(declaration: declaration)
  }
}

/// An option that needs others than where it was declared.
private struct RelatedOption: DeclaredOption {
  let declaration: OptionDeclaration
}

/// An option that takes a value of a type.
package struct CommandOption<Value: Sendable>: DeclaredOption {
  /// What parsing, help and completions need to know of it.
  package let declaration: OptionDeclaration

  /// Creates an option.
  ///
  /// - Parameters:
  ///   - name: The name, without dashes.
  ///   - kind: What its value may be.
  ///   - help: What it is for.
  ///   - aliases: Other names that mean the same.
  ///   - letter: The letter that means the same; `nil` if there is none.
  ///   - repeats: Whether it may be given several times.
  ///   - needs: Names of options of which one must be given too; empty if it can stand alone.
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

/// An option that is given or not.
package struct CommandFlag: DeclaredOption {
  /// What parsing, help and completions need to know of it.
  package let declaration: OptionDeclaration

  /// Creates a flag.
  ///
  /// - Parameters:
  ///   - name: The name, without dashes.
  ///   - help: What it is for.
  ///   - letter: The letter that means the same; `nil` if there is none.
  ///   - repeats: Whether it may be given several times.
  ///   - needs: Names of options of which one must be given too; empty if it can stand alone.
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

  /// Shows the help of a command in place of running it.
  package static let help: CommandFlag = {
    var declaration = CommandFlag("help", "Show this help", letter: "h").declaration
    declaration.request = .help
    return CommandFlag(declaration)
  }()

  /// Shows a program's version in place of running a command.
  package static func version(of program: String) -> CommandFlag {
    var declaration = CommandFlag("version", "Show the version of \(program)", letter: "V")
      .declaration
    declaration.request = .version
    return CommandFlag(declaration)
  }
}

/// An option as parsing, help and completions see it.
package struct OptionDeclaration: Sendable {
  /// What an option requests in place of running a command.
  enum Request {
    case help, version
  }

  /// The name, without dashes.
  package let name: String
  /// Other names that mean the same.
  package let aliases: [String]
  /// The letter that means the same; `nil` if there is none.
  package let letter: Character?
  /// What its value may be; `nil` for a flag.
  package let kind: AnyValueKind?
  /// Whether it may be given several times.
  package let repeats: Bool
  /// Names of options of which one must be given too; empty if it can stand alone.
  package fileprivate(set) var needs: [String]
  /// What it is for.
  package let help: String
  /// What it requests in place of running a command; `nil` for nothing.
  var request: Request?

  /// The name as it is typed.
  package var longName: String { "--\(name)" }
  /// All names as they are typed, the letter first.
  package var spellings: [String] {
    (letter.map { ["-\($0)"] } ?? []) + ([name] + aliases).map { "--\($0)" }
  }
}
