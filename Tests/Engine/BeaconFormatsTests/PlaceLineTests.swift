// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

@testable import BeaconFormats

/// The lines of places in recordings.
@Suite struct PlaceLineTests {
  private static let beacon = BeaconIdentity(
    uuid: 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E,
    major: 1,
    minor: 2
  )
  private static let start = Timestamp(microseconds: 1_777_716_000_000_000)

  private static func recorded(_ batch: ScanBatch) -> [UInt8] {
    var writer = CaptureLineWriter(CaptureHeader(tool: "test", version: "1", profile: nil))
    writer.append(batch)
    return writer.bytes
  }

  private static func read(_ bytes: [UInt8]) throws -> (places: [BeaconPlace], drops: Int) {
    var reader = try CaptureReader(MemorySource(bytes))
    var places: [BeaconPlace] = []
    while let batch = try reader.next() {
      for case .place(let report) in batch.inputs {
        if let place = batch.place(of: report) { places.append(place) }
      }
    }
    return (places, reader.drops.total)
  }

  @Test func `places are written and read again, whatever their names are`() throws {
    let places = [
      BeaconPlace(Self.beacon, .at("hall"), hundredths: 97, heard: 3, deaf: 1),
      BeaconPlace(Self.beacon, .at("\u{1B}[31m\"\\\n\u{202E}café"), hundredths: 100),
      BeaconPlace(Self.beacon, .unknown, hundredths: 50),
      BeaconPlace(Self.beacon, .absent, heard: 0),
      BeaconPlace(nil, .absent, deaf: 2), BeaconPlace(nil, .unknown),
    ]
    var batch = ScanBatch()
    for (second, place) in places.enumerated() {
      batch.append(place, at: Self.start + .seconds(Int64(second)))
    }
    let bytes = Self.recorded(batch)
    #expect(!bytes.contains(0x1B))
    let read = try Self.read(bytes)
    #expect(read.places == places)
    #expect(read.drops == 0)
  }

  @Test func `the line is as documented`() {
    var batch = ScanBatch()
    let place = BeaconPlace(Self.beacon, .at("hall"), hundredths: 97, heard: 3, deaf: 1)
    batch.append(place, at: Self.start)
    batch.append(BeaconPlace(nil, .absent), at: Self.start)
    let lines = String(decoding: Self.recorded(batch), as: UTF8.self).split(separator: "\n")
    #expect(
      lines[1]
        == #"{"v":1,"type":"place","t":"2026-05-02T10:00:00.000000Z","#
        + #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"#
        + #""place":"hall","p":0.97,"receivers":{"heard":3,"deaf":1}}"#
    )
    #expect(
      lines[2]
        == #"{"v":1,"type":"place","t":"2026-05-02T10:00:00.000000Z","uuid":null,"major":null,"minor":null,"#
        + #""place":null,"p":0.00,"receivers":{"heard":0,"deaf":0},"absent":true}"#
    )
  }

  @Test(arguments: [
    #""uuid":"x","major":1,"minor":2,"place":"hall","p":0.97"#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":70000,"minor":2,"place":"hall""#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"place":"hall""#,
    #""uuid":null,"place":"hall""#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"place":"""#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"place":7"#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"place":null,"p":1e300"#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"p":-1"#,
    #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"receivers":{"heard":-1}"#,
  ])
  func `a line that is no place is left out and counted`(_ fields: String) throws {
    let line = #"{"v":1,"type":"place","t":"2026-05-02T10:00:00.000000Z",\#(fields)}"#
    let mark = #"{"v":1,"type":"mark","t":"2026-05-02T10:00:01.000000Z"}"#
    let read = try Self.read(Array("\(mark)\n\(line)\n".utf8))
    #expect(read.places.isEmpty)
    #expect(read.drops == 1)
  }

  @Test func `a name of any length neither traps nor grows a batch`() throws {
    let line =
      #"{"v":1,"type":"place","t":"2026-05-02T10:00:00.000000Z","uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","#
      + #""major":1,"minor":2,"place":"\#(String(repeating: "x", count: 70_000))"}"#
    let read = try Self.read(Array("\(line)\n".utf8))
    #expect(read.places.isEmpty)
    #expect(read.drops == 1)
  }
}
