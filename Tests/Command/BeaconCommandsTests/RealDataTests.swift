// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// Captures of other projects, through the commands: the counts of their READMEs, or of tshark if they give none.
@Suite(.enabled(if: ProjectFiles.data != nil, "the folder of real data is not here"))
struct RealDataTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let file: String
    let reports: Int
    let beaconReports: Int
    let identities: Int
    var testDescription: String { file }

    init(_ file: String, _ reports: Int, _ beaconReports: Int, _ identities: Int) {
      (self.file, self.reports) = (file, reports)
      (self.beaconReports, self.identities) = (beaconReports, identities)
    }
  }

  static let rows = [
    Row("dp3t-epfl/exp34-18.btsnoop", 19_078, 2850, 5),
    Row("six-beacons/six-beacons-btmon-2001.btsnoop", 378, 346, 6),
    Row("six-beacons/six-beacons-dlt201.pcap", 378, 346, 6),
    Row("btsnoop-ibeacons/csacca-govee-scanrsp.adv.btsnoop", 412, 11, 2),
    Row("btsnoop-ibeacons/csacca-govee-scanrsp.full.btsnoop", 412, 11, 2),
    Row("btsnoop-ibeacons/pongbot-ext.adv.btsnoop", 460, 3, 1),
    Row("redhat-rooms/hcidumpBig.raw", 494, 429, 11),
    Row("pact-linklayer/confroom-6ft-nrf52-0deg.pcapng", 12_607, 0, 0),
    Row("btsnoop-ibeacons/wban-no-ibeacon.adv.btsnoop", 2565, 0, 0),
  ]

  @Test(arguments: rows) func `inspect and scan count what was published`(_ row: Row) throws {
    let path = try #require(ProjectFiles.data).appending(path: row.file).path
    let inspected = try JSONSerialization.jsonObject(
      with: Data(CommandRun(["inspect", path, "--format", "json"]).output.utf8)
    )
    let report = try #require(inspected as? [String: Any])
    #expect(report["advertising_reports"] as? Int == row.reports)
    #expect(report["ibeacon_reports"] as? Int == row.beaconReports)
    #expect((report["identities"] as? [Any])?.count == row.identities)
    #expect(CommandRun(["scan", "--from", path]).lines.count == row.beaconReports)
  }
}
