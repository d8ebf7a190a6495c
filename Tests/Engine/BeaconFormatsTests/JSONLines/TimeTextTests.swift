// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconFormats

@Suite struct TimeTextTests {
  static func text(_ time: Timestamp) -> String {
    var writer = JSONLineWriter()
    writer.timestamp(time)
    return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000Z"),
    (1_426_008_001_123_456, "2015-03-10T17:20:01.123456Z"),
    (951_782_399_999_999, "2000-02-28T23:59:59.999999Z"),
    (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
    (4_107_542_400_000_001, "2100-03-01T00:00:00.000001Z"),
    (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
  ])
  func `a time is written and read back`(_ microseconds: Int64, _ text: String) {
    let time = Timestamp(microseconds: microseconds)
    #expect(Self.text(time) == text)
    #expect(RFC3339.parse(text) == time)
  }

  @Test func `the calendar agrees with Foundation's over all years`() {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime]
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: 0..<253_402_300_800, using: &random)
      let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      let text = Self.text(Timestamp(microseconds: seconds * 1_000_000))
      #expect(text == expected.dropLast() + ".000000Z")
      #expect(RFC3339.parse(text)?.microseconds == seconds * 1_000_000)
    }
  }

  @Test(arguments: [
    ("2015-03-10T17:20:01Z", 1_426_008_001_000_000),
    ("2015-03-10t17:20:01z", 1_426_008_001_000_000),
    ("2015-03-10T19:20:01+02:00", 1_426_008_001_000_000),
    ("2015-03-10T11:50:01-05:30", 1_426_008_001_000_000),
    ("2015-03-10T17:20:01.5Z", 1_426_008_001_500_000),
    ("2015-03-10T17:20:01.1234564Z", 1_426_008_001_123_456),
    ("2015-03-10T17:20:01.1234565Z", 1_426_008_001_123_457),
    ("2015-03-10T17:20:01.999999999Z", 1_426_008_002_000_000),
    ("1970-01-01T01:00:00+01:00", 0),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
  ])
  func `any offset and fraction is read`(_ text: String, _ microseconds: Int64) {
    #expect(RFC3339.parse(text)?.microseconds == microseconds)
  }

  @Test(arguments: [
    "", "2015-03-10", "2015-03-10T17:20:01", "2015-03-10 17:20:01Z", "2015-02-29T00:00:00Z",
    "2015-13-01T00:00:00Z", "2015-00-01T00:00:00Z", "2015-01-00T00:00:00Z",
    "2015-01-01T24:00:00Z", "2015-01-01T00:60:00Z", "2015-01-01T00:00:61Z",
    "2015-01-01T00:00:00.Z", "2015-01-01T00:00:00.1234567890Z", "2015-01-01T00:00:00+1:00",
    "2015-01-01T00:00:00+01:00x", "2015-01-01T00:00:00Zx", "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.9999999Z",
    "２015-01-01T00:00:00Z", "-015-01-01T00:00:00Z", "2015-01-01T00:00:00+24:00",
  ])
  func `a text that is not a time is refused`(_ text: String) {
    #expect(RFC3339.parse(text) == nil)
  }
}
