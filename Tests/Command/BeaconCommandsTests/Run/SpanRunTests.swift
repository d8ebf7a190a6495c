// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// `--since` and `--until` of runs (row T12), and the explanations of crossings.
@Suite struct SpanRunTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  static let walk = CommandRun.capture("walk.btsnoop")

  private static func time(_ line: Substring) -> Substring? {
    line.firstMatch(of: /"t":"([^"]*)"/)?.1
  }

  /// The lines of a whole run whose time is in a span.
  private static func within(_ run: CommandRun, _ since: Substring, _ until: Substring)
    -> [Substring]
  {
    run.lines.filter { line in time(line).map { $0 >= since && $0 < until } ?? false }
  }

  @Test(arguments: [
    ["scan"], ["range", "-s", museum], ["monitor", "-r", "a=\(museum)/1/2", "--drain"],
    ["range", "-s", museum, "-r", "a=\(museum)/1/3"],
  ])
  func `a span shows the whole run's events there`(_ command: [String]) {
    let arguments = command + ["-f", Self.walk, "--format", "jsonl"]
    let whole = CommandRun(arguments)
    let span = CommandRun(arguments + ["--since", "10:00:05", "--until", "2026-05-02 10:00:15"])
    #expect(span.code == .done, "\(span.errors)")
    #expect(
      span.lines == Self.within(whole, "2026-05-02T10:00:05", "2026-05-02T10:00:15"),
      "\(span.output)"
    )
  }

  @Test func `a crossing in a span is the one of the whole run, with the times learned before`() {
    let arguments = ["monitor", "-f", Self.walk, "-r", "a=\(Self.museum)/1/3", "--format", "jsonl"]
    let whole = CommandRun(arguments + ["--drain"])
    let exit = whole.lines.filter { $0.contains("region.exit") }
    let span = CommandRun(arguments + ["--drain", "--since", "10:00:30"])
    #expect(exit.count == whole.lines.count { $0.contains("region.exit") })
    #expect(span.lines.filter { $0.contains("region.exit") } == exit)
    #expect(!span.output.contains("region.enter"))
  }

  @Test func `a paced replay does not wait for the time before the span`() {
    let clock = FastClock()
    let arguments = ["scan", "-f", Self.walk, "--since", "10:00:20"]
    let run = CommandRun(arguments + ["--speed", "1x"], clock: clock)
    #expect(run.output == CommandRun(arguments).output)
    // The capture ends at 10:00:23.94.
    #expect((3.5...4.1).contains(clock.elapsed.seconds), "\(clock.elapsed)")
  }

  @Test func `hooks see the span`() throws {
    let folder = try ScratchFolder()
    let arguments = ["monitor", "-f", Self.walk, "-r", "a=\(Self.museum)/1/3", "--format", "none"]
    let hook = ["--set", "region.enter.rssiFloor=-65", "--exec", "echo x >>\(folder.path("told"))"]
    #expect(CommandRun(arguments + hook + ["--until", "10:00:12"]).code == .done)
    #expect(!FileManager.default.fileExists(atPath: folder.path("told")))
    #expect(CommandRun(arguments + hook + ["--until", "10:00:20"]).code == .done)
    #expect(FileManager.default.fileExists(atPath: folder.path("told")))
  }

  @Test(arguments: [
    (["--until", "10:00:05", "--record", "/tmp/never.jsonl"], "--until"),
    (["--since", "10:00:20", "--until", "2026-05-02 10:00:10"], "nothing would be left"),
    (["--since", "10:00:10", "--until", "10:00:10"], "nothing would be left"),
    (["--since", "noon"], "is not a time"),
  ])
  func `a span that makes no sense is refused`(_ arguments: [String], _ message: String) {
    let run = CommandRun(["scan", "-f", Self.walk] + arguments)
    #expect(run.code == .usage && run.errors.contains(message), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `only captures have a span`() {
    let run = CommandRun(["scan", "--since", "10:00"])
    #expect(run.code == .usage && run.errors.contains("--from"), "\(run.errors)")
  }

  // MARK: Explanations

  private static let third = [
    "monitor", "-f", walk, "-r", "third=\(museum)/1/3", "--drain", "--set",
    "region.enter.rssiFloor=-65",
  ]

  @Test func `the table shows the rule of a crossing, and with why all of its values`() {
    let table = CommandRun(Self.third + ["--format", "table"])
    #expect(
      table.output.contains(
        "left third, silent for 30.0 s: the limit is 30 s until more is learned; last 1/3"
      )
    )
    #expect(table.output.contains("entered third by 1/3 at -64 dBm: the first report"))
    let explained = CommandRun(Self.third + ["--format", "table", "--why"])
    #expect(explained.lines.count == table.lines.count + 2)
    let values =
      "  identity \(Self.museum)/1/3, reports 70, rssi -78 dBm, power -59 dBm, interval 0.105 s,"
      + " gap 30 s, threshold 30 s, rule unlearnedExit"
    #expect(explained.lines.contains { $0 == values }, "\(explained.output)")
  }

  @Test func `comma-separated values have the explanation in columns`() {
    let run = CommandRun(Self.third + ["--format", "csv"])
    let header = run.lines.first?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    for line in run.lines {
      #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == header.count)
    }
    let exit =
      run.lines.first { $0.contains("region.exit") }?
      .split(separator: ",", omittingEmptySubsequences: false) ?? []
    let values = Dictionary(uniqueKeysWithValues: zip(header, exit))
    #expect(values["rule"] == "unlearnedExit" && values["gap"] == "30" && values["rssi"] == "-78")
    #expect(values["identity"] == "\(Self.museum)/1/3" && values["reports"] == "70")
  }

  @Test func `ranging has the filtered level in a column`() throws {
    let run = CommandRun(["range", "-f", Self.walk, "-s", Self.museum, "--format", "csv"])
    #expect(run.lines.first?.hasSuffix(",rssi_filtered") == true)
    let level = try #require(run.lines.dropFirst().first?.split(separator: ",").last)
    #expect((-100.0 ... -40).contains(Double(level) ?? 0), "\(level)")
  }

  /// Row R22.
  @Test(arguments: ["default", "coreLocation14"])
  func `a zone that is not that of its distance is marked`(_ profile: String) throws {
    let run = CommandRun(["range", "-f", Self.walk, "--profile", profile, "--format", "jsonl"])
    var held = 0
    for match in run.output.matches(of: /"proximity":"(\w+)"(,"held":true)?,"distance":([0-9.]+)/) {
      let meters = try #require(Double(match.3))
      let zone = meters <= 0.5 ? "immediate" : meters <= 3 ? "near" : "far"
      #expect((zone == match.1) == (match.2 == nil), "\(match.0)")
      if match.2 != nil { held += 1 }
    }
    #expect((held > 0) == (profile == "default"))
  }

  @Test func `-v of range names the setting for people who carry beacons`() {
    let run = CommandRun(["range", "-f", Self.walk, "-s", Self.museum, "-v"])
    #expect(run.errors.contains("if people carry them: --set ranging.carried=true"))
    let carried = CommandRun([
      "range", "-f", Self.walk, "-s", Self.museum, "-v", "--set", "ranging.carried=true",
    ])
    #expect(!carried.errors.contains("ranging.carried"))
    #expect(!CommandRun(["scan", "-f", Self.walk, "-v"]).errors.contains("ranging.carried"))
  }
}
