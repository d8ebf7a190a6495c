// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation
import Testing

@testable import BeaconFormats

@Suite struct JSONLineWriterTests {
  static func text(_ write: (inout JSONLineWriter) -> Void) -> String {
    var writer = JSONLineWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `keys stand in the order given and commas where they belong`() {
    let text = Self.text { writer in
      writer.beginLine("ranged")
      writer.key("beacons")
      writer.beginArray()
      for distance in [2.564, nil] {
        writer.beginObject()
        writer.key("distance")
        writer.hundredths(distance)
        writer.key("near")
        writer.bool(distance != nil)
        writer.endObject()
      }
      writer.beginArray()
      writer.endArray()
      writer.endArray()
      writer.key("ü" as String)
      writer.string("x" as String?)
      writer.key("n")
      writer.integer(-5 as Int?)
      writer.endLine()
      writer.beginLine("mark")
      writer.endLine()
    }
    #expect(
      text == """
        {"v":1,"type":"ranged","beacons":[{"distance":2.56,"near":true},{"distance":null,"near":false},[]],"ü":"x","n":-5}
        {"v":1,"type":"mark"}

        """
    )
  }

  @Test(arguments: [
    (0, "0.00"), (2.5, "2.50"), (1.9, "1.90"), (0.005, "0.01"), (-0.001, "0.00"), (-2.344, "-2.34"),
    (0.125, "0.13"), (-0.125, "-0.13"), (99.999, "100.00"), (1e300, "10000000000000.00"),
    (.infinity, "null"), (.nan, "null"),
  ])
  func `a distance has two decimals, half away from zero`(_ value: Double, _ text: String) {
    #expect(Self.text { $0.hundredths(value) } == text)
  }

  @Test(arguments: [
    (5_000_000, "5"), (100_000, "0.1"), (-1_000_001, "-1.000001"), (0, "0"),
    (.min, "-9223372036854.775808"),
  ])
  func `a span has no trailing zeros`(_ microseconds: Int64, _ text: String) {
    #expect(Self.text { $0.seconds(TimeSpan(microseconds: microseconds)) } == text)
  }

  @Test(arguments: [0, 7, -7, 10, 99, 100, 1_234_567_890, Int64.max, Int64.min])
  func `whole numbers are written whole`(_ value: Int64) {
    #expect(Self.text { $0.integer(value) } == "\(value)")
  }

  @Test func `a text of any characters is read back by JSON readers`() throws {
    let text = "\"\\/\n\r\t\u{0}\u{1F}\u{7F}é😀\u{2028}"
    let line = Self.text { $0.string(text) }
    #expect(try JSON5.parse(line).content == .string(text))
    #expect(
      try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
        as? String == text
    )
  }

  @Test func `identities and addresses are upper-case, payloads lower-case`() {
    #expect(
      Self.text { $0.uuid(0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E) }
        == "\"F7826DA6-4FA2-4E98-8024-BC5B71E0893E\""
    )
    #expect(
      Self.text { $0.address(DeviceAddress(0xAABB_CC01_02FF, kind: .random)) }
        == "\"AA:BB:CC:01:02:FF\""
    )
    #expect(Self.text { $0.hex([0, 0xAB, 0xFF]) } == "\"00abff\"")
  }

  @Test func `a sighting line has the documented form`() {
    let sightings = SightingLineWriter(receiverNames: ["hci\"0"])
    let identity = BeaconIdentity(
      uuid: 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E,
      major: 1,
      minor: 2
    )
    let text = Self.text { writer in
      let time = Timestamp(microseconds: 1_426_008_001_123_456)
      sightings.append(
        identity,
        power: -59,
        rssi: -70,
        receiver: 0,
        address: nil,
        at: time,
        to: &writer
      )
      sightings.append(
        identity,
        power: nil,
        rssi: nil,
        receiver: 9,
        address: DeviceAddress(1, kind: .random),
        at: time,
        to: &writer
      )
    }
    #expect(
      text == #"""
        {"v":1,"type":"sighting","t":"2015-03-10T17:20:01.123456Z","uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"power":-59,"rssi":-70,"receiver":"hci\"0","address":null}
        {"v":1,"type":"sighting","t":"2015-03-10T17:20:01.123456Z","uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2,"power":null,"rssi":null,"receiver":null,"address":"00:00:00:00:00:01"}

        """#
    )
  }
}
