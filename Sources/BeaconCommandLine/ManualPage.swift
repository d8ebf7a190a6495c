// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The manual page of a program, in roff.
package enum ManualPage {
  /// Writes the page.
  ///
  /// - Parameters:
  ///   - root: The program.
  ///   - version: Its version.
  ///   - exitCodes: What its exit codes mean, in the order in which they are listed.
  /// - Returns: The page, ending in a line end.
  package static func render<Context>(
    _ root: Command<Context>,
    version: String,
    exitCodes: [(codes: String, meaning: String)]
  ) -> String {
    let path = CommandPath(root)
    var lines = [
      ".TH \(quoted(root.name.uppercased())) 1 \"\" \(quoted("\(root.name) \(version)")) \"\"",
      ".SH NAME", text("\(root.name) - \(root.summary)"), ".SH SYNOPSIS",
      ".B \(escaped(root.name))", text("COMMAND \(marks(path))[options]"), ".SH DESCRIPTION",
    ]
    lines += paragraphs(root.discussion)
    lines += [".SH COMMANDS"]
    for path in path.all where path.commands.count > 1 && path.command.subcommands.isEmpty {
      lines += command(path)
    }
    for group in path.groups {
      lines += [".SH OPTIONS OF EVERY COMMAND"] + options(group)
    }
    lines += [".SH EXIT STATUS"]
    for (code, meaning) in exitCodes { lines += [".TP", ".B \(code)", text(meaning)] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What stands for groups of options in the usage of any command, each once.
  private static func marks<Context>(_ root: CommandPath<Context>) -> String {
    var marks: [String] = []
    for mark in root.all.flatMap(\.groups).compactMap(\.usage) where !marks.contains(mark) {
      marks.append(mark)
    }
    return marks.map { $0 + " " }.joined()
  }

  private static func command<Context>(_ path: CommandPath<Context>) -> [String] {
    let name = path.names.joined(separator: " ")
    var lines = [".SS \(quoted(name))", text("\(path.command.summary)."), ".PP"]
    lines += [".B \(escaped(HelpText.usage(of: path)))"]
    lines += paragraphs(path.command.discussion)
    for argument in path.command.arguments {
      lines += [".TP", ".I \(escaped(argument.usage))", text(argument.help)]
    }
    for group in path.command.groups { lines += options(group) }
    for example in path.command.examples {
      lines += [".PP", text("Example: \(example.meaning)"), ".RS", ".nf", text(example.line)]
      lines += [".fi", ".RE"]
    }
    return lines
  }

  private static func options(_ group: OptionGroup) -> [String] {
    group.options.flatMap { option in
      let names = option.spellings.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
      let value = option.kind.map { " \\fI\(escaped($0.form.placeholder))\\fR" } ?? ""
      return [".TP", names + value, text(HelpText.meaning(option))]
    }
  }

  private static func paragraphs(_ texts: [String]) -> [String] {
    texts.flatMap { [".PP", text($0)] }
  }

  /// A line of text: one that begins as a request is kept from being one.
  private static func text(_ line: String) -> String {
    let escaped = escaped(line)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }

  private static func quoted(_ text: String) -> String {
    "\"\(escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined())\""
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
