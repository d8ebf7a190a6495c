// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconFormats

/// Names of beacons, and what is not an iBeacon.
@Suite struct NameBookTests {
  static let schema = ConfigurationSchema.core
  static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  @Test func `a file names beacons, in any spelling of a UUID`() throws {
    let file = try ConfigurationFile(
      Array(
        "{ beacons: { '\(Self.uuid)/1/7': 'Astrolabe', '\(Self.uuid.lowercased())/1/8': 'Globe' } }"
          .utf8
      ),
      Self.schema
    )
    #expect(file.names[TestScan.beacon(1, 7)] == "Astrolabe")
    #expect(file.names[TestScan.beacon(1, 8)] == "Globe")
    #expect(file.names[TestScan.beacon(1, 9)] == nil)
    #expect(file.names.entries.map(\.name) == ["Astrolabe", "Globe"])
  }

  @Test(arguments: [
    ("'x': 'a'", "not a UUID"), ("'\(uuid)': 'a'", "UUID/MAJOR/MINOR"),
    ("'\(uuid)/1/7': ''", "empty"),
    ("'\(uuid)/1/7': 7", "text"), ("'\(uuid)/1/7': '7'", "number"),
    ("'\(uuid)/1/7': '1/2'", "number"), ("'\(uuid)/1/7': '0x10'", "number"),
    ("'\(uuid)/1/7': '\(uuid)'", "UUID"), ("'\(uuid)/1/7': '\(uuid)-1-2'", "UUID"),
    ("'\(uuid)/1/7': 'f782'", "UUID"), ("'\(uuid)/1/7': 'F782/1'", "UUID"),
  ])
  func `a wrong name is a fault with its place`(_ entry: String, _ text: String) throws {
    let faults = #expect(throws: JSON5Faults.self) {
      try ConfigurationFile(Array("{ beacons: { \(entry) } }".utf8), Self.schema)
    }
    let description = faults.map { "\($0.faults)" } ?? ""
    #expect(description.contains(text), "\(description)")
  }

  @Test func `a name or the beginning of its UUID is enough in the same file`()
    throws
  {
    let file = try ConfigurationFile(
      Array(
        """
        { calibration: { beacons: { Globe: -61, 'F782/1/9': -62, F782: -63 }, places: { Globe: { '2': -70 } } },
          beacons: { '\(Self.uuid)/1/7': 'Globe' } }
        """.utf8
      ),
      Self.schema
    )
    let powers = file.calibration.overrides.map { "\($0.constraint)" }
    #expect(powers.sorted() == [Self.uuid, "\(Self.uuid)/1/7", "\(Self.uuid)/1/9"])
    #expect(file.places.map(\.beacon) == [TestScan.beacon(1, 7)])
  }

  @Test(arguments: ["Globe", "F78", "Room 7", "7th", "1/2 hall", "Fee", "Beefeater", "🔭", "é"])
  func `other texts are names`(_ name: String) {
    #expect(NameBook.fault(of: name) == nil)
  }

  @Test(arguments: ["Globe", "Twin", "F78", "E782/1/7", "F782/x"])
  func `a key that stands for no beacon, or for several, is a fault`(_ key: String) {
    let text =
      "{ beacons: { '\(Self.uuid)/1/7': 'Twin', '\(Self.uuid)/1/8': 'Twin' },"
      + " calibration: { beacons: { '\(key)': -61 } } }"
    #expect(throws: JSON5Faults.self) { try ConfigurationFile(Array(text.utf8), Self.schema) }
  }

  @Test func `a later book's names take precedence`() throws {
    var one = NameBook()
    one[TestScan.beacon(1, 1)] = "one"
    one[TestScan.beacon(1, 2)] = "two"
    var other = NameBook()
    other[TestScan.beacon(1, 2)] = "zwei"
    one.add(other)
    #expect(one.entries.map(\.name) == ["one", "zwei"])
    #expect(NameBook.maker(of: TestScan.museum) == "Kontakt.io")
    #expect(NameBook.maker(of: 1) == nil)
  }

  @Test func `a text is set, replaced and removed, comments stay`() throws {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    let file = "{\n  // mine\n  beacons: {\n    a: 'x', // first\n    'b': \"y\\\"}\",\n  },\n}\n"
    let path = ["beacons", "b"]
    #expect(
      text(try JSON5Edit.setText("z", at: path, in: Array(file.utf8)))
        == "{\n  // mine\n  beacons: {\n    a: 'x', // first\n    'b': \"z\",\n  },\n}\n"
    )
    #expect(
      text(try JSON5Edit.removeText(at: path, in: Array(file.utf8)))
        == "{\n  // mine\n  beacons: {\n    a: 'x', // first\n  },\n}\n"
    )
    #expect(
      text(try JSON5Edit.removeText(at: ["beacons", "a"], in: Array(file.utf8)))
        == "{\n  // mine\n  beacons: {\n    // first\n    'b': \"y\\\"}\",\n  },\n}\n"
    )
    #expect(text(try JSON5Edit.removeText(at: ["x"], in: Array(file.utf8))) == file)
    #expect(text(try JSON5Edit.removeText(at: ["a"], in: Array("{a:'1',b:'2'}".utf8))) == "{b:'2'}")
    let hard = "a\"b\\c\u{1}\u{2028}ü"
    let set = try JSON5Edit.setText(hard, at: ["beacons", "x/1/2"], in: [])
    #expect(try JSON5.parse(set)["beacons"]?["x/1/2"]?.content == .string(hard))
    #expect(throws: JSON5Faults.self) {
      try JSON5Edit.setText("a", at: ["n"], in: Array("{n:1}".utf8))
    }
  }

  @Test(arguments: [
    ("0201061aff4c000c0e00", AdvertisementKind.other), ("020106 0aff4c001005031c0a0b0c", .apple),
    ("1eff4c001219" + String(repeating: "00", count: 25), .findMy),
    ("0303aafe1516aafe00e7" + String(repeating: "00", count: 16), .eddystone),
    ("1bff1801beac" + String(repeating: "00", count: 22), .altBeacon), ("0616d2fc400100", .btHome),
    ("", .other), ("ff", .other), ("02", .other), ("0416", .other),
  ])
  func `what is no iBeacon has a kind`(_ hex: String, _ kind: AdvertisementKind) {
    let digits = Array(hex.filter { $0 != " " })
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
    }
    let read = AdvertisementKind.read(advertisingData: bytes.span, in: 0..<bytes.count)
    #expect(read == kind)
  }

  @Test func `kinds are counted in a sentence, the most frequent first`() {
    var tally = Tally<AdvertisementKind>()
    #expect(tally.sentence == nil)
    tally.count(.other)
    #expect(tally.sentence == "1 other: 1 other")
    tally.count(.apple, times: 41)
    tally.count(.eddystone, times: 12)
    #expect(tally.sentence == "54 others: 41 Apple, 12 Eddystone, 1 other")
  }

  @Test(arguments: [
    (0, "0 s"), (0.049, "0 s"), (0.05, "0.1 s"), (10.4, "10.4 s"), (59.96, "60 s"), (95, "95 s"),
    (119.949, "119.9 s"), (119.95, "2 min"), (120, "2 min"), (120.5, "2 min 1 s"),
    (355.7, "5 min 56 s"),
    (720, "12 min"), (3599.4, "59 min 59 s"), (3599.5, "1 h"), (3629.9, "1 h"), (3630, "1 h 1 min"),
    (18_720, "5 h 12 min"), (172_769, "47 h 59 min"), (172_770, "2 days"), (174_599, "2 days"),
    (174_600, "2 days 1 h"), (862_199, "9 days 23 h"), (862_200, "10 days"), (907_199, "10 days"),
    (907_200, "11 days"), (27_715_991, "321 days"), (-355.7, "-5 min 56 s"), (-0.01, "0 s"),
  ])
  func `a duration is rounded, and has at most two units`(_ seconds: Double, _ text: String) {
    #expect(DecimalText.span(TimeSpan(seconds: seconds)) == text)
  }

  @Test func `the longest duration fits its column`() {
    for span in [TimeSpan.zero, TimeSpan(microseconds: .max), TimeSpan(microseconds: .min)] {
      #expect(!DecimalText.span(span).isEmpty)
    }
    let most = stride(from: 0, to: 900_000.0, by: 97.3)
      .map { DecimalText.span(TimeSpan(seconds: $0)).count }.max()
    #expect(most == 11)
  }

  @Test func `rows have local times under the day and the zone`() {
    let zone = LocalZone { $0 < TestScan.at(3600) ? .seconds(3600) : .seconds(-9000) }
    var names = EventNames(timeStyle: .local, zone: zone)
    names.start = TestScan.start
    var clock = RowClock(names)
    #expect(clock.heading(at: TestScan.start) == "2023-11-14  UTC+01:00")
    #expect(clock.prefix(at: TestScan.start) == "23:13:20.000  ")
    #expect(clock.heading(at: TestScan.at(60)) == nil)
    // Midnight where the user is.
    #expect(clock.heading(at: TestScan.at(2800)) == "2023-11-15  UTC+01:00")
    #expect(clock.heading(at: TestScan.at(4000)) == "2023-11-14  UTC-02:30")
    names.timeStyle = .utc
    var utc = RowClock(names, dated: true)
    #expect(utc.heading(at: TestScan.start) == "times in UTC")
    #expect(utc.heading(at: TestScan.at(90_000)) == nil)
    #expect(utc.prefix(at: TestScan.start) == "2023-11-14 22:13:20.000  ")
    #expect(utc.title.count == utc.prefix(at: TestScan.start).count)
  }
}
