// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The programs on the page for other languages run as they are printed there.
@Suite struct OtherLanguagesTests {
  private static func block(_ language: String) throws -> String {
    let page = try String(
      contentsOf: ProjectFiles.root.appending(path: "docs/other-languages.md"),
      encoding: .utf8
    )
    let rest = try #require(page.components(separatedBy: "```\(language)\n").dropFirst().first)
    return try #require(rest.components(separatedBy: "```").first)
  }

  /// Runs a command line on a program of the page, with the command that was built on the path.
  private static func run(_ language: String, as name: String, _ line: String) throws
    -> BuiltCommand
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try block(language).write(
      to: folder.appending(path: name),
      atomically: true,
      encoding: .utf8
    )
    let built = BuiltCommand.program.deletingLastPathComponent().path
    return try BuiltCommand("D='\(folder.path)'; export PATH='\(built)':\"$PATH\"; \(line)")
  }

  @Test func `the program in Python prints what the page says`() throws {
    let run = try Self.run("python", as: "page.py", "python3 \"$D/page.py\"")
    let shown = try Self.block("text")
    #expect(shown.contains("region.exit"))
    #expect(run.output == shown, "\(run.errors)")
    #expect(run.code == 0)
  }

  @Test func `the program in C prints the same events`() throws {
    let run = try Self.run(
      "c",
      as: "page.c",
      "gcc -Wall -Wextra -Werror -o \"$D/page\" \"$D/page.c\" && \"$D/page\""
    )
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    let shown = try Self.block("text").split(separator: "\n")
    #expect(lines.count == shown.count)
    for (line, event) in zip(lines, shown) {
      let words = event.split(separator: " ")
      #expect(line.contains("\"type\":\"\(words[1])\",\"t\":\"\(words[0])\""))
    }
  }
}
