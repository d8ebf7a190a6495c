// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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

  /// The page as HTML; `title` is the museum's name or the file's.
  package static func html(title: String) -> String {
    Texts.editorPage.filled(Markup.escaped(title)) + "\n"
  }
}
