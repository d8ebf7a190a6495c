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

@testable import Beacons

/// The removed files when a user wants something forgotten: a client, or a span of a recording.
@Suite struct ForgettingTests {
  private let folder: ScratchFolder
  private var environment: [String: String] { ["XDG_STATE_HOME": folder.path("state")] }
  private var store: String { folder.path("state/beacons") }

  init() throws { folder = try ScratchFolder() }

  private func auth(_ arguments: String...) -> CommandRun {
    CommandRun(["auth"] + arguments, environment: environment)
  }

  /// Every file and folder of the store.
  private var files: Set<String> {
    Set(FileManager.default.enumerator(atPath: store)?.compactMap { $0 as? String } ?? [])
  }

  // MARK: Clients

  @Test(arguments: ["guide", "a/b %", "\u{1B}[2J", String(repeating: "long ", count: 15)])
  func `nothing of a client is left, and everything of the others`(_ name: String) throws {
    _ = auth("set", "always", "--client", "other")
    _ = auth("services", "off")
    let before = files
    _ = auth("set", "always", "--client", name)
    let client = ClientStore(environment: environment).folder(of: name)
    for file in ["state.json", "grants.json.damaged-1", "state.json.new", "note"] {
      try Data("{}".utf8).write(to: URL(filePath: "\(client)/\(file)"))
    }
    let run = auth("forget", "--client", name, "--format", "json")
    #expect(run.code == .done && run.errors.isEmpty, "\(run.errors)")
    #expect(files == before)
    #expect(run.output.hasPrefix(#"{"client":"#) && run.output.contains("grants.json"))
    let again = auth("forget", "--client", name, "--format", "table")
    #expect(again.code == .done && again.output.isEmpty)
    #expect(again.errors.hasPrefix("beaconctl: nothing is kept of "))
  }

  @Test func `a client that runs is not forgotten`() throws {
    _ = auth("set", "always", "--client", "guide")
    let before = files
    let store = ClientStore(environment: environment)
    let lease = try #require(try store.lease(of: "guide"))
    let run = withExtendedLifetime(lease) { auth("forget", "--client", "guide") }
    #expect(run.code == .badData)
    #expect(run.errors.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
    #expect(run.errors.contains("runs as guide; nothing was removed"))
    #expect(files == before.union(["clients/guide/lease"]))
  }

