// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation

/// The phrases of all languages, a file for each.
///
/// The English file names the sections and keys, and its comments describe them. A file has sections (`[visitor]`), and
/// in them lines of the form `key = text`. A text may have places for values: `{0}`, `{1}`.
struct PhraseTables {
  /// The lines of one file.
  struct Table {
    var language: String
    var path: String
    var entries: [Entry] = []
    /// The comment above each section, by its name.
    var sections: [(name: String, comment: String)] = []
    var lineCount = 0
  }

  /// A phrase.
  struct Entry {
    var section: String
    var key: String
    var text: String
    var comment: String
    var line: Int
  }

  /// English first.
  private let tables: [Table]

  /// Reads the tables; throws if one has other keys or other places for values than the English one.
  init(_ files: [TextFile]) throws(TextError) {
    var tables: [Table] = []
    for file in files { tables.append(try Self.table(file)) }
    // The files come in the order of their names.
    tables = tables.filter { $0.language == "en" } + tables.filter { $0.language != "en" }
    self.tables = tables
    guard let english = tables.first else { return }
    guard english.language == "en" else {
      throw TextError(path: english.path, line: 1, text: "there is no English table, en.ini")
    }
    for other in tables.dropFirst() { try Self.compare(other, with: english) }
  }

  private static func table(_ file: TextFile) throws(TextError) -> Table {
    var table = Table(language: file.name, path: file.path)
    var comment: [String] = []
    var known: Set<String> = []
    for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      table.lineCount = index + 1
      func fault(_ text: String) -> TextError {
        TextError(path: file.path, line: index + 1, text: text)
      }
      let words = line.trimmed
      if words.isEmpty { continue }
      if words.hasPrefix("#") {
        comment.append(words.dropFirst().trimmed)
        continue
      }
      defer { comment = [] }
      let described = comment.joined(separator: " ")
      if words.hasPrefix("["), words.hasSuffix("]") {
        table.sections.append((String(words.dropFirst().dropLast()), described))
        continue
      }
      guard let mark = words.firstIndex(of: "="), let section = table.sections.last?.name else {
        throw fault("this is no comment, no section and no phrase in a section: \(words)")
      }
      let (key, text) = (words[..<mark].trimmed, words[words.index(after: mark)...].trimmed)
      guard !key.isEmpty, key.utf8.allSatisfy(\.isLetter) else {
        throw fault("a key has letters only: '\(key)'")
      }
      guard !text.isEmpty else { throw fault("'\(key)' has no text") }
      guard known.insert("\(section).\(key)").inserted else {
        throw fault("the section '\(section)' has '\(key)' already")
      }
      table.entries.append(
        Entry(section: section, key: key, text: text, comment: described, line: index + 1)
      )
    }
    return table
  }

  private static func compare(_ other: Table, with english: Table) throws(TextError) {
    func fault(_ line: Int, _ text: String) -> TextError {
      TextError(path: other.path, line: line, text: text)
    }
    for entry in other.entries {
      guard let original = english.entry(entry.section, entry.key) else {
        throw fault(entry.line, "en.ini has no '\(entry.key)' in the section '\(entry.section)'")
      }
      guard places(original.text) == places(entry.text) else {
        throw fault(
          entry.line,
          "'\(entry.key)' has other places for values than in en.ini: \(original.text)"
        )
      }
    }
    for entry in english.entries where other.entry(entry.section, entry.key) == nil {
      throw fault(other.lineCount, "'\(entry.key)' is missing in the section '\(entry.section)'")
    }
  }

  /// Returns the numbers of the places for values.
  private static func places(_ text: String) -> Set<Substring> {
    Set(
      text.split(separator: "{").compactMap { part in
        part.firstIndex(of: "}").map { part[..<$0] }
      }.filter { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    )
  }

  // MARK: Swift

  /// A type for each section, with a property for each key and a value for each language.
  var source: String {
    tables.first?.sections.map(source).joined(separator: "\n") ?? ""
  }

  private func source(of section: (name: String, comment: String)) -> String {
    let entries = tables.map { table in table.entries.filter { $0.section == section.name } }
    var source =
      "/// \(section.comment)\npackage struct \(section.name.capitalized)Phrases: Phrases {\n"
    source += "  /// The language's tag.\n  package let language: String\n"
    for entry in entries.first ?? [] {
      source +=
        "  /// \(entry.comment.isEmpty ? "The English text: " + entry.text : entry.comment)\n"
      source += "  package let \(entry.key): String\n"
    }
    let first = entries.first ?? []
    for (table, entries) in zip(tables, entries) {
      // The arguments are in the order of the English table.
      let texts = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.text) })
      source +=
        "\n  private static let \(table.language) = Self(\n    language: \"\(table.language)\""
      for entry in first {
        source += ",\n    \(entry.key): \(Self.literal(texts[entry.key] ?? ""))"
      }
      source += "\n  )\n"
    }
    source += "\n  /// Each key with its phrase.\n"
    source += "  package var entries: [(key: String, text: String)] {\n    [\n"
    for entry in first { source += "      (\"\(entry.key)\", \(entry.key)),\n" }
    source += "    ]\n  }\n"
    let languages = tables.map(\.language).joined(separator: ", ")
    return source + "\n  /// The phrases in all languages, English first.\n"
      + "  package static let all = [\(languages)]\n}\n"
  }

  /// Returns a phrase as a literal of one line.
  private static func literal(_ text: String) -> String {
    var marks = "#"
    while text.contains("\"" + marks) || text.contains("\\" + marks) { marks += "#" }
    return "\(marks)\"\(text)\"\(marks)"
  }
}

extension PhraseTables.Table {
  func entry(_ section: String, _ key: String) -> PhraseTables.Entry? {
    entries.first { $0.section == section && $0.key == key }
  }
}

extension StringProtocol {
  /// The text without blanks at both ends; other spaces, such as those that no line breaks at, stay.
  fileprivate var trimmed: String {
    let start = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    let end = start.lastIndex { $0 != " " && $0 != "\t" && $0 != "\r" }
    return end.map { String(start[...$0]) } ?? ""
  }
}

extension UInt8 {
  /// Whether it is a letter of ASCII.
  fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
