// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import CommandTestSupport
import Testing

/// The messages about a beacon whose identity two devices send.
@Suite struct ContestCommandTests {
  private let folder: ScratchFolder
  private static let beacon = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1"

  init() throws { folder = try ScratchFolder() }

  /// Twenty seconds of a beacon at −45 dBm, and of a copy at a level.
  private func capture(_ level: Int) throws -> String {
    var text = ""
    for index in 0..<200 {
      let isCopy = index % 4 == 3
      let (second, rest) = (index / 10, index % 10)
      text += #"{"v":1,"type":"report","t":"2026-05-02T10:00:"# + (second < 10 ? "0" : "")
      text += "\(second).\(rest)"
      text += #"Z","receiver":"hci0","address":"02:00:00:00:00:0"# + (isCopy ? "2" : "1")
      text += #"","address_type":"random","event":"ADV_IND","rssi":"# + "\(isCopy ? level : -45)"
      text += #","ad":"0201061AFF4C000215F7826DA64FA24E988024BC5B71E0893E00010001C5"}"# + "\n"
    }
    return try folder.write(text, to: "copy.jsonl")
  }

  @Test func `range reports it on standard error, in the table and in each line`() throws {
    let path = try capture(-85)
    let said =
      "\(Self.beacon) is sent from two addresses at levels that no one place explains"
      + " (-45 and -85 dBm): its distance counts as unknown"
    let table = CommandRun(["range", "-f", path, "-s", Self.beacon, "--format", "table"])
    #expect(table.code == .done)
    #expect(table.errors == "beaconctl: \(said)\n")
    #expect(table.output.contains(said))
    let last = try #require(table.lines.last)
    #expect(last.contains("unknown") && last.hasSuffix("two senders"))
    let lines = CommandRun(["range", "-f", path, "-s", Self.beacon, "--format", "jsonl"])
    let contested = try #require(lines.lines.last)
    #expect(contested.contains(#""proximity":"unknown","distance":null"#))
    #expect(contested.contains(#","contested":true}"#))
    #expect(
      lines.output.contains(
        #""code":"identityContested","identity":"\#(Self.beacon)","levels":[-45.00,-85.00]}"#
      )
    )
    #expect(lines.output.split(separator: "\n").count { $0.contains("identityContested") } == 1)
    // Before it is noticed, no second calls the beacon far where its distance is not.
    for far in lines.output.matches(of: /"proximity":"far","distance":([0-9.]+)/) {
      #expect((Double(far.1) ?? 0) > 0.5)
    }
    let quiet = CommandRun(["range", "-q", "-f", path, "-s", Self.beacon, "--format", "none"])
    #expect(quiet.errors.isEmpty)
  }

  @Test func `inspect reports it, and only where levels differ`() throws {
    let path = try capture(-85)
    let note =
      "\(Self.beacon) is sent from two addresses at levels that no one place explains: -45 and -85 dBm"
    let line = ["inspect", path, "--format", "table"]
    let table = CommandRun(line, environment: ["COLUMNS": "200"])
    #expect(table.output.contains("note: \(note)\n"))
    // If it is too long for a line, it is broken between words.
    let narrow = CommandRun(line).output.replacing("\n", with: " ")
    #expect(narrow.contains("note: \(note) "))
    let json = CommandRun(["inspect", path, "--format", "json"])
    #expect(json.output.contains(#""addresses":2,"contested":[-45.00,-85.00]"#))
    #expect(json.output.contains(note))
    let alike = try capture(-50)
    for format in ["table", "json"] {
      let run = CommandRun(["inspect", alike, "--format", format])
      #expect(!run.output.contains("contested") && !run.output.contains("one place"))
    }
    #expect(!CommandRun(["range", "-f", alike, "-s", Self.beacon]).output.contains("contested"))
  }

  @Test func `a replay of its recording reports the same`() throws {
    let path = try capture(-85)
    let recording = folder.path("recording.jsonl")
    let live = CommandRun(["range", "-f", path, "-s", Self.beacon, "--record", recording])
    let replay = CommandRun(["range", "-f", recording, "-s", Self.beacon])
    #expect(live.output == replay.output && live.output.contains("identityContested"))
  }
}
