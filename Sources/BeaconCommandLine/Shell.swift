// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A shell that completion can be written for.
package enum Shell: String, Sendable, CaseIterable {
  /// GNU Bash.
  case bash
  /// The Z shell.
  case zsh
  /// The friendly interactive shell.
  case fish

  /// Returns the completion of a program, ending in a line end.
  package func completion<Context>(of root: Command<Context>) -> String {
    switch self {
    case .bash: BashCompletion.render(root)
    case .zsh: ZshCompletion.render(root)
    case .fish: FishCompletion.render(root)
    }
  }

  /// Returns a text in single quotes, as every one of the shells reads it.
  static func quote(_ text: String) -> String {
    // Fish reads '\'' within quotes as the others do: the quote ends, an escaped quote follows, the next starts.
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
