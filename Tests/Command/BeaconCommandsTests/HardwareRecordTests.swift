// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// Recordings of volunteers' radios, `Fixtures/hardware`: each replays to the same bytes for ever.
@Suite struct HardwareRecordTests {
  static let folder = ProjectFiles.fixtures.appending(path: "hardware")

  static let records: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted()
  }()

  @Test(arguments: records) func `a recording of a radio replays to the golden events`(
    _ name: String
  ) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    let start = try #require(text.range(of: #"{"v":1,"type":"capture""#)).lowerBound
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
    defer { try? FileManager.default.removeItem(at: path) }
    try String(text[start...]).write(to: path, atomically: true, encoding: .utf8)
    for (command, format) in [("inspect", "json"), ("range", "csv")] {
      let words = command == "inspect" ? [path.path] : ["--from", path.path]
      let run = CommandRun([command] + words + ["--format", format])
      #expect(run.code.rawValue == 0, "\(command): \(run.errors)")
      // The name of the temporary file is another one each time.
      let output = run.output.replacingOccurrences(of: path.path, with: name)
      try Golden.expect(output, "hardware/\(name)/\(command).\(format)")
    }
  }
}
