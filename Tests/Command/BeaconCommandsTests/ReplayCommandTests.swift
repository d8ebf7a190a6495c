// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// `scan` and `range` over captures: speeds, several sources, sinks, times, colors, the summary.
@Suite struct ReplayCommandTests {
  static let walk = CommandRun.capture("walk.btsnoop")
  static let gallery = CaptureGoldenTests.gallery

  // MARK: Speed

  @Test(arguments: [["scan"], ["range", "-s", gallery]], ["0.5x", "1x", "10x", "1000x", "max"])
  func `every speed delivers the same`(_ command: [String], _ speed: String) {
    let clock = FastClock()
    let plain = CommandRun(command + ["--from", Self.walk])
    let paced = CommandRun(command + ["--from", Self.walk, "--speed", speed], clock: clock)
    #expect(paced.output == plain.output)
    #expect(paced.code == .done)
    #expect((clock.waits > 0) == (speed != "max"))
  }

  @Test func `a paced replay lasts as long as its recording`() {
    let clock = FastClock()
    _ = CommandRun(["scan", "--from", Self.walk, "--speed", "2x"], clock: clock)
    // The capture is 23.92 s long.
    #expect(abs(clock.elapsed.seconds - 11.96) < 0.02, "\(clock.elapsed)")
  }

  @Test func `an interrupted replay ends with a whole line and reports it`() {
    let clock = FastClock()
    let run = CommandRun(
      ["scan", "--from", Self.walk, "--speed", "1x", "--summary"],
      clock: clock,
      isInterrupted: { clock.elapsed >= .seconds(5) }
    )
    #expect(run.code == .interrupted)
    #expect((100...200).contains(run.lines.count), "\(run.lines.count)")
    #expect(run.output.hasSuffix("}\n"))
    #expect(run.errors.hasSuffix("}\n"))
  }

  // MARK: Several captures

