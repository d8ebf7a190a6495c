// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import SystemKit
import Testing

@testable import BeaconCommands

/// The line of `--summary`.
struct RunSummaryTests {
  private func line(isLimited: Bool) -> String {
    var summary = RunSummary()
    summary.unused = [("notJSON", 3), ("wrongForm", 1)]
    summary.isLimited = isLimited
    return String(decoding: summary.line(wall: .seconds(1), use: .now), as: UTF8.self)
  }

  @Test func `messages of a broker that are not used are counted by reason`() {
    let object = #""unused":{"notJSON":3,"wrongForm":1}"#
    #expect(line(isLimited: false).contains(object))
    #expect(!line(isLimited: true).contains("unused"))
  }
}