  @Test func `a file of a newer version is not removed, and nothing else is`() throws {
    _ = auth("set", "always", "--client", "guide")
    let state = ClientStore(environment: environment).statePath(of: "guide")
    try Data(#"{"version":99}"#.utf8).write(to: URL(filePath: state))
    let before = files
    let run = auth("forget", "--client", "guide")
    #expect(run.code == .badData && run.errors.contains("version 99"))
    #expect(files.isSuperset(of: before))
    #expect(auth("--client", "guide").output.contains("authorizedAlways"))
  }

  @Test func `the operator's regions can be forgotten, and a client must be named`() throws {
    let walk = CommandRun.capture("walk.btsnoop")
    _ = CommandRun([
      "monitor", "-f", walk, "-r", "a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--state", store,
    ])
    #expect(files.contains("clients/operator/state.json"))
    #expect(auth("forget", "--client", "operator").code == .done)
    #expect(!files.contains("clients/operator"))
    #expect(auth("forget").code == .usage)
  }

  @Test func `a lock whose file was removed protects nothing, and is not taken for one`() throws {
    let store = ClientStore(environment: environment)
    _ = auth("set", "always", "--client", "guide")
    let lease = try #require(try store.lease(of: "guide"))
    try FileManager.default.removeItem(atPath: store.folder(of: "guide") + "/lease")
    let second = try store.lease(of: "guide")
    #expect(try second != nil && store.lease(of: "guide") == nil)
    withExtendedLifetime((lease, second)) {}
  }

  // MARK: Recordings

  private static let opening = """
    {"v":1,"type":"capture","tool":"beaconctl","version":"0.1.0","receivers":["hci0","hci1"],"profile":"default","redacted":true,"begun":"2026-05-02T10:00:00Z","piece":3}
    {"v":1,"type":"zone","t":"2026-05-02T10:00:00.000000Z","offset":7200}
    {"v":1,"type":"user","t":"2026-05-02T10:00:00.000000Z","client":"guide","input":"state","authorization":"denied","until":null,"accuracy":"full","always_spent":false,"confirmation_due":false,"services":true,"restricted":false}
    {"v":1,"type":"radio","t":"2026-05-02T10:00:00.000000Z","receiver":"hci1","state":"off"}
    {"v":1,"type":"radio","t":"2026-05-02T10:00:00.000000Z","receiver":"hci0","state":"listening"}
    {"v":1,"type":"user","t":"2026-05-02T10:00:00.100000Z","client":"guide","input":"background"}

    """

  /// A minute of a beacon that sends once a second.
  private static var recording: String {
    var text = opening
    for second in 0..<60 {
      text += #"{"v":1,"type":"report","t":"2026-05-02T10:00:"#
      text += (second < 10 ? "0" : "") + "\(second)"
      text += #".500000Z","receiver":"hci0","address":"02:00:00:00:00:01","address_type":"random","#
      text += #""event":"ADV_IND","rssi":-60,"#
      text += #""ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010003c5"}"# + "\n"
    }
    return text + #"{"v":1,"type":"end","t":"2026-05-02T10:01:00.000000Z"}"# + "\n"
  }

  private func cut(_ arguments: String...) throws -> (lines: [Substring], run: CommandRun) {
    let path = try folder.write(Self.recording, to: "whole.jsonl")
    let out = folder.path("cut.jsonl")
    let run = CommandRun(["convert", path, out, "--force"] + arguments)
    #expect(run.code == .done, "\(run.errors)")
    return (try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n"), run)
  }

  @Test func `what is cut out begins with the states of then and ends with its end`() throws {
    let (lines, run) = try cut(
      "--since",
      "2026-05-02T10:00:20Z",
      "--until",
      "2026-05-02T12:00:40+02:00",
      "--summary"
    )
    #expect(lines.count { $0.contains(#""type":"report""#) } == 20)
    #expect(run.errors.contains(#""reports":20,"#))
    #expect(run.errors.contains("what users did before --since is left out"))
    let begun = #""begun":"2026-05-02T10:00:00.000000Z","piece":3,"cut":true}"#
    #expect(lines[0].hasSuffix(begun), "\(lines[0])")
    let opening = lines[1...4].map { String($0) }
    #expect(opening[1].hasSuffix(#""restricted":false,"foreground":false}"#), "\(opening)")
    #expect(opening.allSatisfy { $0.contains(#""t":"2026-05-02T10:00:20.000000Z""#) }, "\(opening)")
    #expect(opening[0].contains(#""type":"zone""#) && opening[0].hasSuffix(#""offset":7200}"#))
    #expect(opening[1].contains(#""input":"state","authorization":"denied""#))
    #expect(opening[2].contains(#""receiver":"hci0","state":"listening""#))
    #expect(opening[3].contains(#""receiver":"hci1","state":"off""#))
    #expect(lines[5].contains("10:00:20.500000Z"))
    #expect(lines.last == #"{"v":1,"type":"end","t":"2026-05-02T10:00:40.000000Z"}"#)
    let inspected = CommandRun(["inspect", folder.path("cut.jsonl"), "--format", "json"])
    #expect(inspected.output.contains(#""notes":[]"#), "\(inspected.output)")
  }

  @Test func `a span without a start or without an end keeps what the recording has`() throws {
    let (first, run) = try cut("--until", "2026-05-02T10:00:10Z")
    #expect(first[0].hasSuffix(#""begun":"2026-05-02T10:00:00.000000Z","piece":3}"#))
    #expect(first.count == 1 + 5 + 10 + 1 && !run.errors.contains("left out"))
    #expect(first[5].contains(#""input":"background""#))
    let (last, _) = try cut("--since", "2026-05-02T10:00:50Z")
    #expect(last.last == #"{"v":1,"type":"end","t":"2026-05-02T10:01:00.000000Z"}"#)
    #expect(last.count { $0.contains(#""type":"report""#) } == 10)
    let (whole, _) = try cut()
    let (all, _) = try cut("--since", "1970-01-01T00:00:00Z")
    #expect(whole.dropFirst() == all.dropFirst())
  }

  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  /// The region lines of captures of one beacon, without what names the files.
  private func events(_ files: [String], regions: [String]) -> [String] {
    let captures = files.flatMap { ["-f", folder.path($0)] }
    let regions = regions.flatMap { ["-r", $0] }
    let run = CommandRun(["monitor", "--format", "csv"] + captures + regions)
    #expect(run.code == .done, "\(run.errors)")
    return run.lines.dropFirst().map(String.init)
  }

  private func convert(_ from: String, _ to: String, _ span: String...) {
    let run = CommandRun(["convert", folder.path(from), folder.path(to), "-q"] + span)
    #expect(run.code == .done, "\(run.errors)")
  }

  @Test func `what is cut out of two recordings at one time is still two receivers`() throws {
    _ = try folder.write(Self.recording, to: "hall.jsonl")
    let stairs = Self.recording.replacing("hci0", with: "hci7")
      .replacing("00010003c5", with: "00010004c5").replacing("10:00:00Z", with: "10:00:00.1Z")
    _ = try folder.write(stairs, to: "stairs.jsonl")
    for name in ["hall", "stairs"] {
      convert(
        "\(name).jsonl",
        "\(name)-cut.jsonl",
        "--since",
        "2026-05-02T10:00:10Z",
        "--until",
        "2026-05-02T10:00:50Z"
      )
    }
    let regions = ["a=\(Self.uuid)/1/3", "b=\(Self.uuid)/1/4"]
    let found = events(["hall-cut.jsonl", "stairs-cut.jsonl"], regions: regions)
    #expect(found.count { $0.contains("inside") } == 2, "\(found)")
    // The end of a recording: no receiver is left that has received its beacon.
    #expect(found.dropFirst(2).allSatisfy { $0.contains("radioGone") }, "\(found)")
  }

  @Test func `a span that was cut out is a time in which no receiver listened`() throws {
    _ = try folder.write(Self.recording, to: "whole.jsonl")
    convert("whole.jsonl", "start.jsonl", "--until", "2026-05-02T10:00:10Z")
    convert("whole.jsonl", "rest.jsonl", "--since", "2026-05-02T10:00:50Z")
    let region = ["a=\(Self.uuid)"]
    let found = events(["rest.jsonl", "start.jsonl"], regions: region)
    #expect(found.count == 3, "\(found)")
    let gone = "10:00:10.000000Z,operator,region.state,a,unknown"
    #expect(found.count == 3 && found[1].contains(gone))
    #expect(!found.contains { $0.contains("exit") || $0.contains("enter") }, "\(found)")
  }

  @Test func `a cut does not state the receivers of a part that had ended`() throws {
    let second = Self.recording.replacing("10:0", with: "11:0")
      .replacing(#"["hci0","hci1"]"#, with: #"["hci0"]"#)
      .replacing(/[^\n]*"receiver":"hci1"[^\n]*\n/, with: "")
    let first = Self.recording.replacing(#""state":"off""#, with: #""state":"listening""#)
    _ = try folder.write(first + second, to: "whole.jsonl")
    for (name, since) in [("gap", "2026-05-02T10:30:00Z"), ("part", "2026-05-02T11:00:20Z")] {
      convert("whole.jsonl", "\(name).jsonl", "--since", since)
      let states = try String(contentsOfFile: folder.path("\(name).jsonl"), encoding: .utf8)
        .split(separator: "\n").filter { $0.contains(#""type":"radio""#) }
      #expect(states.contains { $0.contains(#""receiver":"hci1","state":"gone""#) }, "\(states)")
      #expect(!states.contains { $0.contains(#""receiver":"hci1","state":"listening""#) })
    }
    let gap = try String(contentsOfFile: folder.path("gap.jsonl"), encoding: .utf8)
    #expect(!gap.contains(#""type":"mark""#))
    #expect(gap.contains(#"10:30:00.000000Z","receiver":"hci0","state":"gone""#))
  }

  @Test func `a cut begins with the grants as settings changed them`() throws {
    var text = Self.recording
    text = text.replacing(#""authorization":"denied""#, with: #""authorization":"always""#)
    let settings = #""client":"guide","input":"settings","authorization":"never","precise":false}"#
    let line = #"{"v":1,"type":"user","t":"2026-05-02T10:00:00.200000Z","# + settings + "\n"
    let at = try #require(text.firstRange(of: #"{"v":1,"type":"report""#)?.lowerBound)
    text.insert(contentsOf: line, at: at)
    _ = try folder.write(text, to: "whole.jsonl")
    convert("whole.jsonl", "cut.jsonl", "--since", "2026-05-02T10:00:20Z")
    let states = try String(contentsOfFile: folder.path("cut.jsonl"), encoding: .utf8)
      .split(separator: "\n").filter { $0.contains(#""input":"state""#) }
    #expect(states.count == 1)
    #expect(
      states.first?.contains(#""authorization":"denied","until":null,"accuracy":"reduced""#)
        ?? false,
      "\(states)"
    )
  }

  @Test func `a replay of what is cut out has the seconds of the span`() throws {
    _ = try cut("--since", "2026-05-02T10:00:20Z")
    let constraint = ["-s", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--format", "jsonl"]
    let whole = CommandRun(["range", "-f", folder.path("whole.jsonl")] + constraint)
    let part = CommandRun(["range", "-f", folder.path("cut.jsonl")] + constraint)
    #expect(whole.lines.count { $0.contains(#""type":"ranged""#) } == 60)
    // The whole recording tells of hci1, which is off, before it tells of hci0.
    let others = whole.lines.filter { !$0.contains(#""type":"ranged""#) }
    #expect(others.count == 2 && others[0].contains("radioOff"), "\(others)")
    #expect(others.last?.contains(#""type":"failure""#) ?? false, "\(others)")
    #expect(part.lines.count == 40)
    #expect(part.lines.allSatisfy { $0.contains(#""type":"ranged""#) })
    #expect(part.lines.first?.contains(#""t":"2026-05-02T10:00:21.000000Z""#) ?? false)
  }

  @Test func `a receiver that listens is reported before one that is off`() throws {
    // The one that is off is the first of them.
    let text = Self.recording.replacing(#"["hci0","hci1"]"#, with: #"["hci1","hci0"]"#)
    let path = try folder.write(text, to: "whole.jsonl")
    let out = folder.path("cut.jsonl")
    let run = CommandRun(["convert", path, out, "--since", "2026-05-02T10:00:20Z"])
    #expect(run.code == .done, "\(run.errors)")
    let states = try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains(#""type":"radio""#) }
    #expect(states.count == 2)
    #expect(states.first?.contains(#""receiver":"hci0","state":"listening""#) ?? false, "\(states)")
    let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    let replay = CommandRun(["range", "-f", out, "-s", uuid, "--format", "jsonl"])
    #expect(replay.lines.count == 40 && !replay.output.contains("radioOff"))
  }

  @Test func `an empty span and an invalid one are refused`() throws {
    let path = try folder.write(Self.recording, to: "whole.jsonl")
    let none = CommandRun([
      "convert", path, folder.path("no.jsonl"), "--since", "2027-01-01T00:00:00Z",
    ])
    #expect(none.code == .badData)
    #expect(
      none.errors.contains("nothing lies in that span; the capture is from 2026-05-02T10:00:")
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path("no.jsonl")))
    for arguments in [
      ["--since", "2026-05-02T10:00:00Z", "--until", "2026-05-02T10:00:00Z"],
      ["--since", "10:00 tomorrow"], ["--since", "25:00"], ["--until", "10"],
    ] {
      let run = CommandRun(["convert", path, folder.path("no.jsonl")] + arguments)
      #expect(run.code == .usage, "\(arguments)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("no.jsonl")))
    }
  }

  @Test func `a capture of another format is cut by its times too`() throws {
    let walk = CommandRun.capture("walk.btsnoop")
    let whole = CommandRun(["inspect", walk, "--format", "json"])
    let first = try #require(whole.output.firstMatch(of: /"first":"([^"]*)"/)?.1)
    let start = try #require(RFC3339.parse(first))
    let since = RFC3339.string(start + .seconds(5))
    let until = RFC3339.string(start + .seconds(10))
    for name in ["cut.jsonl", "cut.btsnoop"] {
      let out = folder.path(name)
      let run = CommandRun(["convert", walk, out, "--since", since, "--until", until])
      #expect(run.code == .done)
      let inspected = CommandRun(["inspect", out, "--format", "json"])
      let found = try #require(
        inspected.output.firstMatch(of: /"first":"([^"]*)","last":"([^"]*)"/)
      )
      #expect(found.1 >= since && found.2 < until)
    }
  }
}
