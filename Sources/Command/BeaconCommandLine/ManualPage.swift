// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The manual pages of a program, in roff: one for the program, and one for each of its commands.
package struct ManualPage<Context> {
  /// A term and its meaning.
  package typealias Definition = (term: String, meaning: String)

  /// The parts that all pages share.
  package struct Common {
    /// The program's version.
    package var version: String
    /// The day of that version, such as 2026-05-02; empty if it is not released.
    package var date: String
    /// Other pages that a reader may want, such as `bluetoothctl(1)`.
    package var related: [String]
    /// The meanings of its exit codes, in the order of the list.
    package var exitCodes: [Definition]
    /// The environment variables that it reads.
    package var environment: [Definition]
    /// The files that it reads and writes.
    package var files: [Definition]

    /// Creates the shared parts.
    package init(
      version: String,
      date: String = "",
      related: [String] = [],
      exitCodes: [Definition],
      environment: [Definition] = [],
      files: [Definition] = []
    ) {
      self.version = version
      self.date = date
      self.related = related
      self.exitCodes = exitCodes
      self.environment = environment
      self.files = files
    }
  }

  private let root: CommandPath<Context>
  private let common: Common

  /// Creates the pages of a program.
  package init(_ root: Command<Context>, _ common: Common) {
    self.root = CommandPath(root)
    self.common = common
  }

  /// Returns the page of the program, which lists its commands, with a newline at the end.
  package func program() -> String {
    let command = root.command
    var lines = Self.head(root.name, command.summary, common)
    lines += [".SH SYNOPSIS", ".B \(Self.escaped(root.name))"]
    lines += [Self.text("COMMAND \(Self.marks(root))[options]"), ".SH DESCRIPTION"]
    lines += Self.paragraphs(command.discussion)
    lines += [".SH COMMANDS"]
    for subcommand in command.subcommands {
      lines += [".TP", Self.reference(root.appending(subcommand)), Self.text(subcommand.summary)]
    }
    for group in root.groups { lines += [".SH OPTIONS OF EVERY COMMAND"] + Self.options(group) }
    lines += Self.examples(command)
    lines += [".SH EXIT STATUS"] + Self.definitions(common.exitCodes)
    lines += Self.section("ENVIRONMENT", common.environment)
    lines += Self.section("FILES", common.files)
    let pages = command.subcommands.map { "\(Self.pageName(root.appending($0)))(1)" }
    lines += [".SH SEE ALSO", Self.text((pages + common.related).joined(separator: ", "))]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the page of a command and its subcommands, with a newline at the end; `nil` if there is no such command.
  package func command(_ name: String) -> String? {
    guard let command = root.command.subcommand(name) else { return nil }
    let path = root.appending(command)
    var lines = Self.head(Self.pageName(path), command.summary, common)
    lines += [".SH SYNOPSIS"]
    let leaves = path.all.filter(\.command.subcommands.isEmpty)
    for (index, leaf) in leaves.enumerated() {
      lines += (index == 0 ? [] : [".br"]) + [".B \(Self.escaped(HelpText.usage(of: leaf)))"]
    }
    lines += [".SH DESCRIPTION"] + Self.paragraphs(["\(command.summary)."] + command.discussion)
    if command.subcommands.isEmpty {
      lines += [".SH OPTIONS"] + Self.details(path)
    } else {
      lines += [".SH COMMANDS"]
      for leaf in leaves {
        lines += [".SS \(Self.quoted(leaf.names.joined(separator: " ")))"]
        lines += Self.paragraphs(["\(leaf.command.summary)."] + leaf.command.discussion)
        lines += Self.details(leaf) + Self.examples(leaf.command, section: false)
      }
    }
    lines += Self.examples(command)
    lines += [".SH SEE ALSO", ".BR \(Self.escaped(root.name)) (1),"]
    lines += [Self.text("with the options of every command, the exit status, and the files.")]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ name: String, _ summary: String, _ common: Common) -> [String] {
    let program = name.prefix { $0 != "-" }
    let source = quoted("\(program) \(common.version)")
    return [
      ".TH \(quoted(name.uppercased())) 1 \(quoted(common.date)) \(source) \"\"",
      ".SH NAME", "\(escaped(name)) \\- \(escaped(summary))",
    ]
  }

  private static func pageName(_ path: CommandPath<Context>) -> String {
    path.commands.map(\.name).joined(separator: "-")
  }

  private static func reference(_ path: CommandPath<Context>) -> String {
    ".BR \(escaped(pageName(path))) (1)"
  }

  /// Returns the texts for groups of options in the usage lines of all commands, each text once.
  private static func marks(_ root: CommandPath<Context>) -> String {
    var marks: [String] = []
    for mark in root.all.flatMap(\.groups).compactMap(\.usage) where !marks.contains(mark) {
      marks.append(mark)
    }
    return marks.map { $0 + " " }.joined()
  }

  /// Returns the arguments and the options of a command.
  private static func details(_ path: CommandPath<Context>) -> [String] {
    definitions(path.command.arguments.map { ($0.usage, $0.help) }, as: ".I")
      + path.command.groups.flatMap(options)
  }

  private static func definitions(
    _ list: [Definition],
    as font: String = ".B"
  ) -> [String] {
    list.flatMap { [".TP", "\(font) \(escaped($0.term))", text($0.meaning)] }
  }

  private static func section(
    _ title: String,
    _ list: [Definition]
  ) -> [String] {
    list.isEmpty ? [] : [".SH \(title)"] + definitions(list)
  }

  private static func examples(_ command: Command<Context>, section: Bool = true) -> [String] {
    let lines = command.examples.flatMap { example in
      [".PP", text("\(example.meaning):"), ".PP", ".RS", ".nf", text(example.line), ".fi", ".RE"]
    }
    return lines.isEmpty || !section ? lines : [".SH EXAMPLES"] + lines
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

  /// Returns a line of text, escaped if roff would read its start as a request.
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
