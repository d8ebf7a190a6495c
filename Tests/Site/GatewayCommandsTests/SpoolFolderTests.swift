// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconGateway
import BrokerTestSupport
import CommandTestSupport
import Foundation
import SystemKit
import Testing

@testable import BrokerClient
@testable import GatewayCommands

/// The folder of a gateway's messages, and that of an earlier version.
@Suite struct SpoolFolderTests {
  static func topics(_ site: String, _ gateway: String) throws -> SiteTopics {
    SiteTopics(
      site: try #require(TopicName(site)),
      gateway: try #require(TopicName(gateway))
    )
  }

  static func folder(_ state: ScratchFolder, _ site: String, _ gateway: String) throws
    -> SpoolFolder
  {
    SpoolFolder(try topics(site, gateway), ["STATE_DIRECTORY": state.path("")])
  }

  /// Leaves what an earlier version would leave: messages and the list of retained topics.
  static func leave(_ state: ScratchFolder, _ name: String, _ topics: [String]) throws {
    let spool = try Spool(state.path(name))
    for number in 0..<3 {
      let record = SpoolRecord(topic: "beacons/1/x", payload: Array("\(number)".utf8))
      #expect(spool.append(record, isUrgent: true) != nil)
    }
    _ = Spool.replace(state.path(name) + "/topics", with: RetainedStates.bytes(of: topics))
  }

  static func waiting(_ folder: String) throws -> UInt64 { try Spool(folder).outbox.waiting }

  @Test func `no two gateways have one folder`() throws {
    let state = try ScratchFolder()
    let names = [("a-b", "c"), ("a", "b-c"), ("a_b", "c"), ("a.b", "c"), ("c", "a-b"), ("..", ".")]
    let paths = try names.map { try Self.folder(state, $0.0, $0.1).path }
    #expect(Set(paths).count == names.count)
    #expect(paths.allSatisfy { URL(fileURLWithPath: $0).standardized.path == $0 })
  }

  @Test func `a gateway goes on with the folder of an earlier version, once`() throws {
    let state = try ScratchFolder()
    try Self.leave(state, "gateway-home-hall", ["beacons/1/home/hall/status"])
    let folder = try Self.folder(state, "home", "hall")
    folder.carryOver()
    #expect(try Self.waiting(folder.path) == 3)
    #expect(FileStatus(state.path("gateway-home-hall")) == nil)
    // What an earlier version leaves afterwards is not put over it.
    try Self.leave(state, "gateway-home-hall", [])
    folder.carryOver()
    #expect(try Self.waiting(folder.path) == 3)
    #expect(FileStatus(state.path("gateway-home-hall")) != nil)
  }

  @Test func `a folder that two gateways can have had is that of the one that retained its states`()
    throws
  {
    let state = try ScratchFolder()
    let common = ["beacons/1/a-b/place/x", "homeassistant/device/beacons_a_b_c/config"]
    let other = ["beacons/1/a/b-c/region/x", "beacons/1/a/b-c/status"]
    let own = ["beacons/1/a-b/c/status"]
    try Self.leave(state, "gateway-a-b-c", common + other)
    let folder = try Self.folder(state, "a-b", "c")
    folder.carryOver()
    #expect(FileStatus(folder.path) == nil, "it is the other one's")
    _ = Spool.replace(
      state.path("gateway-a-b-c/topics"),
      with: RetainedStates.bytes(of: common + other + own)
    )
    folder.carryOver()
    #expect(try Self.waiting(folder.path) == 3)
    let list = RetainedStates.topics(in: try WholeFile.read(folder.path + "/topics"))
    #expect(Set(list) == Set(common + own), "the other one's states are not deleted")
  }

  @Test func `a folder that is in use stays where it is`() throws {
    let state = try ScratchFolder()
    try Self.leave(state, "gateway-home-hall", [])
    let user = try Spool(state.path("gateway-home-hall"))
    let folder = try Self.folder(state, "home", "hall")
    folder.carryOver()
    #expect(FileStatus(folder.path) == nil)
    withExtendedLifetime(user) {}
  }

  @Test(.enabled(if: Mosquitto.isThere, "mosquitto is not installed; tools/setup installs it"))
  func `what Home Assistant was told of under an earlier identifier is deleted`() throws {
    let (broker, state) = (try Mosquitto(), try ScratchFolder())
    let earlier = "homeassistant/device/beacons_my_home_hall/config"
    try Self.leave(state, "gateway-my-home-hall", [earlier, "beacons/1/my-home/hall/status"])
    _ = try broker.run("mosquitto_pub", ["-r", "-t", earlier, "-m", "{}"])
    let run = CommandRun(
      of: GatewayUsageTests.program,
      [
        "gateway", "--from", CommandRun.capture("walk.btsnoop"), "--site", "my-home",
        "--gateway", "hall", "--speed", "1000x", "--broker", "mqtt://127.0.0.1:\(broker.port)",
        "--home-assistant",
      ],
      environment: ["STATE_DIRECTORY": state.path("")]
    )
    #expect(run.code == .done, "\(run.errors)")
    let kept = try broker.run(
      "mosquitto_sub",
      ["-t", "homeassistant/#", "-v", "-C", "1", "-W", "20", "--retained-only"]
    )
    #expect(kept.hasPrefix("homeassistant/device/beacons_my-2dhome_hall/config "))
    #expect(!kept.contains(earlier))
    #expect(try Self.waiting(state.path("gateway-hall@my-home")) == 0, "all of it was sent")
  }
}
