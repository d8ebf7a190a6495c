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

  /// Returns text in single quotes, which the shell reads as it is.
  func quote(_ text: String) -> String {
    // Only for fish a backslash has a meaning within the quotes.
    let text = self == .fish ? text.map { $0 == "\\" ? "\\\\" : "\($0)" }.joined() : text
    // The quoted part ends, an escaped quote follows, and the next quoted part starts.
    return "'"
      + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }

  /// Returns text as one word: in quotes, unless every shell reads it as it is.
  func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        || "-_./:".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : quote(text)
  }
}
