// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCommands

/// The names of recordings that a key starts.
@Suite struct RecordingNameTests {
  @Test func `a recording's name is the time, and no file has it yet`() {
    #expect(RecordingName.base(at: TestScan.start) == "beacons-20231114T221320Z")
    #expect(RecordingName.unused(at: TestScan.start) == "beacons-20231114T221320Z.jsonl")
  }
}
