// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import EmbedTextTool

/// The build writes Swift from text files, and refuses phrase tables that differ.
@Suite struct EmbedTextTests {
  private static let english = """
    # The texts of the door.
    [door]
    # Shown to a guest.
    open = Open, {0}
    shut = Shut

    """

  private func source(_ german: String, _ english: String = english) throws(TextError) -> String {
    try EmbedTextTool.source(of: [
      TextFile(path: "Phrases/de.ini", text: german),
      TextFile(path: "Phrases/en.ini", text: english),
    ])
  }

  @Test func `a section becomes a type with a property for each key, English first`() throws {
    let source = try source("[door]\nshut = Zu\nopen =  Offen = {0} \n")
    #expect(
      source == """
        /// The texts of the door.
        package struct DoorPhrases: Phrases {
          /// The language's tag.
          package let language: String
          /// Shown to a guest.
          package let open: String
          /// The English text: Shut
          package let shut: String

          private static let en = Self(
            language: "en",
            open: #"Open, {0}"#,
            shut: #"Shut"#
          )

          private static let de = Self(
            language: "de",
            open: #"Offen = {0}"#,
            shut: #"Zu"#
          )

          /// Each key with its phrase.
          package var entries: [(key: String, text: String)] {
            [
              ("open", open),
              ("shut", shut),
            ]
          }

          /// The phrases in all languages, English first.
          package static let all = [en, de]
        }

        """
    )
  }

  @Test(arguments: [
    (
      "[door]\nopen = Offen {0}\n",
      "Phrases/de.ini:3: error: 'shut' is missing in the section 'door'"
    ),
    ("[door]\nopen = {0}\nshut =\n", "Phrases/de.ini:3: error: 'shut' has no text"),
    (
      "[door]\nopen = {0}\nshut = Zu\nlock = Ab",
      "Phrases/de.ini:4: error: en.ini has no 'lock' in the section 'door'"
    ),
    (
      "[gate]\nopen = {0}\nshut = Zu",
      "Phrases/de.ini:2: error: en.ini has no 'open' in the section 'gate'"
    ),
    (
      "[door]\nopen = {0}\nshut = Zu\nopen = {0}",
      "Phrases/de.ini:4: error: the section 'door' has 'open' already"
    ),
    (
      "[door]\nopen = Offen, {1}\nshut = Zu",
      "Phrases/de.ini:2: error: 'open' has other places for values than in en.ini: Open, {0}"
    ),
    (
      "open = {0}",
      "Phrases/de.ini:1: error: this is no comment, no section and no phrase in a section: open = {0}"
    ),
    ("[door]\nop en = {0}", "Phrases/de.ini:2: error: a key has letters only: 'op en'"),
  ])
  func `a language that differs from English fails the build`(german: String, error: String) {
    let found = #expect(throws: TextError.self) { try source(german) }
    #expect(found?.description == error)
  }

  @Test func `without English there is nothing to compare with`() {
    #expect(throws: TextError.self) {
      try EmbedTextTool.source(of: [TextFile(path: "fr.ini", text: "[door]\nopen = Ouvert\n")])
    }
  }

  @Test func `a file's text is embedded as it is, whatever characters it has`() throws {
    let file = TextFile(path: "Texts/a-page.js", text: "const a = `\\u00a0\"\"\"#${b}`;\n")
    #expect(
      try EmbedTextTool.source(of: [file]) == """
        package enum Texts {
          /// The contents of `a-page.js`, without the end of its last line.
          package static let aPageScript = ##\"""
        const a = `\\u00a0\"""#${b}`;
        \"""##
        }

        """
    )
  }
}
