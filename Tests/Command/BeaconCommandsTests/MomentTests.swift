// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import SystemKit
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
    ("10:00Z", "2026-03-01T08:00:10Z", "03-01T10:00:00"),
    ("00:00:19Z", "2026-03-01T23:00:00Z", "03-02T00:00:19"),
  ])
  func `a time of day is of a capture's first day or the next`(
    _ text: String,
    _ start: String,
    _ expected: String
  ) throws {
    #expect(try Self.time(text, start: start) == expected)
  }

  /// Central Europe in 2026.
  static let berlin = LocalZone { time in
    let changes = ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"].compactMap { RFC3339.parse($0) }
    return changes[0] <= time && time < changes[1] ? .seconds(7200) : .seconds(3600)
  }

  @Test(arguments: [
    ("2026-10-25 02:00", false, "10-25T00:00:00"), ("2026-10-25 02:00", true, "10-25T01:00:00"),
    ("2026-10-25 03:00", false, "10-25T02:00:00"), ("2026-10-25 01:59", true, "10-24T23:59:00"),
    ("2026-03-29 02:00", false, "03-29T01:00:00"), ("2026-03-29 02:30", true, "03-29T01:00:00"),
    ("2026-03-29 03:00", true, "03-29T01:00:00"), ("2026-03-29 01:59", true, "03-29T00:59:00"),
    ("1970-01-01", false, "01-01T00:00:00"),
  ])
  func `a local time is right around a change of the clocks`(
    _ text: String,
    _ isEnd: Bool,
    _ expected: String
  ) throws {
    let moment = try ValueKind<Moment>.moment.read(text)
    let time = RFC3339.string(moment.time(Self.berlin, now: Self.now, isEnd: isEnd))
    #expect(time.prefix(19).dropFirst(5) == expected)
  }

  @Test(arguments: [
    (
      "2026-05-02T09:00:00Z", ["--until", "08:59:59"],
      "nothing to show lies in that span; the first time is 2026-05-02T09:00:00.000000Z"
    ),
    ("2026-05-02T09:00:00Z", ["--until", "2026-05-02 08:00"], "nothing to show lies in that span"),
    ("2026-05-02T09:00:00Z", ["--since", "12:30"], "nothing to show lies in that span"),
    ("2026-05-02T09:00:00Z", ["--since", "09:00:10", "--until", "09:00:11"], ""),
    ("2026-05-02T20:00:00Z", ["--until", "06:00"], ""),
  ])
  func `a span without anything is reported`(
    _ start: String,
    _ options: [String],
    _ expected: String
  ) throws {
    let folder = try ScratchFolder()
    let begin = RFC3339.parse(start) ?? .earliest
    let lines = (0..<60).map { second in
      let time = RFC3339.string(begin + .seconds(Int64(second)))
      return #"{"type":"sighting","t":"\#(time)","uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","#
        + #""major":1,"minor":2,"power":-59,"rssi":-60}"#
    }
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "day.jsonl")
    for command in ["scan", "range", "monitor"] {
      let region = command == "monitor" ? ["-r", "a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E"] : []
      let run = CommandRun(
        [command, "-f", path, "--format", "jsonl", "--time", "utc"] + region + options
      )
      #expect(run.code == .done)
      #expect(
        run.errors.contains("nothing to show") == !expected.isEmpty,
        "\(command) \(run.errors)"
      )
      #expect(!run.errors.contains("s long"))
      if !expected.isEmpty {
        #expect(run.errors.contains(expected), "\(run.errors)")
        #expect(!run.output.contains("beacons") && !run.output.contains("major"))
      }
    }
  }

  @Test(arguments: ["", "now", "25:00", "10", "tomorrow 10:00", "yesterday  10:00", "10:0", "-2h"])
  func `a text without a time is refused`(_ text: String) {
    #expect(throws: ValueFault.self) { try ValueKind<Moment>.moment.read(text) }
  }

  @Test(arguments: [
    ("Nowhere/Bad", "12:14", 1), ("Nowhere/Bad", "2h", 0), ("Nowhere/Bad", "12:14Z", 0),
    ("CET-1CEST", "12:14", 0), ("<+03>-3", "12:14", 0), ("", "12:14", 0), (":UTC0", "12:14", 0),
  ])
  func `a time zone that is not known is shown once`(_ zone: String, _ since: String, _ count: Int)
    throws
  {
    guard WallTime.isZone("Nowhere/Bad") == false else { return }
    let folder = try ScratchFolder()
    let capture = CommandRun.capture("walk.btsnoop")
    for command in [
      ["convert", capture, folder.path("out.jsonl")], ["range", "--from", capture, "--summary"],
      ["plot", capture],
    ] {
      let run = CommandRun(command + ["--since", since], environment: ["TZ": zone])
      let lines = run.errors.split(separator: "\n").filter { $0.contains("knows no time zone") }
      #expect(lines.count == count, "\(command): \(run.errors)")
    }
  }
}
