// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Pages

/// The page on which a curator draws rooms and places beacons.
///
/// It edits a ``PlanDraft``, which its script loads and saves. All its paths are relative, below a folder that only the
/// curator knows.
package enum PlanEditorPage {
  /// The path of the page.
  package static let path = ""
  /// The path of its style sheet.
  package static let style = "editor.css"
  /// The path of its script.
  package static let script = "editor.js"
  /// The path from which the draft is loaded and to which it is saved.
  package static let draft = "plan"
  /// The path of the beacons that are received now.
  package static let nearest = "nearest"
  /// The path that answers as long as the command runs.
  package static let alive = "alive"

  /// The languages of the page.
  package static let languages = EditorPhrases.all.map(\.language)

  /// Returns the page of a plan's file in a language as HTML.
  package static func html(file: String, in language: String) -> String {
    let phrases = EditorPhrases.of(language)
    var values = Dictionary(uniqueKeysWithValues: phrases.entries.map { ($0.key, $0.text) })
    values["file"] = file
    values["heading"] = phrases.pageTitle.filled(file)
    values["language"] = phrases.language
    values["draft"] = "\(draft)?\(PagePaths.language)=\(phrases.language)"
    values["words"] = json { write(phrases.entries, to: &$0) }
    values["names"] = json { write(languages.map { ($0, VisitorPhrases.name(of: $0)) }, to: &$0) }
    values["starts"] = json { writer in
      writer.beginObject()
      for start in StartPhrases.all {
        writer.key(start.language)
        write(start.entries, to: &writer)
      }
      writer.endObject()
    }
    values["columns"] = json { write(columns: &$0) }
    var links = Markup()
    PageFrame.languages(&links, languages, current: phrases.language) {
      "?\(PagePaths.language)=\($0)"
    }
    return Texts.editorPage.filled { name in
      name == "links" ? links.text : values[String(name)].map(Markup.escaped)
    } + "\n"
  }

  /// Short names of columns, in several languages.
  private static let shortNames = ["number": ["no", "nr"], "viewing": ["viewing"]]

  /// The names that a column of a pasted table may have: those of its field in each language.
  private static func write(columns writer: inout JSONLineWriter) {
    writer.beginObject()
    for key in ["number", "room", "title", "text", "viewing", "major", "minor"] {
      writer.key(key)
      writer.beginArray()
      for phrases in EditorPhrases.all {
        writer.string(phrases.entries.first { $0.key == key }?.text)
      }
      for name in shortNames[key] ?? [] { writer.string(name) }
      writer.endArray()
    }
    writer.endObject()
  }

  private static func write(
    _ entries: [(key: String, text: String)],
    to writer: inout JSONLineWriter
  ) {
    writer.beginObject()
    for entry in entries {
      writer.key(entry.key)
      writer.string(entry.text)
    }
    writer.endObject()
  }

  private static func json(_ write: (inout JSONLineWriter) -> Void) -> String {
    var writer = JSONLineWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
