// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The table of docs/core-location.md that lists every symbol.
///
/// A row that starts with names in bold opens a section on these types; the names in its first column are their
/// members.
struct SurfacePage {
  /// The symbols that the page lists as present: the same, different, inert, or this project's own.
  private(set) var present: Set<String> = []
  /// The symbols that the page lists as inert: they concern positions, and only keep their values.
  private(set) var inert: Set<String> = []
  /// The symbols that the page lists as absent.
  private(set) var absent: Set<String> = []
  /// The rows that do neither.
  private(set) var strange: [String] = []

  init(_ page: String) {
    let rows = page.split(separator: "\n").drop { $0 != "## Every symbol" }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }
      .filter { $0.hasPrefix("| ") }
    var section: [String] = []
    for row in rows.dropFirst() {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count >= 4 else {
        strange.append(String(row))
        continue
      }
      let types = Self.parts(of: cells[1], between: "**")
      if cells[1].contains("**") { section = types }
      let members = Self.parts(of: cells[1], between: "`")
      let names =
        types
        + (section.isEmpty ? members : section.flatMap { type in members.map { "\(type).\($0)" } })
      switch cells[2].split(separator: " ").joined() {
      case "same", "different", "ours": present.formUnion(names)
      case "inert":
        present.formUnion(names)
        inert.formUnion(names)
      case "absent": absent.formUnion(names)
      default: strange.append(String(row))
      }
    }
  }

  private static func parts(of cell: Substring, between mark: String) -> [String] {
    cell.split(separator: mark, omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
  }
}
