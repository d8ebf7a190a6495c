// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import SiteCommands
import Testing

@testable import FleetCommands

/// `site health`, by its command line.
@Suite struct FleetCommandTests {
  private static let program = Program(adding: [
    (.receivers, SiteCommand.command(adding: [FleetCommand.command]))
  ])
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func run(_ arguments: String..., terminal: Bool = false) -> CommandRun {
    CommandRun(of: Self.program, ["site", "health"] + arguments, terminal: terminal)
  }

  /// A recording of two hours of beacons 1 to 3, each every 10 s; beacon 1 falls silent after an hour.
  private func recording() throws -> String {
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["hall"],"redacted":true}"#,
      #"{"v":1,"type":"radio","t":"2026-05-02T10:00:00Z","receiver":"hall","state":"listening"}"#,
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for step in 0..<720 {
      let time = "\(10 + step / 360):\(two(step / 6 % 60)):\(two(step % 6 * 10))"
      for beacon in 1...3 where beacon != 1 || step < 360 {
        lines.append(
          #"{"v":1,"type":"report","t":"2026-05-02T\#(time).\#(beacon)Z","receiver":"hall","#
            + #""address":"02:00:00:00:00:0\#(beacon)","address_type":"random","event":"ADV_IND","#
            + #""rssi":-60,"ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e0001000\#(beacon)c5"}"#
        )
      }
    }
    return try folder.write(lines.joined(separator: "\n") + "\n", to: "hall.jsonl")
  }

  @Test func `a silent beacon is missing, and the exit code says that something is wrong`() throws {
    let path = try recording()
    let run = run("-f", path, "-s", Self.uuid, "--format", "table", "--time", "utc")
    #expect(run.code == .negativeVerdict)
    #expect(
      run.output == """
        received 3 of 3 beacons at 1 receiver, until 2026-05-02 11:59 UTC
        \(Self.uuid)/1/1: missing, since 2026-05-02 10:59 UTC
        1 wrong

        """
    )
    let json = self.run("-f", path, "-s", Self.uuid, "--format", "json")
    #expect(json.code == .negativeVerdict)
    #expect(
      json.output.hasPrefix(
        #"{"v":1,"type":"fleet","start":"2026-05-02T10:00:00.000000Z","t":"2026-05-02T11:59:50.300000Z","beacons":3,"#
          + #""received":3,"receivers":1,"findings":[{"kind":"missing","uuid":"\#(Self.uuid)","major":1,"minor":1,"#
          + #""name":null,"since":"2026-05-02T10:59:50.100000Z","found":"2026-05-02T11:09:"#
      ),
      "\(json.output)"
    )
  }

  @Test(arguments: [
    ("0716e1ffa1030400", "its battery is at 4 %", #""after":4.00,"unit":"%""#),
    (
      "1116aafe2000076c1500000000010000ffff", "its battery is at 1.90 V",
      #""after":1.90,"unit":"V""#
    ),
  ])
  func `a battery's level has its unit`(data: String, text: String, json: String) throws {
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["hall"],"redacted":true}"#
    ]
    let times = (10...59).map { "02T23:\($0)" } + (0...5).map { "03T00:0\($0)" }
    for time in times {
      for ad in ["0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5", data] {
        lines.append(
          #"{"v":1,"type":"report","t":"2026-05-\#(time):00Z","receiver":"hall","#
            + #""address":"02:00:00:00:00:01","address_type":"random","event":"ADV_IND","#
            + #""rssi":-60,"ad":"\#(ad)"}"#
        )
      }
    }
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "night.jsonl")
    let table = run("-f", path, "-s", Self.uuid, "--format", "table", "--time", "utc")
    #expect(table.output.contains("/1/1: \(text), since"), "\(table.output)")
    let object = run("-f", path, "-s", Self.uuid, "--format", "json")
    #expect(object.output.contains(json), "\(object.output)")
  }

  @Test(arguments: [true, false])
  func `counters that go back show a copy within minutes`(isCopied: Bool) throws {
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["hall"],"redacted":true}"#
    ]
    for second in stride(from: 0, to: 600, by: 10) {
      // Every other one says that it has been running for an hour, and is from the copy.
      let tenths = isCopied && second % 20 == 10 ? 36_000 : 864_000
      let counters = String(0x100_0000 + tenths + second * 10, radix: 16).suffix(6)
      for ad in [
        "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5",
        "1116aafe20000bb8150000000001" + "00" + counters,
      ] {
        let time = "10:0\(second / 60):\(second % 60 / 10)0"
        lines.append(
          #"{"v":1,"type":"report","t":"2026-05-02T\#(time)Z","receiver":"hall","#
            + #""address":"02:00:00:00:00:01","address_type":"random","event":"ADV_IND","#
            + #""rssi":-60,"ad":"\#(ad)"}"#
        )
      }
    }
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "copy.jsonl")
    let run = run("-f", path, "-s", Self.uuid, "--format", "json")
    #expect(run.code == (isCopied ? .negativeVerdict : .done), "\(run.output)")
    #expect(run.output.contains(#""evidence":["counters"]"#) == isCopied, "\(run.output)")
  }

  @Test func `nothing was received until no time`() throws {
    let path = try folder.write("", to: "empty.jsonl")
    let table = run("-f", path, "-s", Self.uuid, "--format", "table", "--time", "utc")
    #expect(table.output.hasPrefix("received 0 of 0 beacons at 0 receivers\n"))
    #expect(table.code == .negativeVerdict)
  }

  @Test func `a healthy fleet gives 0, and a listed beacon that nobody received is missing`() throws
  {
    let path = try recording()
    let healthy = run(
      "-f",
      path,
      "-s",
      Self.uuid + "/1/2",
      "-s",
      Self.uuid + "/1/3",
      "--format",
      "json"
    )
    // Beacon 1 has the UUID of the list and is not in it.
    #expect(
      healthy.output.contains(#""kind":"unknownIdentity""#) && healthy.code == .negativeVerdict
    )
    let all = ["-s", Self.uuid + "/1/1", "-s", Self.uuid + "/1/2", "-s", Self.uuid + "/1/3"]
    let two = CommandRun(
      of: Self.program,
      ["site", "health", "-f", path, "--format", "table", "-s", Self.uuid + "/1/7"] + all
    )
    #expect(two.output.contains("/1/7: never received"))
    let other = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    let none = run("-f", path, "-s", other, "--format", "table")
    #expect(none.code == .negativeVerdict)
    #expect(none.output.contains("none of your beacons was received"))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let copy = text.replacing("00010001c5", with: "00010002c5")
    let copied = run(
      "-f",
      try folder.write(copy, to: "copy.jsonl"),
      "-s",
      Self.uuid,
      "--format",
      "table"
    )
    #expect(copied.code == .negativeVerdict && copied.output.contains("two addresses alternate"))
    let same = copy.replacing("02:00:00:00:00:01", with: "02:00:00:00:00:02")
    let others = try folder.write(same, to: "others.jsonl")
    let good = run("-f", others, "-s", Self.uuid, "--format", "table")
    #expect(good.code == .done && good.output.contains("nothing is wrong"), "\(good.output)")
  }

  @Test func `a fleet without a list, and one without a capture, are refused`() throws {
    let path = try recording()
    #expect(run("-f", path).code == .usage)
    #expect(run("-f", path).errors.contains("needs --plan FILE or --beacon UUID"))
    #expect(run("-s", Self.uuid).code == .usage)
    #expect(run("-f", folder.path("none.jsonl"), "-s", Self.uuid).code == .noInput)
  }

  @Test func `names of the configuration and of a plan make the list`() throws {
    let path = try recording()
    let names = try folder.write(
      #"{beacons: {"\#(Self.uuid)/1/1": "whale\u001b[2J", "\#(Self.uuid)/1/2": "clock", "\#(Self.uuid)/1/3": "globe"}}"#,
      to: "names.json5"
    )
    let run = run("-f", path, "--config", names, "--format", "table")
    #expect(run.code == .negativeVerdict && run.output.contains("missing"))
    #expect(!run.output.contains("\u{1B}") && run.output.contains("whale"))
    let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path
    let museum = self.run("-f", path, "--plan", plan, "--format", "table")
    #expect(museum.code == .negativeVerdict && museum.output.contains("never received"))
  }
}
