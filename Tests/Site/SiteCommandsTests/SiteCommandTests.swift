// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import SiteCommands

/// `survey` and `fuse`, by their command lines.
@Suite struct SiteCommandTests {
  private static let program = Program(adding: [(.receivers, SiteCommand.command())])
  private static let payload =
    "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"

  private func run(_ arguments: String..., terminal: Bool = false) -> CommandRun {
    CommandRun(of: Self.program, arguments, terminal: terminal)
  }

  /// A recording of a minute in the hall and a minute in the cellar.
  private static func walk(receivers: [String] = ["hall", "cellar"]) -> String {
    func time(_ second: Int, _ tenth: Int) -> String {
      let (minute, rest) = (second / 60, second % 60)
      return "2026-05-02T10:0\(minute):\(rest < 10 ? "0" : "")\(rest).\(tenth)00000Z"
    }
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":[],"redacted":true}"#
    ]
    for name in receivers {
      let start = #"{"v":1,"type":"radio","t":"\#(time(0, 0))","#
      lines.append(start + #""receiver":"\#(name)","state":"listening"}"#)
    }
    for second in 0..<120 {
      let name = receivers[second / 60 % receivers.count]
      for tenth in [1, 4, 7] {
        lines.append(
          #"{"v":1,"type":"report","t":"\#(time(second, tenth))","receiver":"\#(name)","#
            + #""address":"02:00:00:00:00:01","address_type":"random","event":"ADV_NONCONN_IND","#
            + #""rssi":\#(-60 - second % 4),"ad":"\#(payload)"}"#
        )
      }
    }
    lines.append(#"{"v":1,"type":"end","t":"2026-05-02T10:02:00.000000Z"}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  private static let labels = "start,end,name\n0,60,hall\n60,120,cellar\n"

  @Test func `standard input is read once, and what was not received is said`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    let model = folder.path("site.json")
    let twice = run("site", "survey", "--from", "-", "--truth", "-", "--write", model)
    #expect(twice.code == .usage)
    #expect(twice.errors.contains("only once"))
    #expect(
      run("site", "survey", "--from", walk, "--truth", labels, "--write", model).code == .done
    )
    let other = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/9/9"
    let fused = run("site", "fuse", "--from", walk, "--model", model, "--satisfying", other)
    #expect(fused.output.isEmpty)
    #expect(fused.errors.contains("no beacon that --beacon names"), "\(fused.errors)")
  }

  @Test func `the columns of places stand below their titles`() throws {
    let folder = try ScratchFolder()
    let name = "the long gallery of the clocks"
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = Self.labels.replacing("cellar", with: name).replacing("hall", with: "時計")
    let truth = try folder.write(labels, to: "walk.csv")
    let model = folder.path("site.json")
    #expect(run("site", "survey", "--from", walk, "--truth", truth, "--write", model).code == .done)
    let lines = run("site", "fuse", "--from", walk, "--model", model, "--format", "table").lines
    let title = try #require(lines.first?.firstRange(of: " P "))
    let column = lines[0].distance(from: lines[0].startIndex, to: title.lowerBound)
    let wide = try #require(lines.first { $0.contains("時計") })
    let long = try #require(lines.first { $0.contains(name) })
    // A character that is two cells wide is one character of the text.
    #expect(wide.dropFirst(column - 2).hasPrefix(" 0."), "\(lines.joined(separator: "\n"))")
    #expect(long.dropFirst(column).hasPrefix(" 0."), "\(lines.joined(separator: "\n"))")
  }

