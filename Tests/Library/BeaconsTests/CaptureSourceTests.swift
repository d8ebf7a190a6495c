// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconTestSupport
import Beacons
import Foundation
import Testing

/// Captures as scan sources.
@Suite(.timeLimit(.minutes(1)))
struct CaptureSourceTests {
  @Test func `a session ranges a capture`() async throws {
    let path = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
    let source = try CaptureSource(path: path)
    let session = BeaconSession(source)
    let start = try await session.now
    let client = try await session.connect()
    let uuid = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
    let ticks = try await session.run {
      await client.ranging(satisfying: uuid).reduce(into: [RangingTick]()) { $0.append($1) }
    }
    #expect(ticks.first.map { $0.time } == start.nextWholeSecond)
    #expect(ticks.allSatisfy { !$0.beacons.isEmpty })
    #expect(!source.isLive)
    #expect(await source.remarks.isEmpty)
  }

  @Test func `a file that is no capture is reported when it is opened`() throws {
    #expect(throws: (any Error).self) { try CaptureSource(path: #filePath) }
    #expect(throws: SystemError.self) { try CaptureSource(path: "/nowhere/at/all") }
  }
}
