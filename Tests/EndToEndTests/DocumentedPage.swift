// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation

/// A page with its blocks of code, each of one of these forms:
///
/// - A block whose first line starts with `$ ` shows commands and, below each of them, its output.
/// - Another block of a shell, or of no language, has only commands.
/// - A block with a name after its language is a file of that name: ```` ```json5 statue.json5 ````.
/// - A block below the comment `<!-- golden: terminal/range.80.txt -->` shows that file of `Fixtures/golden`.
///
/// `…` alone in a line of an output stands for lines that are left out.
struct DocumentedPage {
  /// A command of the page.
  struct Command: CustomStringConvertible {
    let page: String
    /// The number of its last line.
    let line: Int
    let text: String
    /// The lines of the page that show its output, by their indexes; `nil` if the page does not show that.
    var shown: Range<Int>?
    var description: String { "\(page):\(line): \(text)" }
  }

  /// The path of the page in the project.
  let path: String
  private(set) var lines: [String]
  /// The commands of each block that shows their outputs.
  private(set) var sessions: [[Command]] = []
  /// The commands of each other block.
  private(set) var others: [[Command]] = []
  /// The files of the page: their names and texts.
  private(set) var files: [(name: String, text: String)] = []
  /// The golden files that the page shows, with the lines that show them.
  private(set) var goldens: [(name: String, shown: Range<Int>)] = []

  /// The pages of the project; the change log and the decisions are about the past.
  static func all() throws -> [DocumentedPage] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: ProjectFiles.root.appending(path: "docs").path
    )
    let pages = names.filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" }.sorted()
    return try (["README.md"] + pages.map { "docs/\($0)" }).map { path in
      let file = ProjectFiles.root.appending(path: path)
      return DocumentedPage(path, try String(contentsOf: file, encoding: .utf8))
    }
  }

  init(_ path: String, _ text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var start: Int?
    for (index, line) in lines.enumerated() where Self.isFence(line) {
      if let fence = start.take() { addBlock(fence..<index) } else { start = index }
    }
  }

  private static func isFence(_ line: String) -> Bool {
    line.drop(while: { $0 == " " }).hasPrefix("```")
  }

  /// Adds the block between two fences.
  private mutating func addBlock(_ block: Range<Int>) {
    let content = block.dropFirst().startIndex..<block.upperBound
    let words = lines[block.lowerBound].split { $0 == " " || $0 == "`" }.map(String.init)
    if let name = words.dropFirst().first {
      files.append((name, text(content).joined(separator: "\n") + "\n"))
    } else if let name = golden(above: block.lowerBound) {
      goldens.append((name, content))
    } else if words.isEmpty || ["sh", "bash", "console"].contains(words[0]) {
      addCommands(content)
    }
  }

  /// The golden file that the comment above a block names.
  private func golden(above fence: Int) -> String? {
    guard fence > 0 else { return nil }
    return lines[fence - 1].wholeMatch(of: /<!-- golden: (\S+) -->/).map { String($0.1) }
  }

  private mutating func addCommands(_ block: Range<Int>) {
    let isSession = text(block).first?.hasPrefix("$ ") ?? false
    var found: [Command] = []
    var begun = ""
    for (index, line) in zip(block, text(block)) {
      if isSession, begun.isEmpty, !line.hasPrefix("$ ") {
        let start = found[found.count - 1].line
        found[found.count - 1].shown = start..<index + 1
        continue
      }
      let words = begun + line.drop { $0 == " " }.trimmingPrefix("$ ")
      begun = words.hasSuffix("\\") ? String(words.dropLast()) : ""
      guard begun.isEmpty else { continue }
      let shown = isSession ? index + 1..<index + 1 : nil
      found.append(Command(page: path, line: index + 1, text: words, shown: shown))
    }
    if isSession {
      sessions.append(found)
    } else {
      others.append(found.filter { $0.text == "beaconctl" || $0.text.hasPrefix("beaconctl ") })
    }
  }

  /// The indentation of the block that has a line, or that ends in front of it.
  private func indentation(at index: Int) -> Substring {
    let fence = lines[..<index].lastIndex(where: Self.isFence) ?? 0
    return lines[fence].prefix { $0 == " " }
  }

  /// Lines of a block without its indentation.
  func text(_ range: Range<Int>) -> [String] {
    let indentation = indentation(at: range.lowerBound)
    return lines[range].map { String($0.trimmingPrefix(indentation)) }
  }

  /// Shows other lines in place of some of a block; the indexes below them change.
  mutating func show(_ text: [String], at range: Range<Int>) {
    let indentation = indentation(at: range.lowerBound)
    lines.replaceSubrange(range, with: text.map { $0.isEmpty ? $0 : indentation + $0 })
  }

  /// Writes the page.
  func save() throws {
    try lines.joined(separator: "\n").write(
      to: ProjectFiles.root.appending(path: path),
      atomically: true,
      encoding: .utf8
    )
  }
}

/// A page's part of an output.
enum ShownOutput {
  /// Stands for lines that are left out.
  static let omission = "…"

  /// Returns the lines that a page has to show: those it shows if they are parts of the output, else those most like them.
  static func updated(_ shown: [String], from printed: [String]) -> [String] {
    let parts = shown.split(separator: omission, omittingEmptySubsequences: false)
    guard parts.count > 1 else { return printed }
    var updated: [String] = []
    var rest = printed[...]
    for (index, part) in parts.enumerated() {
      switch index {
      case 0: break
      case parts.count - 1: rest = rest.suffix(part.count)
      default: rest = rest[place(of: part, in: rest)...]
      }
      if index > 0 { updated.append(omission) }
      updated += rest.prefix(part.count)
      rest = rest.dropFirst(part.count)
    }
    return updated
  }

  /// Where an output has some lines, or else the line that starts most like the first of them.
  private static func place(of part: ArraySlice<String>, in printed: ArraySlice<String>) -> Int {
    if let place = printed.indices.first(where: { printed[$0...].starts(with: part) }) {
      return place
    }
    func likeness(_ index: Int) -> Int { printed[index].commonPrefix(with: part.first ?? "").count }
    return printed.indices.max { likeness($0) < likeness($1) } ?? printed.endIndex
  }

  /// The lines that differ, those that a page shows with `-` and those that it has to show with `+`, if any.
  static func difference(_ shown: [String], from printed: [String]) -> String {
    let updated = updated(shown, from: printed)
    let changes = updated.difference(from: shown)
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in changes {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var (old, new, lines) = (0, 0, [String]())
    while old < shown.count || new < updated.count {
      if removed.contains(old) {
        lines.append("- " + shown[old])
        old += 1
      } else if inserted.contains(new) {
        lines.append("+ " + updated[new])
        new += 1
      } else {
        (old, new) = (old + 1, new + 1)
      }
    }
    return lines.joined(separator: "\n")
  }
}
