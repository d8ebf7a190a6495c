// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import BrokerClient
import BrokerTestSupport
import Beacons
import Foundation
import Testing

/// A program that reads a broker, with public names only.
@Suite(
  .enabled(if: Mosquitto.isThere, "mosquitto is not installed; tools/setup installs it"),
  .serialized
)
struct BrokerSourceTests {
  @Test(.slow) func `a program reads the gateways of a site`() async throws {
    let broker = try Mosquitto()
    let source = try await BrokerSource("mqtt://127.0.0.1:\(broker.port)/home")
    defer { source.stop() }
    let start = source.now
    var reports: [Timestamp] = []
    var sent = 0
    while reports.isEmpty, sent < 1000, let batch = await source.next(until: nil) {
      // A message from before the subscription is lost.
      sent += 1
      let second = ISO8601DateFormatter().string(from: Date())
      let line =
        #"{"v":1,"t":"\#(second)","boot":"b","seq":\#(sent),"receiver":"hci0","span":1,"#
        + #""beacons":[["F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/2",-70,2,-59]]}"#
      _ = try broker.run("mosquitto_pub", ["-t", "beacons/1/home/hall/levels", "-m", line])
      for case .level(let report) in batch.inputs { reports.append(report.time) }
    }
    #expect(!reports.isEmpty && reports.allSatisfy { $0 >= start })
    #expect(source.receiverNames == ["mqtt://home", "hall/hci0"])
    #expect(source.drops.total == 0)
  }

  @Test func `a broker that does not answer is an error with a sentence`() async throws {
    let broker = try Mosquitto()
    broker.kill()
    let error = await #expect(throws: BrokerError.self) {
      try await BrokerSource("mqtt://127.0.0.1:\(broker.port)/home")
    }
    #expect(error?.description.hasPrefix("no broker answers at mqtt://127.0.0.1") ?? false)
    await #expect(throws: (any Error).self) { try await BrokerSource("mqtt://127.0.0.1") }
  }
}
