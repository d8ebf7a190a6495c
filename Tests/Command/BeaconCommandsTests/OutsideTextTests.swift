// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconFormats
import CommandTestSupport
import Foundation
import Testing

/// No text from outside moves a cursor, ends a line, or passes for our words.
@Suite struct OutsideTextTests {
  private let folder: ScratchFolder
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  /// Colors, a window title, a bell, a line end, a C1 control and a change of direction.
  private static let hostile = "\u{1B}[31mEVIL\u{1B}]0;t\u{7}\n\r\u{9B}31m\u{202E}\u{2028}\u{7F}"
  private static let hostileJSON =
    #"\u001b[31mEVIL\u001b]0;t\u0007\n\r\u009b31m\u202e\u2028\u007f"#

  init() throws { folder = try ScratchFolder() }

  /// Whether a text has a control character other than line ends, or as many lines as it should not have.
  private static func isClean(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control: scalar == "\n"
      case .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }

  private func recording() throws -> String {
    let name = Self.hostileJSON
    let reports = (0..<5).map { second in
      #"{"v":1,"type":"report","t":"2026-05-02T10:00:0\#(second).5Z","receiver":"\#(name)","#
        + #""address":"02:00:00:00:00:01","address_type":"random","event":"ADV_IND","rssi":-60,"#
        + #""ad":"0201061AFF4C000215F7826DA64FA24E988024BC5B71E0893E00010003C5"}"#
    }
    let lines =
      [
        #"{"v":1,"type":"capture","tool":"\#(name)","version":"\#(name)","receivers":["\#(name)"],"#
          + #""profile":"\#(name)","redacted":true}"#,
        #"{"v":1,"type":"\#(name)","t":"2026-05-02T10:00:00Z"}"#,
        #"{"v":1,"type":"user","t":"2026-05-02T10:00:01Z","client":"\#(name)","input":"\#(name)"}"#,
      ] + reports
    return try folder.write(lines.joined(separator: "\n") + "\n", to: "hostile.jsonl")
  }

  @Test(arguments: ["table", "csv"])
  func `a recording's texts are harmless in every output`(_ format: String) throws {
    let path = try recording()
    let text = #"{ beacons: { "\#(Self.uuid)/1/3": "\#(Self.hostileJSON)" } }"#
    let names = try folder.write(text, to: "names.json5")
    let range = ["range", "--from", path, "-s", Self.uuid, "--config", names, "--format", format]
    var runs = [
      CommandRun(["scan", "--from", path, "--config", names, "--format", format, "-v"]),
      CommandRun(range),
      CommandRun(
        ["monitor", "--from", path, "-r", "\(Self.hostile)=\(Self.uuid)", "--format", format]
      ),
    ]
    if format == "table" {
      runs.append(CommandRun(["inspect", path, "--format", format]))
    }
    for run in runs {
      #expect(run.code == .done, "\(run.errors)")
      #expect(Self.isClean(run.output), "\(run.output.debugDescription)")
      #expect(Self.isClean(run.errors), "\(run.errors.debugDescription)")
    }
    let lines = runs[0].errors.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("beaconctl: ") })
  }

  @Test func `names of files and keys of files are harmless in messages`() throws {
    let name = "k\u{1B}]0;x\u{7}\n.json5"
    let path = try folder.write(#"{ "\#(Self.hostileJSON)": 1 }"#, to: name)
    for arguments in [
      ["config", "check", path], ["inspect", path], ["scan", "--from", path],
      ["range", "-s", Self.uuid, "--config", path, "--from", CommandRun.capture("walk.btsnoop")],
      ["scan", "--from", folder.path("none\u{1B}[2J")], ["inspect", "\u{1B}[2J"],
    ] {
      let run = CommandRun(arguments)
      #expect(run.code != .done && run.code != .software)
      #expect(!(run.output + run.errors).isEmpty)
      #expect(Self.isClean(run.output + run.errors), "\(run.errors.debugDescription)")
      #expect(run.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("beaconctl: ") })
    }
  }

  @Test func `names of clients are harmless in the list of grants`() throws {
    let environment = ["XDG_STATE_HOME": folder.path("state")]
    _ = CommandRun(
      ["auth", "set", "always", "--client", "\u{1B}[2Jx\u{9B}1m"],
      environment: environment
    )
    for format in ["table", "json", "jsonl"] {
      let run = CommandRun(["auth", "--format", format], environment: environment)
      #expect(run.output.contains("x"))
      #expect(Self.isClean(run.output + run.errors), "\(run.output.debugDescription)")
    }
  }

  @Test func `a prompt quotes the client and nothing in the quotation is ours`() throws {
    let lines =
      "harmless\u{1B}[2K\u{1B}[1A" + String(repeating: " ", count: 200) + "\"\n  [w] allow\u{1B}[8m"
      + String(repeating: "long ", count: 200)
    let prompt = Prompt(kind: .whenInUse, choices: [.once, .dontAllow], text: lines)
    let text = PromptText(prompt, of: "zz\u{1B}[1A\n")
    #expect(text.lines.count == 3)
    #expect(text.lines.allSatisfy { Self.isClean($0) && !$0.contains("\n") })
    #expect(text.lines[0].hasPrefix("zz\\u{1B}[1A\\u{A} asks"))
    #expect(text.lines[1].hasPrefix("  in its words: \"harmless\\u{1B}[2K"))
    #expect(text.lines[1].hasSuffix("\""))
    #expect(text.lines[1].count { $0 == "\"" } == 2)
    #expect(text.lines[1].count < 280)
    #expect(!text.lines[1].contains("  [w]"))
  }

  @Test func `a line that repeats is shown once in ten seconds`() {
    var limit = RepeatLimit()
    var shown = 0
    for tick in 0..<360 where limit.shows("gone", at: Timestamp(microseconds: Int64(tick) * 50_000))
    {
      shown += 1
    }
    #expect(shown == 2)
    let isShown = limit.shows("back", at: Timestamp(microseconds: 18_000_000))
    #expect(isShown)
  }

  @Test func `lines that differ are twenty in ten seconds`() {
    var limit = RepeatLimit()
    var shown: [Int] = []
    for tick in 0..<400 {
      let time = Timestamp(microseconds: Int64(tick) * 50_000)
      if limit.shows("the kernel dropped \(tick) packets", at: time) { shown.append(tick) }
    }
    #expect(shown == Array(0..<20) + Array(200..<220))
  }

  @Test func `texts of other scripts stay as they are`() {
    for text in ["Grüße", "日本語", "می\u{200C}خواهم", "👩‍🔬", "naïve"] {
      #expect(text.printable == text)
    }
    #expect("a\tb\u{85}".printable == "a\\u{9}b\\u{85}")
  }
}
