// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A shell with support for completion.
package enum Shell: String, Sendable, CaseIterable {
  /// GNU Bash.
  case bash
  /// The Z shell.
  case zsh
  /// The friendly interactive shell.
  case fish

  /// Returns the completion of a program, with a newline at the end.
  package func completion<Context>(of root: Command<Context>) -> String {
    switch self {
    case .bash: BashCompletion.render(root)
    case .zsh: ZshCompletion.render(root)
    case .fish: FishCompletion.render(root)
    }
  }

  /// Returns text in single quotes, in a form that all three shells read.
  static func quote(_ text: String) -> String {
    // Fish reads '\'' like the others: the quoted part ends, an escaped quote follows, and the next quoted part starts.
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
