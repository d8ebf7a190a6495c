// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation

/// The result of a line of bash in which `beaconctl` is the program as it was built.
struct BuiltCommand {
  let code: Int32
  let output: String
  let errors: String

  /// The program lies next to the tests that were built with it.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "beaconctl")

  /// How long a script may run, in seconds.
  private static let patience = 240

  /// Runs a script in the project's root. Its output goes through files, so that no pipe can fill up.
  init(_ script: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let streams = try ["output", "errors"].map { name in
      let file = folder.appending(path: name)
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      return (file, try FileHandle(forWritingTo: file))
    }
    let process = Process()
    // What never ends is a failure of one test, which shows its output, and not of all.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    // No developer's own configuration changes a test's expectation.
    // `Process` waits for all that the script started, so nothing outlives it.
    let start =
      "trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT; export BEACONS_CONFIG=none TZ=UTC; "
      + "beaconctl() { '\(Self.program.path)' \"$@\"; }; "
    process.arguments = ["--kill-after=5", "\(Self.patience)", "/bin/bash", "-c", start + script]
    process.currentDirectoryURL = ProjectFiles.root
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = streams[0].1
    process.standardError = streams[1].1
    try process.run()
    process.waitUntilExit()
    code = process.terminationStatus
    output = try String(contentsOf: streams[0].0, encoding: .utf8)
    errors = try String(contentsOf: streams[1].0, encoding: .utf8)
  }
}
