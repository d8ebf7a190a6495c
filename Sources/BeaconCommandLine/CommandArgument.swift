// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An argument of any type.
package protocol DeclaredArgument: Sendable {
  /// What parsing, help and completions need to know of it.
  var declaration: ArgumentDeclaration { get }
}

/// Something that a command gets by its place instead of by a name, as a value of a type.
package struct CommandArgument<Value: Sendable>: DeclaredArgument {
  /// What parsing, help and completions need to know of it.
  package let declaration: ArgumentDeclaration

  /// Creates an argument; help calls it by the placeholder of its kind.
  ///
  /// - Parameters:
  ///   - kind: What it may be.
  ///   - help: What it is for.
  ///   - isOptional: Whether it may be left out.
  ///   - repeats: Whether there may be several.
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
  /// What help and messages call it.
  package let name: String
  /// What it may be.
  package let kind: AnyValueKind
  /// What it is for.
  package let help: String
  /// Whether it may be left out.
  package let isOptional: Bool
  /// Whether there may be several.
  package let repeats: Bool

  /// The argument as a usage line shows it.
  package var usage: String {
    let name = repeats ? "\(name)..." : name
    return isOptional ? "[\(name)]" : name
  }
}
