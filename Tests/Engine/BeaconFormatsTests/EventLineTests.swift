// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Foundation
import Testing

/// Events as a program reads and writes them: only with the public interface.
struct EventLineTests {
  private static let lines = [
    #"{"v":1,"type":"ranged","t":"2026-05-02T10:00:01.000000Z","client":"operator","constraint":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1","beacons":[{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":1,"proximity":"far","distance":5.89,"distance_low":2.58,"distance_high":18.99,"rssi":-74,"last_heard":"2026-05-02T10:00:00.914200Z","reports":9}]}"#,
    #"{"v":1,"type":"ranged","t":"2026-05-02T10:00:01.000000Z","client":"operator","constraint":"*","beacons":[]}"#,
    #"{"v":1,"type":"region.exit","t":"2026-05-02T10:00:01.000000Z","client":"operator","region":"museum","reason":"allSilent","why":{"identity":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17","reports":20,"rssi":-92,"power":-50,"distance":null,"interval":0.12325,"gap":27.2,"threshold":27.2,"rule":"learnedExit"}}"#,
    #"{"v":1,"type":"region.state","t":"2026-05-02T10:00:01.000000Z","client":"guide","region":"hall","state":"inside","origin":"observed","reason":"heard","sequence":12}"#,
    #"{"v":1,"type":"diagnostic","t":"2026-05-02T10:00:01.000000Z","client":"operator","code":"late","by":86403}"#,
  ]

  @Test(arguments: lines)
  func `a line is read and written as it was`(line: String) throws {
    #expect(try EventLine(parsing: line + "\n").description == line)
  }

  @Test(arguments: lines)
  func `an encoder of the program's has the same keys and values`(line: String) throws {
    let event = try EventLine(parsing: line)
    let encoder = JSONEncoder()
    let encoded = try encoder.encode(event)
    let ours = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
    #expect(try JSONSerialization.jsonObject(with: encoded) as? NSDictionary == ours)
    #expect(try JSONDecoder().decode(EventLine.self, from: encoded).description == line)
  }

  @Test func `another line names its type, or its fault`() throws {
    #expect(throws: EventLineError.otherType("mark")) {
      try EventLine(parsing: #"{"v":1,"type":"mark","t":"2026-05-02T10:00:01.000000Z"}"#)
    }
    #expect(throws: EventLineError.malformed("a line needs 't'")) {
      try EventLine(parsing: #"{"v":1,"type":"region.state"}"#)
    }
    for text in ["", "x", "[]", "{}", "null"] {
      #expect(throws: EventLineError.self) { try EventLine(parsing: text) }
    }
  }

  @Test func `a tick of several constraints has a line for each`() {
    let entries = [1, 2].map { ConstraintRanging(constraint: .uuid($0), beacons: []) }
    let line = EventLine(.ranged(entries), at: .earliest, client: "guide")
    #expect(line.description.split(separator: "\n").count == 2)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(line) }
  }

  @Test func `values that a server keeps have the form of a configuration file`() throws {
    struct Stored: Codable, Equatable {
      var constraint = IdentityConstraint.major(7, 1)
      var region = Region("hall", .uuid(7), exitTiming: .fixed(.seconds(5)))
      var manifest = Manifest(whenInUse: "To greet you.")
      var time = Timestamp(microseconds: 1_700_000_000_000_001)
      var span = TimeSpan(seconds: 2.5)
      var proximity = Proximity.near
      var state = RegionState.inside
      var status = AuthorizationStatus.authorizedAlways
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let encoded = try encoder.encode(Stored())
    #expect(try JSONDecoder().decode(Stored.self, from: encoded) == Stored())
    let uuid = "00000000-0000-0000-0000-000000000007"
    #expect(
      String(decoding: encoded, as: UTF8.self)
        == #"{"constraint":"\#(uuid)/1","manifest":{"appClip":false,"backgroundLocation":false,"#
        + #""defaultAccuracyReduced":false,"explicitServiceSession":false,"#
        + #""whenInUse":"To greet you."},"proximity":"near","#
        + #""region":{"constraint":"\#(uuid)","exit":5,"notifyEntryStateOnDisplay":false,"#
        + #""notifyOnEntry":true,"notifyOnExit":true,"region":"hall"},"span":2.5,"#
        + #""state":"inside","status":"authorizedAlways","time":"2023-11-14T22:13:20.000001Z"}"#
    )
  }

  @Test func `a wrong value names its fault and its place`() {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([IdentityConstraint].self, from: Data(#"["hall"]"#.utf8))
    }
    #expect("\(error as Any)".contains("'hall' is not a UUID"))
  }
}
