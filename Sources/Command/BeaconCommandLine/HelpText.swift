// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The help of a command, as text for a terminal.
package enum HelpText {
  /// The width in columns of the narrowest common terminal.
  package static let usualWidth = 80
  /// The column in which explanations start.
  static let column = 30

  /// Returns the usage line, without the word `usage`.
  package static func usage<Context>(of path: CommandPath<Context>) -> String {
    let command = path.command
    var parts = [path.name]
    if !command.subcommands.isEmpty {
      parts.append(command.defaultSubcommand == nil ? "COMMAND" : "[COMMAND]")
    }
    parts += command.arguments.map(\.usage)
    parts += command.groups.compactMap(\.usage)
    parts.append("[options]")
    return parts.joined(separator: " ")
  }

  /// Returns the whole help, ending in a line end.
  ///
  /// - Parameters:
  ///   - path: The command.
  ///   - columns: How wide the terminal is; lines are not wider than can be read, and no narrower than options need.
  /// - Returns: The help.
  package static func render<Context>(
    _ path: CommandPath<Context>,
    width columns: Int = usualWidth
  ) -> String {
    let width = min(max(columns, 60), 100)
    let command = path.command
    var lines = wrapped("\(path.name) - \(command.summary)", indent: 0, width)
    var usageLines = wrapped(usage(of: path), indent: 7, width)
    usageLines[0] = "usage: " + usageLines[0].dropFirst(7)
    lines += [""] + usageLines
    for paragraph in command.discussion { lines += [""] + wrapped(paragraph, indent: 0, width) }
    for group in command.sections where !group.commands.isEmpty {
      var rows = group.commands.map { subcommand in
        let arguments = subcommand.arguments.map { " " + $0.usage }.joined()
        let note = subcommand.name == command.defaultSubcommand ? " (the default)" : ""
        return ("  " + subcommand.name + arguments, subcommand.summary + note)
      }
      if let bare = group.bare { rows.insert(("  (none)", bare), at: 0) }
      lines += section(group.title, rows, width, column: 20)
    }
    if !command.arguments.isEmpty {
      lines += section("Arguments", command.arguments.map { ("  " + $0.usage, $0.help) }, width)
    }
    for group in path.groups {
      lines += section(group.title, group.options.map { (label($0), explanation($0)) }, width)
    }
    if !command.examples.isEmpty {
      lines += ["", "Examples:"]
      for example in command.examples {
        lines += folded(example.line, width) + wrapped(example.meaning, indent: 6, width)
      }
    }
    if !command.subcommands.isEmpty {
      lines += ["", "'\(path.name) COMMAND --help' explains a command."]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the names of an option with its value, indented so that all long names start in the same column.
  private static func label(_ option: OptionDeclaration) -> String {
    let letter = option.letter.map { "  -\($0), " } ?? "      "
    guard let kind = option.kind else { return letter + option.longName }
    return "\(letter)\(option.longName) \(kind.form.placeholder)"
  }

  /// Returns the description of an option, with the choices that its placeholder does not list.
  static func meaning(_ option: OptionDeclaration) -> String {
    guard let names = option.kind?.form.unlistedChoices else { return option.help }
    return "\(option.help): \(names.joined(separator: ", "))"
  }

  /// Returns the description of an option, with its other names and the options it needs.
  private static func explanation(_ option: OptionDeclaration) -> String {
    var text = meaning(option)
    if !option.aliases.isEmpty {
      text += "; also " + option.aliases.map { "--\($0)" }.joined(separator: ", ")
    }
    if option.repeats, option.kind != nil { text += "; repeatable" }
    return text
  }

  private static func section(
    _ title: String,
    _ rows: [(label: String, text: String)],
    _ width: Int,
    column: Int = column
  ) -> [String] {
    var lines = ["", "\(title):"]
    for row in rows {
      var text = wrapped(row.text, indent: column, width)
      // At least two spaces separate a name from its explanation.
      if row.label.count + 2 <= column, let first = text.first {
        let padding = String(repeating: " ", count: column - row.label.count)
        text[0] = row.label + padding + first.drop { $0 == " " }
        lines += text
      } else {
        lines += [row.label] + text
      }
    }
    return lines
  }

  /// Breaks a command line as a shell reads it: each line but the last ends with a backslash, quotes stay whole, and an
  /// option stays with its value.
  private static func folded(_ line: String, _ width: Int) -> [String] {
    guard line.count + 2 > width else { return ["  " + line] }
    var pieces: [String] = []
    for word in shellWords(line) {
      if let last = pieces.last, last.hasPrefix("-"), !last.contains(" "), !word.hasPrefix("-") {
        pieces[pieces.count - 1] += " " + word
      } else {
        pieces.append(word)
      }
    }
    var lines: [String] = []
    var row = "  " + (pieces.first ?? "")
    for piece in pieces.dropFirst() {
      // A backslash may follow.
      if row.count + 1 + piece.count + 2 > width {
        lines.append(row + " \\")
        row = "    " + piece
      } else {
        row += " " + piece
      }
    }
    return lines + [row]
  }

  /// The words of a command line, with their quotes.
  private static func shellWords(_ line: String) -> [String] {
    var words = [""]
    var quote: Character?
    for character in line {
      if character == " ", quote == nil {
        words.append("")
        continue
      }
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      }
      words[words.count - 1].append(character)
    }
    return words
  }

  /// Breaks text between words so that no line is wider than the terminal.
  package static func wrapped(_ text: String, indent: Int, _ width: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
      if line.count > indent, line.count + 1 + word.count > width {
        lines.append(line)
        line = margin
      }
      line += (line.count > indent ? " " : "") + word
    }
    return lines + [line]
  }
}
