// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import Testing

/// The page about replays shows the real behavior.
@Suite struct ReplayPageTests {
  static func page() throws -> String {
    try String(contentsOf: ProjectFiles.root.appending(path: "docs/replay.md"), encoding: .utf8)
  }

  /// The lines of the page's example but for its imports, with the file found from here.
  @Test func `the example runs`() throws {
    let capture = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
    var reader = try CaptureReader(FileByteSource(path: capture))
    var inspection = CaptureInspection()
    while let batch = try reader.next() { inspection.add(batch) }

    let gallery = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1")
    var printed: [String] = []
    for beacon in inspection.identities where gallery.isSatisfied(by: beacon.identity) {
      printed.append("\(beacon.identity) \(beacon.reports)")
    }
    #expect(printed.first == "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1 214")
    let page = try Self.page()
    for line in [
      "while let batch = try reader.next() { inspection.add(batch) }",
      "for beacon in inspection.identities where gallery.isSatisfied(by: beacon.identity) {",
      "\(printed[0]) …",
    ] {
      #expect(page.contains(line))
    }
  }
}
