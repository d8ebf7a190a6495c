// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

/// Captures of others, with the counts in their READMEs.
@Suite(.enabled(if: ProjectFiles.data != nil, "the folder of real data is not here"))
struct RealCaptureTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let file: String
    let format: CaptureFormat
    let linkTypes: [Int]
    let reports: Int
    let testDescription: String

    init(_ file: String, _ format: CaptureFormat, _ linkTypes: [Int], _ reports: Int) {
      (self.file, self.format, self.linkTypes, self.reports) = (file, format, linkTypes, reports)
      testDescription = file
    }
  }

  static let rows = [
    Row("dp3t-epfl/exp34-18.btsnoop", .btsnoop, [1002], 19_078),
    Row("btsnoop-ibeacons/csacca-govee-scanrsp.adv.btsnoop", .btsnoop, [1002], 412),
    Row("btsnoop-ibeacons/csacca-govee-scanrsp.full.btsnoop", .btsnoop, [1002], 412),
    Row("btsnoop-ibeacons/pongbot-ext.adv.btsnoop", .btsnoop, [1002], 460),
    Row("btsnoop-ibeacons/wban-no-ibeacon.adv.btsnoop", .btsnoop, [1002], 2565),
    Row("six-beacons/six-beacons-btmon-2001.btsnoop", .btsnoop, [2001], 378),
    Row("six-beacons/six-beacons-dlt201.pcap", .pcap, [201], 378),
    Row("six-beacons/six-beacons-dlt254.pcap", .pcap, [254], 378),
    Row("redhat-rooms/hcidumpBig.raw", .hcidumpText, [], 494),
  ]

  static func file(_ name: String) throws -> URL {
    try #require(ProjectFiles.data).appending(path: name)
  }

  @Test(arguments: rows) func `counts are the published ones`(_ row: Row) throws {
    let contents = try CaptureContents(Self.file(row.file))
    #expect(contents.reader.format == row.format)
    #expect(contents.reader.linkTypes == row.linkTypes)
    #expect(contents.reports.count == row.reports)
    #expect(contents.reader.drops.total == 0)
    #expect(contents.reader.damagedAt == nil)
  }

  /// Of the advertising PDUs the README counts, those with a wrong checksum are dropped: the nRF sniffer says which,
  /// the Ubertooth does not, and there the packets' own bytes decide. tshark finds the same.
  @Test(arguments: [
    ("confroom-6ft-nrf52-0deg", [272], 13_626, 12_607, 1116),
    ("confroom-6ft-ubertooth-0deg", [256], 4819, 3714, 1109),
  ])
  func `a sniffer's packets with a wrong checksum are dropped`(
    _ name: String,
    _ linkTypes: [Int],
    _ published: Int,
    _ good: Int,
    _ bad: Int
  ) throws {
    let contents = try CaptureContents(Self.file("pact-linklayer/\(name).pcapng"))
    #expect(contents.reader.format == .pcapng)
    #expect(contents.reader.linkTypes == linkTypes)
    #expect(contents.reports.count == good)
    #expect(contents.reader.drops[.badCRC] == bad)
    // The rest of the wrong ones are of no advertising type, as far as their bytes can be believed.
    #expect((good...good + bad).contains(published))
    #expect(contents.reader.damagedAt == nil)
  }
}
