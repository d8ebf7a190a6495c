// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconGateway
import BeaconTestSupport
import BrokerClient
import BrokerTestSupport
import Beacons
import Foundation
import Synchronization
import SystemKit
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
      for text in ["{", line] {
        _ = try broker.run("mosquitto_pub", ["-t", "beacons/1/home/hall/levels", "-m", text])
      }
      for case .level(let report) in batch.inputs { reports.append(report.time) }
    }
    #expect(!reports.isEmpty && reports.allSatisfy { $0 >= start })
    #expect(source.receiverNames == ["mqtt://home", "hall/hci0"])
    #expect(source.drops.total == 0)
    #expect(source.unused.map(\.name) == ["notJSON"])
  }

  // Row M6.
  @Test(.slow) func `messages that waited while this program stood still are of no time`()
    async throws
  {
    let broker = try Mosquitto()
    let ahead = Mutex(Duration.zero)
    let address = try BrokerAddress(parsing: "mqtt://127.0.0.1:\(broker.port)")
    let source = try await BrokerSource(
      BrokerAccess(address, clientID: "reader"),
      try #require(TopicName("home")),
      timeline: SourceTimeline(uptime: { .now + ahead.withLock { $0 } })
    )
    defer { source.stop() }
    let start = source.now
    var states: [(state: RadioState, second: Double)] = []
    var reports: [Double] = []
    func second(_ time: Timestamp) -> Double {
      Double(time.microseconds - start.microseconds) / 1_000_000
    }
    func pass() async {
      for input in await source.next(until: nil)?.inputs ?? [] {
        if case .radio(1, let state, let time) = input {
          states.append((state, second(time)))
        }
        if case .level(let report) = input { reports.append(second(report.time)) }
      }
    }
    func send() throws {
      let node = "espresense/devices/iBeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e-1-2/kitchen"
      _ = try broker.run("mosquitto_pub", ["-t", node, "-m", #"{"rssi":-70}"#])
    }
    while reports.isEmpty {
      try send()
      await pass()
    }
    // This is sent while the program stands still, and waits.
    try send()
    ahead.withLock { $0 = .seconds(40) }
    for _ in 0..<60 { await pass() }
    #expect(states.map(\.state) == [.listening, .gone] && (states.last?.second ?? 99) < 30)
    #expect(reports.allSatisfy { $0 < 30 })
    while states.last?.state != .listening {
      try send()
      await pass()
    }
    #expect(states.last?.second ?? 0 > 40 && (reports.last ?? 99) < 90)
    let told = source.drainRemarks()
    #expect(told.contains { $0.hasPrefix("this program was stalled for 4") }, "\(told)")
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
