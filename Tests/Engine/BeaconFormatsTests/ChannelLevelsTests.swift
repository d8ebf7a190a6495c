// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Testing

@Suite struct ChannelLevelsTests {
  static func report(_ channel: AdvertisingChannel?, _ rssi: Int8?) -> AdvertisingReport {
    AdvertisingReport(
      time: TestScan.at(0),
      rssi: rssi,
      channel: channel,
      payloadStart: 0,
      payloadCount: 0
    )
  }

  @Test func `levels and their spread are counted by channel`() {
    var channels = ChannelLevels()
    channels.add(Self.report(nil, -50))
    #expect(channels.levels.isEmpty && channels.spread == nil)
    for index in 0..<10 {
      channels.add(Self.report(.channel37, index.isMultiple(of: 2) ? -60 : -61))
      channels.add(Self.report(.channel39, -72))
    }
    // Too few for a spread.
    for _ in 0..<9 { channels.add(Self.report(.channel38, -90)) }
    channels.add(Self.report(.channel38, nil))
    #expect(channels.levels.map(\.channel) == [.channel37, .channel38, .channel39])
    #expect(channels.levels.map(\.reports) == [10, 10, 10])
    #expect(channels.levels.map(\.mean) == [-60.5, -90, -72])
    #expect(channels.spread == 11.5)
    channels.add(Self.report(.channel38, -90))
    #expect(channels.spread == 29.5)
  }

  static func inspection(_ file: URL) throws -> CaptureInspection {
    var reader = try CaptureReader(MemorySource(Array(Data(contentsOf: file))))
    var inspection = CaptureInspection()
    while let batch = try reader.next() { inspection.add(batch) }
    return inspection
  }

  /// Link types 256 (by radio channel) and 272 (by number) state it, all others do not.
  @Test(arguments: [
    ("link-layer-radio.pcap", 3), ("nordic.pcap", 3), ("nordic-v2.pcap", 3), ("link-layer.pcap", 0),
    ("h4.pcap", 0),
  ])
  func `captures of sniffers state the channel`(_ name: String, _ channels: Int) throws {
    let inspection = try Self.inspection(ProjectFiles.fixtures.appending(path: "captures/\(name)"))
    let levels = inspection.channels.levels
    #expect(levels.count == channels)
    #expect(levels.reduce(0) { $0 + $1.reports } == (channels > 0 ? inspection.reports : 0))
    for record in inspection.identities {
      let reports = record.channels.levels.reduce(0) { $0 + $1.reports }
      #expect(reports == (channels > 0 ? record.reports : 0))
    }
  }

  @Test func `a sniffer's signal of 127 or above 0 is not known`() throws {
    var capture = try FixtureCaptureTests.bytes("link-layer-radio.pcap")
    var record = 24
    while record < capture.count {
      let count = Int(capture[record + 8]) | Int(capture[record + 9]) << 8
      capture[record + 17] = record.isMultiple(of: 2) ? 127 : 5
      record += 16 + count
    }
    var reader = try CaptureReader(MemorySource(capture))
    var levels: [Int8?] = []
    while let batch = try reader.next() {
      for case .report(let report) in batch.inputs { levels.append(report.rssi) }
    }
    #expect(levels.count > 10 && levels.allSatisfy { $0 == nil })
  }

  /// The counts are those of a script of ten lines over the same bytes; the Ubertooth stayed on one channel.
  @Test(
    .enabled(if: ProjectFiles.data != nil, "the folder of real data is not here"),
    arguments: [("nrf52", [4233, 4261, 4113]), ("ubertooth", [3714])]
  )
  func `real sniffers' channels are read`(_ sniffer: String, _ reports: [Int]) throws {
    let data = try #require(ProjectFiles.data)
    let file = data.appending(path: "pact-linklayer/confroom-6ft-\(sniffer)-0deg.pcapng")
    let inspection = try Self.inspection(file)
    #expect(inspection.channels.levels.map(\.reports) == reports)
    #expect((inspection.channels.spread != nil) == (reports.count > 1))
  }
}
