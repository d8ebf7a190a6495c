// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The files of the process: those in the folder of the executable, and standard error.
enum ProcessFiles {
  private static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

  /// Writes a line to standard error.
  static let write: @Sendable (String) -> Void = { line in
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// The executable's name.
  static var name: String { executable.lastPathComponent }

  /// Returns the path of the first of some files that exists.
  static func first(of names: [String]) -> String? {
    let folder = executable.deletingLastPathComponent()
    return names.map { folder.appendingPathComponent($0).path }
      .first { FileManager.default.fileExists(atPath: $0) }
  }
}
