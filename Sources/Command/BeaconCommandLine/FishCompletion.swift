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
      let begin = "complete -c \(root.name) -n \(Shell.quote(condition(path)))"
      for command in path.command.subcommands {
        lines.append("\(begin) -a \(command.name) -d \(Shell.quote(command.summary))")
      }
      for argument in path.command.arguments {
        switch argument.kind.form.completion {
        case .files: lines.append("\(begin) -F")
        case .names(let names):
          lines.append("\(begin) -a \(Shell.quote(names.joined(separator: " ")))")
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
    case .names(let names): words += " -x -a \(Shell.quote(names.joined(separator: " ")))"
    case .output(let command, let suffix):
      let print =
        suffix.isEmpty ? "(\(command))" : "(\(command) | string replace -r '$' '\(suffix)')"
      words += " -x -a \(Shell.quote(print))"
    case .filesAfter(let names):
      let list = names.map { "\($0):" }.joined(separator: " ")
      let after =
        "(set -l p (string split -m1 : -- (commandline -ct)); set -q p[2];"
        + " and for f in $p[2]*; echo $p[1]:$f; end)"
      words += " -x -a \(Shell.quote("\(list) \(after)"))"
    case .nothing: words += " -x"
    }
    return words + " -d \(Shell.quote(option.help))"
  }
}
