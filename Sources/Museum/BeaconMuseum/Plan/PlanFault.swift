// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A fault or a weakness of a plan, and its correction: a phrase with its values.
///
/// The command reports it in English, with the keys of the file; the editor in the language of its page, with the names of
/// its fields.
package struct PlanFault: Sendable, CustomStringConvertible {
  /// A value of a phrase.
  package enum Value: Sendable {
    /// A text of the plan, or a whole number.
    case text(String)
    /// Texts of the plan, each in quotation marks.
    case quoted([String])
    /// A key of the file; on the page it is a field.
    case key(String)
    /// The tags of languages.
    case languages([String])
    /// A number with a decimal point.
    case decimal(String)
  }

  private let phrase: any KeyPath<FaultPhrases, String> & Sendable
  private let values: [Value]
  /// The words of the command, if they are not the English phrase: it knows the form of the file.
  private let command: String?

  package init(
    _ phrase: any KeyPath<FaultPhrases, String> & Sendable,
    _ values: Value...,
    command: String? = nil
  ) {
    self.phrase = phrase
    self.values = values
    self.command = command
  }

  /// The first language that it names.
  var language: String? {
    values.lazy.compactMap { if case .languages(let tags) = $0 { tags.first } else { nil } }.first
  }

  /// The fault in the words of the command.
  package var description: String { command ?? text(FaultPhrases.of("en"), onPage: false) }

  /// Returns the fault in the words of the editor's page.
  package func text(in language: String) -> String {
    text(FaultPhrases.of(language), onPage: true)
  }

  private func text(_ phrases: FaultPhrases, onPage isPage: Bool) -> String {
    let texts = values.map { Self.text($0, phrases, onPage: isPage) }
    return phrases[keyPath: phrase].filled { Int($0).flatMap { texts[safe: $0] } }
  }

  private static func text(
    _ value: Value,
    _ phrases: FaultPhrases,
    onPage isPage: Bool
  ) -> String {
    switch value {
    case .text(let text): text
    case .quoted(let texts): texts.map { phrases.quoted.filled($0) }.joined(separator: ", ")
    case .key(let key):
      isPage ? field(key, phrases.language).map { phrases.field.filled($0) } ?? key : key
    case .languages(let tags):
      tags.map { isPage ? VisitorPhrases.name(of: $0) : $0 }.joined(separator: ", ")
    case .decimal(let number):
      phrases.language == "en" ? number : String(number.map { $0 == "." ? "," : $0 })
    }
  }

  /// Returns the name of a field by its key in the file, or of the language that is the key; `nil` for other keys.
  private static func field(_ key: String, _ language: String) -> String? {
    let known = key == PlanDraft.purposeKey ? "purpose" : key
    if let field = EditorPhrases.of(language).entries.first(where: { $0.key == known }) {
      return field.text
    }
    let name = VisitorPhrases.name(of: key)
    return name == key ? nil : name
  }
}
