// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Completion for the Z shell: one function for each command.
enum ZshCompletion {
  static func render<Context>(_ root: Command<Context>) -> String {
    var lines = [
      "#compdef \(root.name)",
      "# Completion of \(root.name) for zsh; made by '\(root.name) completion zsh'.",
    ]
    lines += helpers(root)
    for path in CommandPath(root).all.reversed() { lines += [""] + function(path) }
    lines += [
      "",
      "if [ \"$funcstack[1]\" = \"_\(root.name)\" ]; then",
      "  _\(root.name) \"$@\"",
      "else",
      "  compdef _\(root.name) \(root.name)",
      "fi",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the functions for values that are neither files nor fixed names.
  private static func helpers<Context>(_ root: Command<Context>) -> [String] {
    [
      "", "_\(root.name)_words() {", "  local -a words",
      "  words=(${(f)\"$(eval $2 2>/dev/null)\"})",
      "  compadd -S \"$1\" -a words", "}",
      "", "_\(root.name)_file_after() {", "  if compset -P '*:'; then", "    _files", "  else",
      "    compadd -S : -- \"$@\"", "  fi", "}",
    ]
  }

  private static func name<Context>(_ path: CommandPath<Context>) -> String {
    "_" + path.commands.map(\.name).joined(separator: "_")
  }

  private static func function<Context>(_ path: CommandPath<Context>) -> [String] {
    let root = path.commands.first?.name ?? ""
    var specs = path.options.flatMap { Self.specs($0, root) }
    if path.command.subcommands.isEmpty {
      for (index, argument) in path.command.arguments.enumerated() {
        let place = argument.repeats ? "*" : "\(index + 1)"
        let optional = argument.isOptional ? ":" : ""
        specs.append("\(place):\(optional)\(plain(argument.help)):\(action(argument.kind, root))")
      }
      let list = (["_arguments -s -S"] + specs.map { "    " + Shell.zsh.quote($0) })
        .joined(separator: " \\\n")
      return ["\(name(path))() {", "  \(list)", "}"]
    }
    specs += ["1:command:->command", "*::argument:->argument"]
    let list = (["_arguments -C -s -S"] + specs.map { "    " + Shell.zsh.quote($0) })
      .joined(separator: " \\\n")
    var lines = [
      "\(name(path))() {", "  local context state state_descr line", "  typeset -A opt_args",
      "  \(list)", "  case $state in", "    command)", "      local -a commands",
      "      commands=(",
    ]
    for command in path.command.subcommands {
      lines.append("        " + Shell.zsh.quote("\(plain(command.name)):\(plain(command.summary))"))
    }
    lines += ["      )", "      _describe command commands ;;", "    argument)"]
    lines += ["      case $line[1] in"]
    for command in path.command.subcommands {
      lines.append(
        "        \(Shell.zsh.word(command.name))) \(name(path.appending(command))) ;;"
      )
    }
    return lines + ["      esac ;;", "  esac", "}"]
  }

  /// Returns the specifications of an option, one for each of its names.
  private static func specs(_ option: OptionDeclaration, _ root: String) -> [String] {
    let others = option.spellings.joined(separator: " ")
    let exclusion = option.repeats ? "*" : "(\(others))"
    return option.spellings.map { spelling in
      let help = "[\(plain(option.help))]"
      guard let kind = option.kind else { return "\(exclusion)\(spelling)\(help)" }
      // The value follows a long name after `=` or a space, and a letter directly or after a space.
      let mark = spelling.hasPrefix("--") ? "=" : "+"
      let value = "\(plain(kind.form.placeholder)):\(action(kind, root))"
      return "\(exclusion)\(spelling)\(mark)\(help):\(value)"
    }
  }

  /// Returns the action of a specification, of which the shell evaluates the words.
  private static func action(_ kind: AnyValueKind, _ root: String) -> String {
    switch kind.form.completion {
    case .files: "_files"
    case .names(let names): "(\(words(names)))"
    case .output(let command, let suffix): " _\(root)_words \(words([suffix, command]))"
    case .filesAfter(let names): " _\(root)_file_after \(words(names))"
    case .nothing: " "
    }
  }

  /// Returns words in quotes, if they need some, in a form in which a specification can contain them.
  private static func words(_ words: [String]) -> String {
    var text = ""
    for character in words.map(Shell.zsh.word).joined(separator: " ") {
      if character == ":" {
        // A backslash of the word itself must not stand next to the one that escapes the colon.
        if text.last == "\\" { text += "''" }
        text += "\\"
      }
      text.append(character)
    }
    return text
  }

  /// Returns text in which the characters with a meaning in a specification are escaped.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for character in text {
      if "[]:\\".contains(character) { plain.append("\\") }
      plain.append(character)
    }
    return plain
  }
}
