// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An option of a command: a flag, or a name with a value.
package struct CommandOption: Sendable {
  /// The name, without dashes.
  package var name: String
  /// Other names that mean the same.
  package var aliases: [String]
  /// The letter that means the same; `nil` where there is none.
  package var letter: Character?
  /// What its value may be; `nil` for a flag.
  package var kind: ValueKind?
  /// Whether it may be given several times.
  package var repeats: Bool
  /// Options of which one must be given too; empty where it can stand alone.
  package var needs: [String]
  /// What it is for.
  package var help: String

  /// Creates an option that takes a value.
  package static func value(
    _ name: String,
    _ kind: ValueKind,
    _ help: String,
    aliases: [String] = [],
    letter: Character? = nil,
    repeats: Bool = false,
    needs: [String] = []
  ) -> CommandOption {
    CommandOption(
      name: name,
      aliases: aliases,
      letter: letter,
      kind: kind,
      repeats: repeats,
      needs: needs,
      help: help
    )
  }

  /// Creates an option that is given or not.
  package static func flag(
    _ name: String,
    _ help: String,
    letter: Character? = nil,
    repeats: Bool = false,
    needs: [String] = []
  ) -> CommandOption {
    CommandOption(
      name: name,
      aliases: [],
      letter: letter,
      kind: nil,
      repeats: repeats,
      needs: needs,
      help: help
    )
  }

  /// The name as it is typed.
  package var longName: String { "--\(name)" }
  /// All names as they are typed, the letter first.
  package var spellings: [String] {
    (letter.map { ["-\($0)"] } ?? []) + ([name] + aliases).map { "--\($0)" }
  }
}