  @Test func `times of a table are those of the user, and those of lines are in UTC`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let truth = try folder.write(Self.labels, to: "walk.csv")
    let model = folder.path("site.json")
    #expect(run("site", "survey", "--from", walk, "--truth", truth, "--write", model).code == .done)
    func fuse(_ arguments: String...) -> [String] {
      let all = ["site", "fuse", "--from", walk, "--model", model] + arguments
      let zone = LocalZone { _ in .seconds(50_400) }
      return CommandRun(of: Self.program, all, zone: zone).lines.map(String.init)
    }
    let local = fuse("--format", "table")
    #expect(local[0].hasPrefix("TIME          PLACE "), "\(local)")
    #expect(local[1] == "2026-05-03  UTC+14:00" && local[2].hasPrefix("00:00:01.000  hall "))
    let utc = fuse("--format", "table", "--time", "utc")
    #expect(utc[1] == "2026-05-02  UTC" && utc[2].hasPrefix("10:00:01.000  hall "), "\(utc)")
    #expect(fuse("--format", "table", "--time", "relative")[1].hasPrefix("     0.000  hall "))
    #expect(fuse("--format", "jsonl")[0].contains(#""t":"2026-05-02T10:00:01.000000Z""#))
  }

  @Test func `a survey of a capture without receivers says what to do`() throws {
    let folder = try ScratchFolder()
    let labels = try folder.write("start,end,name\n0,20,hall\n", to: "walk.csv")
    let beacon = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1"
    let survey = run(
      "site",
      "survey",
      "--from",
      CommandRun.capture("walk.btsnoop"),
      "--truth",
      labels,
      "--write",
      folder.path("m.json"),
      "--satisfying",
      beacon
    )
    #expect(survey.code == .negativeVerdict)
    #expect(survey.errors.contains("record with 'beaconctl record FILE.jsonl'"))
  }

  @Test func `a survey is learned, and a capture is fused with it`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    let model = folder.path("site.json")
    let survey = run("site", "survey", "--from", walk, "--truth", labels, "--write", model)
    #expect(survey.code == .done)
    #expect(survey.output == "")
    #expect(survey.errors == "beaconctl: learned 2 places at 2 receivers from 120 s\n")
    let fused = run("site", "fuse", "--model", model, "--from", walk)
    #expect(fused.code == .done)
    #expect(fused.errors == "")
    #expect(fused.lines.count == 120)
    let expected =
      #"{"v":1,"type":"place","t":"2026-05-02T10:02:00.000000Z","#
      + #""uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":1,"#
      + #""place":"cellar","p":0.99,"receivers":{"heard":1,"deaf":0}}"#
    #expect(fused.lines.last.map { String($0) } == expected)
    let table = run("site", "fuse", "--model", model, "--from", walk, terminal: true)
    #expect(table.lines.first?.hasPrefix("TIME ") == true)
    #expect(table.lines.last?.contains("cellar") == true)
    #expect(table.lines.count <= 4, "a row for each change: \(table.output)")
    #expect(table.lines.allSatisfy { $0.count <= 80 }, "\(table.output)")
    #expect(table.output.contains("  F7826DA6~/1/1"), "\(table.output)")
  }

  @Test func `several walks have their own labels, and their order does not matter`() throws {
    let folder = try ScratchFolder()
    let first = try folder.write(Self.walk(), to: "a.jsonl")
    let second = try folder.write(Self.walk(receivers: ["cellar", "hall"]), to: "b.jsonl")
    let labels = try folder.write(Self.labels, to: "a.csv")
    let others = try folder.write("start,end,name\n0,60,cellar\n60,120,hall\n", to: "b.csv")
    let (one, two) = (folder.path("1.json"), folder.path("2.json"))
    let forward = ["-f", first, "--truth", labels, "-f", second, "--truth", others]
    let backward = ["-f", second, "--truth", others, "-f", first, "--truth", labels]
    for (walks, model) in [(forward, one), (backward, two)] {
      let survey = CommandRun(of: Self.program, ["site", "survey"] + walks + ["--write", model])
      #expect(survey.code == .done)
    }
    #expect(try Data(contentsOf: URL(filePath: one)) == Data(contentsOf: URL(filePath: two)))
    #expect(
      try String(contentsOfFile: one, encoding: .utf8).contains(#""name":"cellar","seconds":120"#)
    )
  }

  @Test func `an existing file stays without --force, and no input is written`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    let model = try folder.write("mine", to: "site.json")
    let refused = run("site", "survey", "-f", walk, "--truth", labels, "--write", model)
    #expect(refused.code == .usage)
    #expect(refused.errors.contains("exists and was left as it is"))
    #expect(try String(contentsOfFile: model, encoding: .utf8) == "mine")
    let onItself = run(
      "site",
      "survey",
      "-f",
      walk,
      "--truth",
      labels,
      "--write",
      labels,
      "--force"
    )
    #expect(onItself.code == .usage)
    #expect(try String(contentsOfFile: labels, encoding: .utf8) == Self.labels)
    #expect(
      run("site", "survey", "-f", walk, "--truth", labels, "--write", model, "--force").code
        == .done
    )
  }

  @Test func `what is missing is said`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    #expect(run("site", "survey").errors.contains("needs --from FILE and --write MODEL"))
    let untold = ["site", "survey", "-f", walk, "--write", folder.path("house.json")]
    for (more, words) in [([], "--truth"), (["--live"], "needs a live source")] {
      let result = CommandRun(of: Self.program, untold + more)
      #expect(result.code == .usage && result.errors.contains(words), "\(result.errors)")
    }
    #expect(run("site", "survey", "-f", walk, "--truth", labels).errors.contains("--write"))
    #expect(run("site", "fuse", "-f", walk).errors.contains("--model"))
    let uneven = run(
      "site",
      "survey",
      "-f",
      walk,
      "-f",
      walk,
      "--truth",
      labels,
      "--truth",
      labels,
      "--truth",
      labels,
      "--write",
      "-"
    )
    #expect(uneven.code == .usage)
    #expect(run("site", "fuse", "-f", walk, "--model", folder.path("none.json")).code == .noInput)
  }

  @Test func `wrong files are refused with line and column`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let model = try folder.write("{version: 1,\n receivers: 5}", to: "site.json")
    let fused = run("site", "fuse", "-f", walk, "--model", model)
    #expect(fused.code == .badData)
    #expect(fused.errors.contains("site.json:2:13: receivers must be an array"))
    let labels = try folder.write("start,end,name\n1,x,hall\n", to: "walk.csv")
    let survey = run("site", "survey", "-f", walk, "--truth", labels, "--write", "-")
    #expect(survey.code == .badData)
    #expect(survey.errors.contains("walk.csv:2:3: 'x' is neither"))
    #expect(survey.output == "")
  }

  @Test func `a survey of nothing writes nothing`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let model = folder.path("site.json")
    let labels = try folder.write("start,end,name\n1000,2000,hall\n", to: "late.csv")
    #expect(
      run("site", "survey", "-f", walk, "--truth", labels, "--write", model).code
        == .negativeVerdict
    )
    #expect(!FileManager.default.fileExists(atPath: model))
    let empty = try folder.write("", to: "empty.jsonl")
    let all = try folder.write(Self.labels, to: "walk.csv")
    #expect(
      run("site", "survey", "-f", empty, "--truth", all, "--write", model).code == .negativeVerdict
    )
    #expect(!FileManager.default.fileExists(atPath: model))
    #expect(run("site", "survey", "-f", walk, "--truth", all, "--write", model).code == .done)
    let nothing = run("site", "fuse", "-f", empty, "--model", model)
    #expect(nothing.code == .done)
    #expect(nothing.output == "")
  }

  @Test func `places that are alike are named, as contradictory labels make them`() throws {
    let folder = try ScratchFolder()
    let first = try folder.write(Self.walk(), to: "a.jsonl")
    let labels = try folder.write(Self.labels, to: "a.csv")
    let one = try folder.write("start,end,name\n0,30,hall\n30,60,den\n60,120,cellar\n", to: "b.csv")
    let alike = run("site", "survey", "-f", first, "--truth", one, "--write", folder.path("1.json"))
    #expect(alike.code == .done)
    #expect(
      alike.errors.contains("'den' and 'hall' are alike for every receiver"),
      "\(alike.errors)"
    )
    #expect(!alike.errors.contains("'cellar'"), "\(alike.errors)")
    let exchanged = try folder.write("start,end,name\n0,60,cellar\n60,120,hall\n", to: "c.csv")
    let second = try folder.write(Self.walk(), to: "b.jsonl")
    let both = run(
      "site",
      "survey",
      "-f",
      first,
      "--truth",
      labels,
      "-f",
      second,
      "--truth",
      exchanged,
      "--write",
      folder.path("2.json")
    )
    #expect(both.errors.contains("'cellar' and 'hall' are alike"), "\(both.errors)")
    #expect(both.errors.contains("check their labels in 2 files, stay longer"))
  }

  @Test func `fuse reports why nearly everything of a beacon is unknown`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    let model = folder.path("site.json")
    #expect(run("site", "survey", "-f", walk, "--truth", labels, "--write", model).code == .done)
    let strong = Self.walk().replacing(#""rssi":-6"#, with: #""rssi":-2"#)
    let other = try folder.write(strong, to: "strong.jsonl")
    let fused = run("site", "fuse", "-f", other, "--model", model)
    #expect(fused.errors.contains("/1/1 is in an unknown place in "), "\(fused.errors)")
    #expect(fused.errors.contains("its levels fit no place; survey"), "\(fused.errors)")
    #expect(
      !run("site", "fuse", "-f", other, "--model", model, "--quiet").errors.contains("unknown")
    )
    #expect(!run("site", "fuse", "-f", walk, "--model", model).errors.contains("unknown place"))
  }

  @Test func `a place without a second is not learned`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels + "900,960,attic\n", to: "walk.csv")
    let survey = run("site", "survey", "-f", walk, "--truth", labels, "--write", "-")
    #expect(survey.code == .done)
    #expect(survey.errors.contains("in no second of 'attic'"))
    #expect(!survey.output.contains("attic"))
  }

  @Test func `labels that do not say whose they are teach nothing of two beacons`() throws {
    let folder = try ScratchFolder()
    let other = Self.walk().replacing("893e0001", with: "893e0002")
    let walk = try folder.write(Self.walk() + other, to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    let both = run(
      "site",
      "survey",
      "-f",
      walk,
      "--truth",
      labels,
      "--write",
      folder.path("1.json")
    )
    #expect(both.code == .negativeVerdict)
    #expect(both.errors.contains("--beacon"))
    let one = run(
      "site",
      "survey",
      "-f",
      walk,
      "--truth",
      labels,
      "--write",
      folder.path("1.json"),
      "--satisfying",
      "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1"
    )
    #expect(one.code == .done)
  }

  @Test func `receivers that are not used are named`() throws {
    let folder = try ScratchFolder()
    let walk = try folder.write(Self.walk(), to: "walk.jsonl")
    let labels = try folder.write(Self.labels, to: "walk.csv")
    let model = folder.path("site.json")
    #expect(run("site", "survey", "-f", walk, "--truth", labels, "--write", model).code == .done)
    let other = try folder.write(Self.walk(receivers: ["hall", "attic"]), to: "other.jsonl")
    let fused = run("site", "fuse", "-f", other, "--model", model)
    #expect(fused.code == .done)
    #expect(fused.errors.contains("not in the model, and not used: receiver 'attic'"))
    #expect(fused.errors.contains("not in the captures, so not listening: receiver 'cellar'"))
    // The site of a broker stands for its gateways.
    let site = try folder.write(Self.walk(receivers: ["hall", "mqtt://home"]), to: "broker.jsonl")
    #expect(!run("site", "fuse", "-f", site, "--model", model).errors.contains("not used"))
    let foreign = try folder.write(Self.walk(receivers: ["a", "b"]), to: "foreign.jsonl")
    let unknown = run("site", "fuse", "-f", foreign, "--model", model)
    #expect(unknown.code == .negativeVerdict)
    #expect(unknown.lines.allSatisfy { $0.contains(#""place":null,"p":0.00"#) })
  }
}
