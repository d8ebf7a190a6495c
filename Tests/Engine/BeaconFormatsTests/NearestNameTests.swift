// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconFormats

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("formt", "format"), ("fomrat", "format"), ("FORMAT", "format"), ("satisfing", "satisfying"),
    ("sumary", "summary"), ("xyz", nil), ("", nil), ("a", nil), ("fro", "from"),
    (String(repeating: "f", count: 1000), nil),
  ])
  func `the nearest name is found or none`(_ name: String, _ nearest: String?) {
    let names = ["from", "format", "satisfying", "summary", "v"]
    #expect(NearestName.find(name, in: names) == nearest)
  }

  @Test func `among equals the first is found`() {
    #expect(NearestName.find("cat", in: ["bat", "hat"]) == "bat")
  }
}
