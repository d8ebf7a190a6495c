// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import BeaconHistory
@testable import HistoryCommands

@Suite struct HistoryGoldenTests {
  static let start = RFC3339.parse("2026-05-01T10:00:00Z") ?? .earliest

  /// A folder with a history of a few rows.
  static func history() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    let writer = try HistoryWriter(folder.path("h"))
    let visit = HistoryVisit(
      entered: start,
      client: "guide",
      region: "hall",
      left: start + .seconds(90),
      quality: .whole
    )
    writer.submit([
      .receiver(HistoryReceiverState(time: start, receiver: "hci0", state: .listening)),
      .crossing(
        HistoryCrossing(
          time: start,
          client: "guide",
          region: "hall",
          kind: .enter,
          reason: "heard",
          why:
            #"{"identity":null,"reports":1,"rssi":null,"power":null,"distance":2.50,"interval":null,"gap":0.1,"#
            + #""threshold":1,"rule":"firstReport"}"#
        )
      ), .visit(visit),
      .minute(
        HistoryMinute(
          minute: start,
          identity: TestScan.beacon(1, 1),
          receiver: "hci0",
          reports: 42,
          rssiTenths: -703,
          weakest: -80,
          strongest: -61
        )
      ),
      .crossing(
        HistoryCrossing(
          time: start + .seconds(86_400),
          client: "guide",
          region: "\u{1B}[2Jcafé",
          kind: .exit,
          reason: "allSilent",
          why: "no JSON"
        )
      ), .notice(HistoryNotice(time: start, code: "radioOff", detail: "{}")),
      .notice(HistoryNotice(time: start, code: "ofTomorrow", detail: "{}")),
      .receiver(
        HistoryReceiverState(time: start + .seconds(60), receiver: "hci0", state: .deaf)
      ),
      .place(
        HistoryPlace(
          entered: start,
          identity: TestScan.beacon(1, 1),
          state: .known,
          place: "caf\u{1B}é",
          percent: 93,
          left: start + .seconds(45)
        )
      ),
      .place(
        HistoryPlace(
          entered: start + .seconds(45),
          identity: TestScan.beacon(1, 1),
          state: .unknown
        )
      ),
    ])
    _ = writer.finish()
    return folder
  }

  static func run(_ folder: ScratchFolder, _ arguments: [String]) -> CommandRun {
    CommandRun(of: .withHistory, ["history"] + arguments + ["--history", folder.path("h")])
  }

  @Test(arguments: ["visits", "crossings", "minutes", "places", "receivers", "notices"])
  func `listings are the golden files`(_ name: String) throws {
    let folder = try Self.history()
    for format in ["table", "jsonl", "csv"] {
      let run = Self.run(folder, [name, "--format", format, "--time", "utc"])
      #expect(run.code == .done, "\(run.errors)")
      #expect(!run.output.contains("\u{1B}"))
      try Golden.expect(run.output, "history/\(name).\(format)")
    }
  }

  @Test func `times are local, absolute or so long ago`() throws {
    let folder = try Self.history()
    let all = ["crossings", "--format", "csv"]
    func count(_ arguments: [String]) -> Int {
      Self.run(folder, all + arguments).lines.count - 1
    }
    #expect(count([]) == 2)
    #expect(count(["--since", "2026-05-02"]) == 1)
    #expect(count(["--until", "2026-05-02T10:00"]) == 1)
    #expect(count(["--since", "2026-05-01T12:00:00.000001+02:00"]) == 1)
    #expect(count(["--region", "hall"]) == 1)
    #expect(count(["--since", "1s"]) == 0)
    #expect(Self.run(folder, ["visits", "--since", "noon"]).code == .usage)
  }

  @Test func `a local time counts as clocks show it there`() {
    let zone = LocalZone { _ in .seconds(7200) }
    let noon = RFC3339.parse("2026-05-01T12:00:00Z") ?? .earliest
    #expect(Moment.local(noon).time(zone, now: .earliest) == noon - .seconds(7200))
    #expect(Moment.absolute(noon).time(zone, now: .earliest) == noon)
    #expect(Moment.ago(.seconds(60)).time(zone, now: noon) == noon - .seconds(60))
  }

  @Test func `a bare history lists what it offers`() {
    let run = CommandRun(of: .withHistory, ["history"])
    for name in ["visits", "crossings", "minutes", "places", "receivers", "purge"] {
      #expect((run.output + run.errors).contains(name), "\(name)")
    }
  }

  @Test func `purge removes what was before`() throws {
    let folder = try Self.history()
    #expect(CommandRun(of: .withHistory, ["history", "purge"]).code == .usage)
    let run = Self.run(folder, ["purge", "--before", "2026-05-02"])
    #expect(run.code == .done)
    #expect(run.errors.contains("and 9 rows"))
    #expect(Self.run(folder, ["crossings", "--format", "csv"]).lines.count == 2)
  }

  @Test func `a listing without a row says what there is`() throws {
    let folder = try Self.history()
    let late = ["visits", "--region", "hall", "--since", "2026-06-01"]
    let none = Self.run(folder, late)
    #expect(none.code == .done)
    #expect(none.errors.contains("nothing to list; the history in"), "\(none.errors)")
    #expect(none.errors.contains("is of 2026-05"))
    #expect(Self.run(folder, late + ["-q"]).errors.isEmpty)
    #expect(Self.run(folder, ["visits"]).errors.isEmpty)
    let empty = CommandRun(of: .withHistory, ["history", "visits", "--history", folder.url.path])
    #expect(empty.errors.contains("has no history yet"))
    let turned = ["visits", "--since", "2026-06-01", "--until", "2026-05-01"]
    #expect(Self.run(folder, turned).code == .usage)
  }

  @Test(arguments: ["visits", "crossings"])
  func `a region that the history does not have is reported, with those that it has`(
    _ listing: String
  ) throws {
    let folder = try Self.history()
    let note = "beaconctl: no region of the history in \(folder.path("h")) is named"
    for (name, rest) in [
      ("hal", "'hal'; did you mean 'hall'?"), ("a", "'a'; it has ?[2Jcafé, hall"),
      ("Museum", "'Museum'; it has ?[2Jcafé, hall"),
    ] {
      let run = Self.run(folder, [listing, "--region", name, "--format", "table"])
      #expect(run.errors == "\(note) \(rest)\n")
      #expect(run.code == .done && run.output.isEmpty)
    }
    let lines = Self.run(folder, [listing, "--region", "hal", "--format", "csv"])
    #expect(lines.lines.count == 1 && lines.errors.hasPrefix(note))
    #expect(Self.run(folder, [listing, "--region", "hal", "-q"]).errors.isEmpty)
  }

  /// Rows T5 and T11: a receiver that is switched off for ten minutes, in which its recording has nothing.
  @Test func `inspect and the history agree on when a receiver listened`() throws {
    let folder = try ScratchFolder()
    func time(_ second: Int) -> String { RFC3339.string(Self.start + .seconds(Int64(second))) }
    func line(_ type: String, _ second: Int, _ rest: String = "") -> String {
      #"{"v":1,"type":"\#(type)","t":"\#(time(second))"\#(rest)}"#
    }
    func radio(_ state: String, _ second: Int) -> String {
      line("radio", second, #","receiver":"hci0","state":"\#(state)""#)
    }
    let marks = Array(stride(from: 0, to: 300, by: 10)) + Array(stride(from: 900, to: 1000, by: 10))
    let start =
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["hci0"],"redacted":true}"#
    let lines =
      [start, radio("listening", 0)] + marks.prefix(30).map { line("mark", $0) }
      + [radio("off", 300), radio("listening", 900)] + marks.dropFirst(30).map { line("mark", $0) }
      + [line("end", 1000)]
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "pause.jsonl")
    let table = CommandRun(of: .withHistory, ["inspect", path, "--format", "table"]).output
    #expect(
      table.contains(
        "hci0 listened for 6 min 40 s of 16 min 40 s, with 1 pause:\n  off, gap for 10 min from \(time(300))\n"
      ),
      "\(table)"
    )
    let json = CommandRun(of: .withHistory, ["inspect", path, "--format", "json"]).output
    #expect(
      json.contains(
        #""receivers":[{"receiver":"hci0","listened":400,"pauses":1,"longest_pauses":[{"t":"\#(time(300))","duration":600,"states":["off","gap"]}]}]"#
      ),
      "\(json)"
    )
    let region = "hall=\(TestScan.beacon(1, 1))"
    let run = ["monitor", "--from", path, "--region", region, "--history", folder.path("h")]
    #expect(CommandRun(of: .withHistory, run).code == .done)
    let states = Self.run(folder, ["receivers", "--format", "csv"]).lines.dropFirst()
      .map { $0.split(separator: ",").map(String.init) }
    #expect(
      states.map { $0[2] }.filter { $0 != "off" } == ["listening", "gap", "listening", "ended"]
    )
    let gap = try #require(states.first { $0[2] == "gap" })
    #expect(gap[0] == time(300) && gap[3] == time(900))
  }

  @Test func `relative times count from the first row, or from what was asked for`() throws {
    let folder = try Self.history()
    func rows(_ arguments: [String]) -> [[Substring]] {
      Self.run(folder, ["visits", "--format", "table", "--time", "relative"] + arguments).lines
        .map { $0.split(separator: " ") }
    }
    #expect(rows([])[1] == ["0.000", "hall", "guide", "90.000", "90", "s", "whole"])
    let since = rows(["--since", "2026-05-01T09:59:50Z"])
    #expect(since[1] == ["10.000", "hall", "guide", "100.000", "90", "s", "whole"])
  }

  @Test(arguments: ["utc", "iso", "relative", "none"])
  func `every value stands below its heading`(_ style: String) throws {
    let folder = try Self.history()
    for name in ["visits", "receivers", "crossings", "minutes"] {
      let lines = Self.run(folder, [name, "--format", "table", "--time", style]).output
        .split(separator: "\n").filter { !$0.hasPrefix("2026-") || $0.contains("T10:") }
      let titles = lines[0].matches(of: /(\S+ )*\S+/).map(\.range.lowerBound)
        .map { lines[0].distance(from: lines[0].startIndex, to: $0) }
      for line in lines.dropFirst() {
        for title in titles.dropFirst() {
          let before = line.dropFirst(title - 1).first
          #expect(before == " ", "\(name), column \(title):\n\(lines[0])\n\(line)")
        }
      }
    }
  }

  @Test(arguments: [80, 120])
  func `no line of a table is wider than the terminal`(_ columns: Int) throws {
    let folder = try Self.history()
    let name = String(repeating: "long ", count: 14) + "name"
    let settings = folder.path("config.json5")
    try Data("{ beacons: { '\(TestScan.beacon(1, 1))': '\(name)' } }".utf8)
      .write(to: URL(filePath: settings))
    for listing in ["visits", "crossings", "minutes", "places", "receivers", "notices"] {
      for configuration in ["none", settings] {
        let run = CommandRun(
          of: .withHistory,
          ["history", listing, "--history", folder.path("h"), "--config", configuration],
          terminal: true,
          environment: ["COLUMNS": "\(columns)"]
        )
        #expect(run.code == .done, "\(run.errors)")
        #expect(run.lines.count > 2)
        for line in run.lines { #expect(line.count <= columns, "\(listing): \(line)") }
      }
    }
  }

  @Test func `a stay that ends on another day reports on which`() throws {
    let folder = try ScratchFolder()
    let writer = try HistoryWriter(folder.path("h"))
    for (start, end) in [
      (Self.start, Self.start + .seconds(60)),
      (Self.start + .seconds(1), Self.start + .seconds(86_401)),
    ] {
      writer.submit([
        .visit(
          HistoryVisit(
            entered: start,
            client: "guide",
            region: "hall",
            left: end,
            quality: .whole
          )
        )
      ])
    }
    _ = writer.finish()
    let lines = Self.run(folder, ["visits", "--format", "table", "--time", "utc"]).lines
    #expect(lines[1] == "2026-05-01  UTC")
    #expect(lines[2].contains("  10:01:00.000  "), "\(lines[2])")
    #expect(lines[3].contains("  05-02 10:00:01  "), "\(lines[3])")
  }

  @Test func `a file that this version does not know is refused input`() throws {
    let folder = try Self.history()
    let file = folder.path("h/history-2026-05.db")
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes[47] = 5
    for (content, word) in [(bytes, "later format"), (Data("text".utf8), "not a database")] {
      try content.write(to: URL(filePath: file))
      let read = Self.run(folder, ["crossings"])
      #expect(read.code == .badData)
      #expect(read.errors.contains(word) && read.errors.contains("move"), "\(read.errors)")
      let purge = Self.run(folder, ["purge", "--before", "2026-07-01"])
      #expect(purge.code == .badData)
      #expect(purge.errors.contains("nothing was removed: \(file)"), "\(purge.errors)")
      #expect(try Data(contentsOf: URL(filePath: file)) == content)
    }
  }

  @Test func `a folder without history is reported`() throws {
    let folder = try ScratchFolder()
    let run = CommandRun(of: .withHistory, ["history", "visits", "--history", folder.path("none")])
    #expect(run.code == .noInput)
    #expect(run.errors.contains("none"))
  }
}
