// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A text in several languages.
public struct LocalizedText: Sendable, Hashable {
  /// The text in one language.
  public struct Entry: Sendable, Hashable {
    /// The language's tag, such as `en` or `de-CH`.
    public var language: String
    /// The text.
    public var text: String

    /// Creates an entry.
    public init(language: String, text: String) {
      self.language = language
      self.text = text
    }
  }

  /// The text in the first language of the plan, and in others if it is translated, in their order.
  public var entries: [Entry]

  /// Creates a text.
  public init(_ entries: [Entry]) {
    self.entries = entries
  }

  /// Creates a text in one language.
  public init(_ text: String, in language: String) {
    self.init([Entry(language: language, text: text)])
  }

  /// Returns the text in a language, otherwise in the first language, if any.
  public subscript(language: String) -> String {
    (entries.first { $0.language == language } ?? entries.first)?.text ?? ""
  }
}
