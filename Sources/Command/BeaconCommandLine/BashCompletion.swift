// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Completion for Bash, without the package bash-completion.
///
/// No word is ever expanded, whether it is fixed or a command prints it: words are elements of an array, the typed
/// text is compared with their beginnings, and `printf %q` puts them in quotes. Readline itself completes files.
enum BashCompletion {
  static func render<Context>(_ root: Command<Context>) -> String {
    let paths = CommandPath(root).all
    let function = "_\(root.name)"
    var lines = ["# Completion of \(root.name) for bash; made by '\(root.name) completion bash'."]
    lines += adding(function)
    lines += [
      "\(function)() {",
      "  local typed piece base quote previous path index",
      "  local -a lines",
    ]
    lines += typed
    lines += [
      "  path=\(quoted(root.name))",
      "  previous=${COMP_WORDS[index-1]}",
      "  case $typed in --*=*) previous=${typed%%=*} typed=${typed#*=} ;; esac",
    ]
    lines += base
    lines += path(below: paths.filter { $0.commands.count > 1 }.map(\.name))
    lines += ["  case \"$path $previous\" in"]
    for path in paths {
      for option in path.options {
        guard let kind = option.kind else { continue }
        let patterns = option.spellings.map { quoted("\(path.name) \($0)") }
        let value = value(kind, function)
        lines.append("    \(patterns.joined(separator: "|"))) \(value)return ;;")
      }
    }
    lines += ["  esac", "  case $path in"]
    for path in paths {
      let hasFiles = path.command.arguments.contains { $0.kind.form.completion == .files }
      // Options are offered together with files only if one begins.
      let words =
        path.command.arguments.map { output($0.kind, function) }.joined()
        + add(words(of: path), function)
      lines.append("    \(quoted(path.name)))")
      lines.append(
        hasFiles
          ? "      case $typed in -*) \(words) ;; *) \(files) ;; esac ;;" : "      \(words) ;;"
      )
    }
    lines += ["  esac", "}", "complete -F \(function) \(quoted(root.name))"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String { Shell.bash.quote(text) }

  // MARK: Parts of the script

  /// The function that offers words, each with a text after it.
  private static func adding(_ function: String) -> [String] {
    [
      "# Offers those of some words that begin with the typed text, in quotes if bash needs them.",
      "# The first argument is what follows each word.",
      "\(function)_add() {",
      "  local suffix=$1 word text",
      "  shift",
      "  for word in \"$@\"; do",
      "    [ -n \"$word\" ] || continue",
      "    case $quote in",
      "      \"'\") case $word in *\"'\"*) continue ;; esac; text=$word ;;",
      "      '\"')",
      "        # The history is expanded within these quotes as well.",
      "        case $word in *'!'*) continue ;; esac",
      "        text=${word//'\\'/'\\\\'} text=${text//'\"'/'\\\"'}",
      "        text=${text//'$'/'\\$'} text=${text//'`'/'\\`'} ;;",
      "      *) printf -v text %q \"$word\" ;;",
      "    esac",
      "    if [ \"${text:0:${#typed}}\" = \"$typed\" ]; then",
      "      COMPREPLY+=(\"${text:${#base}}$suffix\")",
      "    elif [ -z \"$base$quote\" ] && [ \"${word:0:${#typed}}\" = \"$typed\" ]; then",
      "      COMPREPLY+=(\"$text$suffix\")",
      "    fi",
      "  done",
      "}",
    ]
  }

  /// Puts the word at the cursor together; `index` is its first part.
  private static let typed = [
    "  COMPREPLY=()",
    "  # Bash divides words at ':', '=' and '@'.",
    "  piece=${COMP_WORDS[COMP_CWORD]} typed=$piece index=$COMP_CWORD",
    "  while [ \"$index\" -gt 1 ]; do",
    "    case ${COMP_WORDS[index]} in",
    "      [:=@]*) ;;",
    "      *) case ${COMP_WORDS[index-1]} in [:=@]*) ;; *) break ;; esac ;;",
    "    esac",
    "    index=$((index - 1)) typed=${COMP_WORDS[index]}$typed",
    "  done",
  ]

  /// Finds out which part of the word stays, as the rest is replaced, and which quote it is in.
  private static let base = [
    "  quote=",
    "  if [ \"$typed\" = \"$piece\" ]; then",
    "    case $typed in [\\'\\\"]*) quote=${typed:0:1} typed=${typed:1} piece=${piece:1} ;; esac",
    "  fi",
    "  case $piece in [:=]*) piece= ;; esac",
    "  # What bash itself takes for the word, if it calls this function.",
    "  case $typed in *\"${2-$piece}\") piece=${2-$piece} ;; esac",
    "  base=${typed:0:${#typed}-${#piece}}",
  ]

  /// Finds the command, of all that are below the program.
  private static func path(below: [String]) -> [String] {
    let patterns = below.map(quoted).joined(separator: "|")
    guard !below.isEmpty else { return [] }
    return [
      "  local place=1",
      "  while [ \"$place\" -lt \"$index\" ]; do",
      "    case \"$path ${COMP_WORDS[place]}\" in",
      "      \(patterns)) path=\"$path ${COMP_WORDS[place]}\" ;;",
      "    esac",
      "    place=$((place + 1))",
      "  done",
    ]
  }

  // MARK: Values

  /// Readline completes files by itself if no word is offered.
  private static let files = "compopt -o default 2>/dev/null"
  /// Keeps a word open that continues, such as `name:`.
  private static let nospace = "compopt -o nospace 2>/dev/null"

  private static func add(_ words: [String], _ function: String, suffix: String = "") -> String {
    "\(function)_add " + ([suffix] + words).map(Shell.bash.word).joined(separator: " ")
  }

  /// Completes a value.
  private static func value(_ kind: AnyValueKind, _ function: String) -> String {
    switch kind.form.completion {
    case .files: return "\(files); "
    case .names(let names): return add(names, function) + "; "
    case .output: return output(kind, function)
    case .filesAfter(let names):
      return "case $typed in *:*) \(files) ;;"
        + " *) \(nospace); \(add(names, function, suffix: ":")) ;; esac; "
    case .nothing: return ""
    }
  }

  /// Completes the lines that a command prints.
  private static func output(_ kind: AnyValueKind, _ function: String) -> String {
    guard case .output(let command, let suffix) = kind.form.completion else { return "" }
    let open = suffix.isEmpty ? "" : "\(nospace); "
    return "\(open)mapfile -t lines < <(\(command) 2>/dev/null);"
      + " \(function)_add \(quoted(suffix)) \"${lines[@]}\"; "
  }

  private static func words<Context>(of path: CommandPath<Context>) -> [String] {
    let choices = path.command.arguments.flatMap { argument -> [String] in
      if case .names(let names) = argument.kind.form.completion { names } else { [] }
    }
    return path.command.subcommands.map(\.name) + choices + path.options.flatMap(\.spellings)
  }
}