  @Test func `several captures are one timeline, each with its own receivers`() throws {
    let first = CommandRun.capture("two-interfaces.pcapng")
    let second = CommandRun.capture("h4.btsnoop")
    let run = CommandRun(["scan", "--from", first, "--from", second, "--time", "none"])
    let alone = [first, second].map { CommandRun(["scan", "--from", $0]) }
    #expect(run.lines.count == alone[0].lines.count + alone[1].lines.count)
    let times = run.lines.compactMap { $0.split(separator: "\"t\":\"").last?.prefix(27) }
    #expect(times == times.sorted())
    #expect(
      Set(run.lines.compactMap(Self.receiver)) == [
        "first", "second", "Fixtures/captures/h4.btsnoop",
      ]
    )
    let swapped = CommandRun(["scan", "--from", second, "--from", first])
    #expect(Set(swapped.lines) == Set(run.lines))
  }

  private static func receiver(_ line: Substring) -> String? {
    line.split(separator: "\"receiver\":\"").dropFirst().first?.split(separator: "\"").first
      .map(String.init)
  }

  @Test func `one unreadable capture stops the command before any output`() {
    let run = CommandRun(["scan", "--from", Self.walk, "--from", "/no/such/file"])
    #expect(run.code == .noInput)
    #expect(run.output.isEmpty)
  }

  // MARK: Output

  @Test func `further sinks hold what standard output would`() throws {
    let folder = try ScratchFolder()
    let arguments = ["range", "--from", Self.walk, "-s", Self.gallery]
    let run = CommandRun(
      arguments + ["--format", "none"]
        + ["jsonl", "json", "csv", "table"].flatMap { ["-o", "\($0):\(folder.path($0))"] }
    )
    #expect(run.output.isEmpty)
    for format in ["jsonl", "json", "csv", "table"] {
      let written = try String(contentsOfFile: folder.path(format), encoding: .utf8)
      #expect(written == CommandRun(arguments + ["--format", format]).output)
    }
  }

  @Test func `an array holds the lines`() throws {
    let arguments = ["scan", "--from", Self.walk]
    let lines = CommandRun(arguments + ["--format", "jsonl"]).lines
    let array = CommandRun(arguments + ["--format", "json"]).output
    #expect(array == "[\n" + lines.joined(separator: ",\n") + "\n]\n")
    #expect(try JSONSerialization.jsonObject(with: Data(array.utf8)) is [Any])
  }

  @Test func `times can be left out of a table, or count from the start`() {
    let arguments = ["scan", "--from", Self.walk, "--format", "table", "--time"]
    let start = "  F7826DA6-4FA2-4E98-8024-BC5B71E0893E         1/3   -82 dBm"
    // A test's own zone is UTC; the heading states it, and names the day.
    let local = CommandRun(arguments + ["local"]).lines
    #expect(local[0].hasPrefix("TIME          UUID "))
    #expect(local[1] == "2026-05-02  UTC")
    #expect(local[2] == "10:00:00.021" + start)
    #expect(CommandRun(arguments + ["utc"]).lines == local)
    #expect(CommandRun(arguments + ["iso"]).lines[1] == "2026-05-02T10:00:00.021519Z" + start)
    #expect(CommandRun(arguments + ["relative"]).lines[1] == "     0.000" + start)
    #expect(CommandRun(arguments + ["none"]).lines[1] == start.dropFirst(2))
  }

  @Test(arguments: [
    ("auto", true, [:], true), ("auto", false, [:], false), ("never", true, [:], false),
    ("auto", true, ["NO_COLOR": "1"], false), ("always", false, ["NO_COLOR": "1"], true),
  ])
  func `color is used where it was requested`(
    _ color: String,
    _ terminal: Bool,
    _ environment: [String: String],
    _ isColored: Bool
  ) {
    let run = CommandRun(
      ["range", "--from", Self.walk, "-s", Self.gallery, "--format", "table", "--color", color],
      terminal: terminal,
      environment: environment
    )
    #expect(run.output.contains("\u{1B}[") == isColored)
  }

  @Test func `a terminal gets a table, and a pipe lines`() {
    #expect(CommandRun(["scan", "--from", Self.walk], terminal: true).lines[0].contains("UUID"))
    #expect(CommandRun(["scan", "--from", Self.walk]).output.hasPrefix("{\"v\":1"))
  }

  // MARK: Summary

  @Test(arguments: [
    (["scan", "--from", walk], 688, 3, ["sighting": 628]),
    (["range", "--from", walk, "-s", gallery], 688, 3, ["ranged": 23]),
    (["scan", "--from", CommandRun.capture("cut.btsnoop")], 21, 3, ["sighting": 18]),
    (["scan", "--from", "/dev/null"], 0, 0, [:]), (["inspect", walk], 688, 3, [:]),
    (["convert", walk, "/dev/null", "--to", "pcap"], 688, 0, [:]),
    (["decode", "1aff4c000215f7826da64fa24e988024bc5b71e0893e00010002c5"], 1, 1, [:]),
  ])
  func `the summary is the last line on standard error`(
    _ arguments: [String],
    _ reports: Int,
    _ beacons: Int,
    _ events: [String: Int]
  ) throws {
    let run = CommandRun(arguments + ["--summary"])
    #expect(run.code == .done)
    let line = try #require(run.errors.split(separator: "\n").last)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    let summary = try #require(object as? [String: Any])
    #expect(summary["type"] as? String == "summary")
    #expect(summary["v"] as? Int == 1)
    #expect(summary["reports"] as? Int == reports)
    #expect(summary["beacons"] as? Int == beacons)
    #expect(summary["events"] as? [String: Int] == events)
    for key in ["rejected", "dropped"] { #expect(summary[key] is [String: Any], "\(key)") }
    for key in ["late", "wall", "cpu", "peak_memory"] {
      #expect(summary[key] is NSNumber, "\(key)")
    }
  }

  @Test func `quiet leaves only errors`() {
    let cut = CommandRun.capture("cut.btsnoop")
    #expect(!CommandRun(["scan", "--from", cut]).errors.isEmpty)
    #expect(CommandRun(["scan", "--from", cut, "-q"]).errors.isEmpty)
    #expect(!CommandRun(["scan", "--from", "/no/such/file", "-q"]).errors.isEmpty)
  }

  // MARK: Addresses

  /// The payload of no capture here holds an address, so none may be met in any spelling.
  @Test(arguments: [
    ["scan", "--from"], ["range", "-s", CaptureGoldenTests.fixture, "--from"], ["inspect"],
  ])
  func `no address of a capture is shown unless requested`(_ command: [String]) throws {
    let capture = CommandRun.capture("h4.btsnoop")
    let folder = try ScratchFolder()
    let lines = folder.path("all.jsonl")
    _ = CommandRun(["convert", capture, lines, "--include-addresses"])
    let addresses = try ConvertCommandTests.addresses(
      in: String(contentsOfFile: lines, encoding: .utf8)
    )
    #expect(addresses.count >= 5)
    for format in ["jsonl", "json", "csv", "table"]
    where command[0] != "inspect" || ["json", "table"].contains(format) {
      let run = CommandRun(command + [capture, "--format", format])
      #expect(run.code == .done)
      for address in addresses {
        #expect(!run.output.contains(address))
        #expect(!run.output.lowercased().contains(address.lowercased().replacing(":", with: "")))
      }
    }
    guard command[0] == "scan" else { return }
    let output = CommandRun(command + [capture, "--include-addresses"]).output
    #expect(addresses.contains { output.contains($0) })
  }

  @Test(arguments: ["local", "utc", "iso", "relative", "none"])
  func `CSV is in UTC, whatever times a table shows`(_ style: String) {
    let words = ["--from", CommandRun.capture("walk.btsnoop"), "--format", "csv"]
    for command in [["scan"], ["range", "-s", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"]] {
      let usual = CommandRun(command + words)
      #expect(usual.lines.count > 1)
      #expect(CommandRun(command + words + ["--time", style]).output == usual.output)
    }
  }
}
