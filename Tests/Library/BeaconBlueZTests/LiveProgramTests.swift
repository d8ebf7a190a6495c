// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconTestSupport
import Foundation
import Testing

/// The README's program that ranges live, on a machine without a bus.
@Suite struct LiveProgramTests {
  /// The program's source, on a machine without a bus.
  private func source(_ arguments: [String]) async throws -> any ScanSource {
    guard let path = arguments.dropFirst().first else {
      return try await BlueZSource.start(BlueZScanOptions(bus: "unix:path=/nowhere"))
    }
    return try CaptureSource(path: path)
  }

  @Test func `the program replays the capture that it is given`() async throws {
    let gallery = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1")
    let capture = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
    let session = BeaconSession(try await source(["program", capture]))
    let client = try await session.connect()
    var printed: [String] = []
    try await session.run {
      for await tick in client.ranging(satisfying: gallery) {
        for beacon in tick.beacons {
          printed.append("\(tick.time) \(beacon.identity) \(beacon.proximity)")
        }
      }
    }
    #expect(printed.count > 30)
    #expect(printed.first?.contains("Z F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/") == true)
  }

  @Test(arguments: [["program"], ["program", "/nowhere/walk.btsnoop"]])
  func `the program prints why it has no source`(_ arguments: [String]) async throws {
    let error = await #expect(throws: (any Error).self) { try await source(arguments) }
    let sentence = error.map { "\($0)" } ?? ""
    #expect(sentence.contains("/nowhere"))
    #expect(!sentence.contains("Error("), "\(sentence)")
  }

  @Test func `the pages show the program`() throws {
    for page in ["README.md", "Sources/Library/BeaconBlueZ/BeaconBlueZ.docc/BeaconBlueZ.md"] {
      let text = try String(contentsOf: ProjectFiles.root.appending(path: page), encoding: .utf8)
      for line in [
        "import BeaconBlueZ", "import Foundation", "let source: any ScanSource",
        "if let path = CommandLine.arguments.dropFirst().first {",
        "source = try CaptureSource(path: path)", "source = try await BlueZSource.start()",
        "print(\"no source: \\(error); an argument can be the path of a capture\")", "exit(1)",
        "let session = BeaconSession(source)",
        "let client = try await session.connect()",
        "for await tick in client.ranging(satisfying: gallery) {",
      ] {
        #expect(text.contains(line))
      }
    }
  }
}
