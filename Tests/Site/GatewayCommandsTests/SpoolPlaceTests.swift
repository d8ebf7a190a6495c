// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconGateway
import CommandTestSupport
import Foundation
import Testing

@testable import GatewayCommands

/// The folder of a gateway's messages.
@Suite struct SpoolPlaceTests {
  @Test func `no two gateways have one folder`() throws {
    let names = [("a-b", "c"), ("a", "b-c"), ("a_b", "c"), ("a.b", "c"), ("c", "a-b"), ("..", ".")]
    let paths = try names.map { site, gateway in
      let topics = SiteTopics(
        site: try #require(TopicName(site)),
        gateway: try #require(TopicName(gateway))
      )
      return GatewayCommand.spoolFolder(of: topics, ["STATE_DIRECTORY": "/state"])
    }
    #expect(Set(paths).count == names.count)
    #expect(paths.allSatisfy { URL(fileURLWithPath: $0).standardized.path == $0 })
  }

  @Test func `help names the folder`() throws {
    let topics = SiteTopics(
      site: try #require(TopicName("SITE")),
      gateway: try #require(TopicName("GATEWAY"))
    )
    let folder = GatewayCommand.spoolFolder(of: topics, ["STATE_DIRECTORY": "$STATE_DIRECTORY"])
    #expect(GatewayUsageTests.run(["gateway", "--help"]).output.contains(folder))
  }
}
