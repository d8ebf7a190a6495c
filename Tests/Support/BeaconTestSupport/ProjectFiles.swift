// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Foundation

/// The paths of the project's files, found from this source file.
public enum ProjectFiles {
  public static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  public static let fixtures = root.appending(path: "Fixtures")

  /// Captures that the project did not make: `$BEACON_DATA`, else `../shared/data` next to the project.
  public static let data: URL? = {
    let named = ProcessInfo.processInfo.environment["BEACON_DATA"].map { URL(fileURLWithPath: $0) }
    let folder = named ?? root.deletingLastPathComponent().appending(path: "shared/data")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()
}
