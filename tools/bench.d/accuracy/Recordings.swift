// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Reads recordings of others, which are not part of the project.
enum Recordings {
  /// The rows of a text file's lines, split at a separator.
  static func rows(_ path: String, separator: Character) -> [[Substring]] {
    guard let text = text(path) else { return [] }
    return text.split(whereSeparator: \.isNewline)
      .map { $0.split(separator: separator, omittingEmptySubsequences: false) }
  }

  static func text(_ path: String) -> String? {
    guard let folder = ProjectFiles.data else { return nil }
    return try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  /// The names of a folder's files with an ending, in order.
  static func files(_ folder: String, ending: String) -> [String] {
    guard let data = ProjectFiles.data else { return [] }
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: data.appending(path: folder).path
    )
    return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
  }

  /// Returns the content of a gzip file.
  static func unzipped(_ path: String) -> String? {
    output(of: "/bin/gzip", { ["-dc", $0.path] }, path)
  }

  /// Returns the rows of a query of an SQLite file, with `|` between columns; empty without the command `sqlite3`.
  static func query(_ path: String, _ query: String) -> String {
    output(of: "/usr/bin/sqlite3", { ["file:\($0.path)?mode=ro&immutable=1", query] }, path) ?? ""
  }

  private static func output(
    of tool: String,
    _ arguments: (URL) -> [String],
    _ path: String
  ) -> String? {
    guard let folder = ProjectFiles.data else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments(folder.appending(path: path))
    let pipe = Pipe()
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(data: data, encoding: .utf8)
  }
}

extension Timestamp {
  static func milliseconds(_ value: Int64) -> Timestamp {
    Timestamp(microseconds: value &* 1000)
  }
}
