// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The recipes of the page for pandas, DuckDB and R run as they are printed there.
///
/// `tools/setup` installs pandas and DuckDB; R is used if it is installed.
@Suite(.serialized, .timeLimit(.minutes(3))) struct NotebooksTests {
  private struct Recipe {
    let language: String
    let code: String
    let shown: String
  }

  private static var python: String {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? "/root"
    let cache = ProcessInfo.processInfo.environment["BEACONS_CACHE"] ?? "\(home)/.cache/beacons"
    return "\(cache)/notebooks/bin/python"
  }

  private static func page() throws -> String {
    try String(
      contentsOf: ProjectFiles.root.appending(path: "docs/notebooks.md"),
      encoding: .utf8
    )
  }

  private static func recipes(_ page: String) -> [Recipe] {
    page.matches(of: /```(python|r)\n(?s)(.*?)```\n\n```text\n(.*?)```/).map {
      Recipe(language: String($0.1), code: String($0.2), shown: String($0.3))
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `each recipe prints the output on the page`() throws {
    let page = try Self.page()
    let recipes = Self.recipes(page)
    #expect(recipes.count == 5)
    let tables = try #require(page.firstMatch(of: /```\n(?s)(beaconctl.*?)```/)).1
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let built = BuiltCommand.program.deletingLastPathComponent().path
    let start =
      "cd '\(folder.path)' && ln -sfn '\(ProjectFiles.root.path)/Fixtures' Fixtures;"
      + " export PATH='\(built)':\"$PATH\";"
    let made = try BuiltCommand("\(start) (set -e\n\(tables))")
    #expect(made.code == 0, "\(made.errors)")
    for recipe in recipes {
      let program = recipe.language == "r" ? "Rscript -" : "'\(Self.python)' -"
      let line = "\(start) \(program) <<'END'\n\(recipe.code)END\n"
      if recipe.language == "r", try BuiltCommand("command -v Rscript").code != 0 { continue }
      let run = try BuiltCommand(line)
      #expect(run.output == recipe.shown, "\(recipe.code)\(run.errors)")
    }
    let parquet = try #require(page.firstMatch(of: /`(duckdb\.sql[^`]*)`/)).1
    let run = try BuiltCommand(
      "\(start) '\(Self.python)' -c \"import duckdb; \(String(parquet).replacing("\"", with: "\\\""))\" && test -s range.parquet"
    )
    #expect(run.code == 0, "\(run.errors)")
  }
}
