// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Completion for fish: one line for each option of each command.
enum FishCompletion {
  static func render<Context>(_ root: Command<Context>) -> String {
    var lines = [
      "# Completion of \(root.name) for fish; made by '\(root.name) completion fish'.",
      "complete -c \(root.name) -f",
    ]
    for path in CommandPath(root).all {
      let begin = "complete -c \(root.name) -n \(Shell.fish.quote(condition(path)))"
      for command in path.command.subcommands {
        lines.append("\(begin) \(list([command.name])) -d \(Shell.fish.quote(command.summary))")
      }
      for argument in path.command.arguments {
        switch argument.kind.form.completion {
        case .files: lines.append("\(begin) -F")
        case .names(let names): lines.append("\(begin) \(list(names))")
        case .output(let command, let suffix): lines.append("\(begin) \(output(command, suffix))")
        default: break
        }
      }
      for option in path.options { lines.append("\(begin) \(words(option))") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the condition for the user to be typing a command.
  private static func condition<Context>(_ path: CommandPath<Context>) -> String {
    let below = path.command.subcommands.map(\.name).joined(separator: " ")
    let seen = path.names.map { "__fish_seen_subcommand_from \($0)" }
    let none = below.isEmpty ? [] : ["not __fish_seen_subcommand_from \(below)"]
    return (seen + none).joined(separator: "; and ")
  }

  private static func words(_ option: OptionDeclaration) -> String {
    var words = option.letter.map { "-s \($0) " } ?? ""
    words += ([option.name] + option.aliases).map { "-l \($0)" }.joined(separator: " ")
    switch option.kind?.form.completion {
    case nil: break
    case .files: words += " -r -F"
    case .names(let names): words += " -x \(list(names))"
    case .output(let command, let suffix): words += " -x \(output(command, suffix))"
    case .filesAfter(let names):
      // After a colon, fish completes files by itself.
      words += " -r -F \(list(names.map { "\($0):" }))"
    case .nothing: words += " -x"
    }
    return words + " -d \(Shell.fish.quote(option.help))"
  }

  /// Returns the option that offers the lines that a command prints.
  private static func output(_ command: String, _ suffix: String) -> String {
    // Fish takes each line as it is, and puts it in quotes. A quoted description follows each.
    let end = suffix.isEmpty ? "" : Shell.fish.quote(suffix)
    return "-a \(Shell.fish.quote("(\(command) 2>/dev/null)\(end)"))"
  }

  /// Returns the option that offers words: a list that fish expands, so that each word is in quotes if it needs some.
  private static func list(_ words: [String]) -> String {
    let list = words.map(Shell.fish.word)
    return "-a \(Shell.fish.word(list.joined(separator: " ")))"
  }
}
