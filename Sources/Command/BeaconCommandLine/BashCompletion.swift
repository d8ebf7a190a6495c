// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Completion for Bash, without the package bash-completion.
enum BashCompletion {
  static func render<Context>(_ root: Command<Context>) -> String {
    let paths = CommandPath(root).all
    let function = "_\(root.name)"
    var lines = [
      "# Completion of \(root.name) for bash; made by '\(root.name) completion bash'.",
      "\(function)() {",
      "  local word previous path index words behind",
      "  word=${COMP_WORDS[COMP_CWORD]}",
      "  previous=${COMP_WORDS[COMP_CWORD-1]}",
      "  # '--name=value' comes as three words.",
      "  if [ \"$word\" = = ]; then",
      "    word=",
      "  elif [ \"$previous\" = = ]; then",
      "    previous=${COMP_WORDS[COMP_CWORD-2]}",
      "  fi",
      "  # So does 'name:file'.",
      "  behind=",
      "  if [ \"$word\" = : ]; then",
      "    word= behind=1 previous=${COMP_WORDS[COMP_CWORD-2]}",
      "  elif [ \"$previous\" = : ]; then",
      "    behind=1 previous=${COMP_WORDS[COMP_CWORD-3]}",
      "  fi",
      "  path=\(root.name)",
      "  index=1",
      "  while [ \"$index\" -lt \"$COMP_CWORD\" ]; do",
      "    case \"$path ${COMP_WORDS[index]}\" in",
    ]
    let below = paths.filter { $0.commands.count > 1 }.map { "\"\($0.name)\"" }
    lines += ["      \(below.joined(separator: "|")))"]
    lines += ["        path=\"$path ${COMP_WORDS[index]}\" ;;"]
    lines += ["    esac", "    index=$((index + 1))", "  done", "  COMPREPLY=()"]
    lines += ["  case \"$path $previous\" in"]
    for path in paths {
      for option in path.options {
        guard let kind = option.kind else { continue }
        let patterns = option.spellings.map { "\"\(path.name) \($0)\"" }
        lines.append("    \(patterns.joined(separator: "|"))) \(value(kind)) ;;")
      }
    }
    lines += ["  esac", "  words=", "  case \"$path\" in"]
    for path in paths {
      lines.append("    \"\(path.name)\")")
      lines.append("      words=\"\(words(of: path).joined(separator: " "))\"")
      if path.command.arguments.contains(where: { $0.kind.form.completion == .files }) {
        lines.append("      COMPREPLY=($(compgen -f -- \"$word\"))")
      }
      lines.append("      ;;")
    }
    lines += [
      "  esac",
      "  COMPREPLY+=($(compgen -W \"$words\" -- \"$word\"))",
      "}",
      "complete -o filenames -F \(function) \(root.name)",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Keeps a word open that goes on, such as `name:`.
  private static let nospace = "compopt -o nospace 2>/dev/null"

  /// Completes a value and returns.
  private static func value(_ kind: AnyValueKind) -> String {
    switch kind.form.completion {
    case .files: "COMPREPLY=($(compgen -f -- \"$word\")); return"
    case .names(let names):
      "COMPREPLY=($(compgen -W \"\(names.joined(separator: " "))\" -- \"$word\")); return"
    case .output(let command, ""):
      "COMPREPLY=($(compgen -W \"$(\(command))\" -- \"$word\")); return"
    case .output(let command, let suffix):
      "\(nospace); COMPREPLY=($(compgen -S \(suffix) -W \"$(\(command))\" -- \"$word\")); return"
    case .filesAfter(let names):
      "if [ \"$behind\" ]; then COMPREPLY=($(compgen -f -- \"$word\")); else \(nospace);"
        + " COMPREPLY=($(compgen -S : -W \"\(names.joined(separator: " "))\" -- \"$word\")); fi;"
        + " return"
    case .nothing: "return"
    }
  }

  private static func words<Context>(of path: CommandPath<Context>) -> [String] {
    let choices = path.command.arguments.flatMap { argument -> [String] in
      if case .names(let names) = argument.kind.form.completion { names } else { [] }
    }
    return path.command.subcommands.map(\.name) + choices + path.options.flatMap(\.spellings)
  }
}
