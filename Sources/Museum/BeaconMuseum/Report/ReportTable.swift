// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Pages

/// A table of the report: a caption, columns and rows.
struct ReportTable {
  /// One cell.
  enum Cell {
    /// Words, aligned left.
    case text(String)
    /// A figure, aligned right.
    case number(String)
    /// A figure that is withheld because it is about too few visitors.
    case withheld
    /// No figure, without data.
    case none

    /// Whether it is aligned right.
    var isFigure: Bool { if case .text = self { false } else { true } }
  }

  /// The table's caption.
  var caption: String
  /// The column heads, each with a longer text shown under the pointer; short heads need one.
  var columns: [(head: String, help: String?)]
  /// The rows.
  var rows: [[Cell]] = []
  /// The text shown without rows.
  var empty: String
  /// The phrases in the page's language.
  private let phrases: ReportPhrases

  init(_ phrases: ReportPhrases, caption: String, columns: [(head: String, help: String?)]) {
    self.phrases = phrases
    self.caption = caption
    self.columns = columns
    empty = phrases.noEntries
  }

  /// Returns a count or a share of visitors, or a withheld one if it is about too few.
  static func figure(_ text: String?, of visitors: Int, _ suppression: SmallCellSuppression) -> Cell
  {
    guard suppression.shows(visitors) else { return .withheld }
    return text.map { .number($0) } ?? .none
  }

  /// Returns a summary of what visitors did, or a withheld one if they are too few.
  static func summary(
    _ text: String?,
    of visitors: Int,
    _ suppression: SmallCellSuppression
  ) -> Cell {
    guard suppression.showsSummary(of: visitors) else { return .withheld }
    return text.map { .number($0) } ?? .none
  }

  /// Writes the table in a box that scrolls separately and can be reached by keyboard.
  func write(to page: inout Markup) {
    guard !rows.isEmpty else { return page.element("p", [("class", "empty")], empty) }
    page.open(
      "div",
      [("class", "table"), ("tabindex", "0"), ("role", "region"), ("aria-label", caption)]
    )
    page.open("table")
    page.element("caption", caption)
    page.markup("<thead><tr>")
    for (index, column) in columns.enumerated() {
      let isFigure = rows.first.map { index < $0.count && $0[index].isFigure } ?? false
      page.open("th", [("scope", "col")] + (isFigure && index > 0 ? [("class", "n")] : []))
      if let help = column.help {
        page.element("abbr", [("title", help)], column.head)
      } else {
        page.write(column.head)
      }
      page.close("th")
    }
    page.markup("</tr></thead><tbody>")
    for row in rows {
      page.open("tr")
      for (index, cell) in row.enumerated() { write(cell, isHead: index == 0, to: &page) }
      page.close("tr")
      page.line()
    }
    page.markup("</tbody></table></div>")
    page.line()
  }

  private func write(_ cell: Cell, isHead: Bool, to page: inout Markup) {
    switch cell {
    case .text(let text):
      if isHead {
        page.element("th", [("scope", "row")], text)
      } else {
        page.element("td", text)
      }
    case .number(let text):
      if isHead {
        page.element("th", [("scope", "row")], text)
      } else {
        page.element("td", [("class", "n")], text)
      }
    case .withheld:
      page.open("td", [("class", "n")])
      page.element(
        "abbr",
        [("class", "few"), ("title", phrases.fewHelp)],
        phrases.few
      )
      page.close("td")
    case .none: page.element("td", [("class", "n")], "–")
    }
  }
}
