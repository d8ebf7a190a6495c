// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An argument of any type.
package protocol DeclaredArgument: Sendable {
  /// The declaration, for parsing, help and completions.
  var declaration: ArgumentDeclaration { get }
}

/// A positional argument of a command, with the type of its value.
package struct CommandArgument<Value: Sendable>: DeclaredArgument {
  /// The declaration, for parsing, help and completions.
  package let declaration: ArgumentDeclaration

  /// Creates an argument.
  ///
  /// Its name in help is the placeholder of its kind.
  ///
  /// - Parameters:
  ///   - kind: The kind of its value.
  ///   - help: The description for help.
  ///   - isOptional: Whether the user may omit it.
  ///   - repeats: Whether the user may give several.
  package init(
    _ kind: ValueKind<Value>,
    _ help: String,
    isOptional: Bool = false,
    repeats: Bool = false
  ) {
    declaration = ArgumentDeclaration(
      name: kind.form.placeholder,
      kind: AnyValueKind(kind),
      help: help,
      isOptional: isOptional,
      repeats: repeats
    )
  }
}

/// An argument as parsing, help and completions see it.
package struct ArgumentDeclaration: Sendable {
  /// The name in help and messages.
  package let name: String
  /// The kind of its value.
  package let kind: AnyValueKind
  /// The description for help.
  package let help: String
  /// Whether the user may omit it.
  package let isOptional: Bool
  /// Whether the user may give several.
  package let repeats: Bool

  /// The argument in the form of a usage line.
  package var usage: String {
    let name = repeats ? "\(name)..." : name
    return isOptional ? "[\(name)]" : name
  }
}
