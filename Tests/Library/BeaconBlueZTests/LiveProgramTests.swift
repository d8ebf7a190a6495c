// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconTestSupport
import Foundation
import Testing

/// The README's program that ranges live, on a machine without a bus.
@Suite struct LiveProgramTests {
  @Test func `the program falls back to a capture`() async throws {
    let gallery = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1")
    let source: any ScanSource
    do {
      source = try await BlueZSource.start(BlueZScanOptions(bus: "unix:path=/nowhere"))
    } catch {
      let capture = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
      source = try CaptureSource(path: capture)
    }
    let session = BeaconSession(source)
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

  @Test func `the pages show the program`() throws {
    for page in ["README.md", "Sources/Library/BeaconBlueZ/BeaconBlueZ.docc/BeaconBlueZ.md"] {
      let text = try String(contentsOf: ProjectFiles.root.appending(path: page), encoding: .utf8)
      for line in [
        "import BeaconBlueZ", "let source: any ScanSource", "let session = BeaconSession(source)",
        "let client = try await session.connect()",
        "for await tick in client.ranging(satisfying: gallery) {",
      ] {
        #expect(text.contains(line))
      }
    }
  }
}
