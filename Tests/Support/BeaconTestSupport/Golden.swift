// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
public import Testing

/// Outputs that were reviewed and must not change; `tools/update-golden` writes them again.
public enum Golden {
  /// Whether outputs are written, instead of compared.
  public static let isUpdating =
    ProcessInfo.processInfo.environment["BEACON_UPDATE_GOLDEN"] != nil

  /// Expects an output to equal the golden file with a name under `Fixtures/golden`.
  public static func expect(
    _ text: String,
    _ name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = ProjectFiles.fixtures.appending(path: "golden/\(name)")
    if isUpdating {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
      return
    }
    let golden = try String(contentsOf: file, encoding: .utf8)
    guard text != golden else { return }
    // Printing both whole texts would hide the line that differs.
    let lines = zip(text.split(separator: "\n"), golden.split(separator: "\n"))
    let first = lines.enumerated().first { $1.0 != $1.1 }
    let place = first.map { "line \($0 + 1) is\n\($1.0)\nand was\n\($1.1)" } ?? "its length changed"
    Issue.record(
      "\(name) is not as it was: \(place)\nlook at it, then run tools/update-golden",
      sourceLocation: sourceLocation
    )
  }
}
