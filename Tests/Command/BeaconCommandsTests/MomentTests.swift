// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import Testing

@testable import BeaconCommands

/// The times of `--since` and `--until`.
@Suite struct MomentTests {
  /// Two hours ahead of UTC.
  static let zone = LocalZone { _ in .seconds(7200) }
  /// 15:00 of the local clock.
  static let now = RFC3339.parse("2026-05-02T13:00:00Z") ?? .earliest

  static func time(_ text: String, start: String? = nil) throws -> String {
    let moment = try ValueKind<Moment>.moment.read(text)
    let start = start.flatMap { RFC3339.parse($0) }
    return String(
      RFC3339.string(moment.time(zone, now: now, start: start)).prefix(19).dropFirst(5)
    )
  }

  @Test(arguments: [
    ("2026-05-01T10:00:00+01:00", "05-01T09:00:00"), ("2026-05-01", "04-30T22:00:00"),
    ("2026-05-01T09:30", "05-01T07:30:00"), ("2026-05-02 10:00:10", "05-02T08:00:10"),
    ("2026-05-02 10:00:10.5", "05-02T08:00:10"), ("2h", "05-02T11:00:00"),
    ("90s", "05-02T12:58:30"),
    ("yesterday 14:00", "05-01T12:00:00"), ("yesterday", "04-30T22:00:00"),
    ("today 09:00:01", "05-02T07:00:01"), ("10:00", "05-02T08:00:00"), ("16:00", "05-01T14:00:00"),
  ])
  func `a time is one of the local clock`(_ text: String, _ expected: String) throws {
    #expect(try Self.time(text) == expected)
  }

  @Test(arguments: [
    ("10:00", "2026-03-01T08:00:10Z", "03-01T08:00:00"),
    ("23:59", "2026-03-01T00:10:00Z", "03-01T21:59:00"),
    ("06:00", "2026-03-01T20:00:00Z", "03-02T04:00:00"),
    ("06:00", "2026-03-01T09:00:00Z", "03-01T04:00:00"),
  ])
  func `a time of day is of a capture's first day or the next`(
    _ text: String,
    _ start: String,
    _ expected: String
  ) throws {
    #expect(try Self.time(text, start: start) == expected)
  }

  @Test(arguments: ["", "now", "25:00", "10", "tomorrow 10:00", "yesterday  10:00", "10:0", "-2h"])
  func `a text without a time is refused`(_ text: String) {
    #expect(throws: ValueFault.self) { try ValueKind<Moment>.moment.read(text) }
  }
}
