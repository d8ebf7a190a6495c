// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import MuseumCommands

/// `museum doctor` on a recorded walk.
@Suite struct MuseumDoctorTests {
  /// A capture with eight seconds in front of each exhibit of the first room, but for one that is silent.
  private static func walk(_ folder: ScratchFolder) throws -> String {
    let places = [(2.0, 1.5), (5, 1.5), (8, 1.5), (3.5, 4.5), (6.5, 4.5)]
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["hci0"],"redacted":true}"#
    ]
    var now = 0
    for here in places {
      for _ in 0..<24 {
        for (index, place) in places.enumerated() where index != 2 {
          let away = max(
            1,
            ((here.0 - place.0) * (here.0 - place.0)
              + (here.1 - place.1) * (here.1 - place.1)).squareRoot()
          )
          let level = -62 - Int((24 * log10(away)).rounded())
          let minor = String(101 + index, radix: 16)
          let ad = "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e000100\(minor)c5"
          let second = String(format: "%02d:%02d.%d00000", now / 180, now / 3 % 60, now % 3 * 3)
          lines.append(
            #"{"v":1,"type":"report","t":"2026-05-02T10:\#(second)Z","receiver":"hci0","#
              + #""address":"02:00:00:00:00:0\#(index)","address_type":"random","#
              + #""event":"ADV_NONCONN_IND","rssi":\#(level),"ad":"\#(ad)"}"#
          )
        }
        now += 1
      }
    }
    return try folder.write(lines.joined(separator: "\n") + "\n", to: "walk.jsonl")
  }

  private static let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path

  @Test func `every beacon has a line with its finding, and the exit code is 2`() throws {
    let folder = try ScratchFolder()
    let line = ["museum", "doctor", "--plan", Self.plan, "--from", try Self.walk(folder)]
    let run = CommandRun(of: .withMuseum, line + ["--format", "table"])
    #expect(run.code == .negativeVerdict, "\(run.errors)")
    let found = { (title: String) in run.lines.first { $0.contains(title) }.map(String.init) ?? "" }
    #expect(found("Sundial").contains("-62 dBm") && found("Sundial").hasSuffix("good"))
    #expect(found("Hourglass").contains("missing: replace its battery"))
    #expect(found("Astrolabe").hasSuffix("not reached: walk to it"))
    #expect(run.lines.last == "20 of 24 beacons of the plan have a finding.")
    let json = CommandRun(of: .withMuseum, line + ["--format", "json"])
    #expect(json.output.contains(#""number":103,"title":"Hourglass","major":1,"minor":103"#))
    #expect(json.output.contains(#""findings":[{"finding":"missing"}]"#))
  }

  @Test func `a title with a change of direction moves no column`() throws {
    let folder = try ScratchFolder()
    let text = try String(contentsOfFile: Self.plan, encoding: .utf8)
    let path = try folder.write(
      text.replacing("\"Sundial\"", with: "\"Sun\u{202E}dial\""),
      to: "p.json5"
    )
    let line = ["museum", "doctor", "--plan", path, "--from", try Self.walk(folder)]
    let run = CommandRun(of: .withMuseum, line + ["--format", "table"])
    let rows = run.lines.prefix(6).map(String.init)
    #expect(rows[1].contains("Sun\\u{202E}dial"))
    let columns = rows.dropFirst().map { row in
      row.range(of: "  Time  ").map { row.distance(from: row.startIndex, to: $0.lowerBound) }
    }
    #expect(Set(columns).count == 1, "\(run.output)")
  }

  @Test func `on a visit that left rooms out, good beacons are good or not reached`() throws {
    let folder = try ScratchFolder()
    for seed in ["1"] {
      let visit = folder.path("visit-\(seed).jsonl")
      let simulate = ["museum", "simulate", "--plan", Self.plan, "--seed", seed, visit]
      #expect(CommandRun(of: .withMuseum, simulate).code == .done)
      let line = ["museum", "doctor", "--plan", Self.plan, "--from", visit, "--format", "table"]
      let run = CommandRun(of: .withMuseum, line)
      let findings = run.lines.dropFirst().prefix(24).map(String.init)
      #expect(
        findings.allSatisfy { $0.hasSuffix(" good") || $0.hasSuffix("not reached: walk to it") },
        "\(run.output)"
      )
    }
  }

  @Test func `without a plan or a capture it ends with a reason`() throws {
    #expect(CommandRun(of: .withMuseum, ["museum", "doctor"]).code == .usage)
    let run = CommandRun(
      of: .withMuseum,
      ["museum", "doctor", "--plan", Self.plan, "--from", "/nowhere.jsonl"]
    )
    #expect(run.code == .noInput && run.errors.contains("/nowhere.jsonl"))
  }
}
