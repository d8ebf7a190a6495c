// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// `demo`, without a terminal.
@Suite struct DemoCommandTests {
  @Test(.slow) func `the demo shows the prompt, a refusal, both accuracies, and writes the report`()
    throws
  {
    let folder = try ScratchFolder()
    let run = CommandRun(
      of: .withMuseum,
      ["demo", "--speed", "max"],
      environment: ["TMPDIR": folder.path("")]
    )
    #expect(run.code == .done, "\(run.errors)")
    for text in [
      "The guide asks for your permission", "location: allowed while in use, precise",
      "location: not allowed", "location: allowed while in use, but only approximate",
      "Your location is approximate", "You are in the museum.",
    ] {
      #expect(run.output.contains(text), "\(text)")
    }
    let report = String(try #require(run.lines.last))
    #expect(report.hasPrefix(folder.path("")) && report.hasSuffix("/report.html"))
    let page = try String(contentsOfFile: report, encoding: .utf8)
    #expect(page.contains("Museum of Measure"))
    let place = URL(filePath: report).deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    #expect(names == ["answers.json5", "plan.json5", "report.html", "visit.jsonl"])
    // Each command is shown as it can be run again.
    let shown = run.errors.split(separator: "\n").filter { $0.hasPrefix("$ beaconctl ") }
    #expect(shown.count == 2)
    let again = try #require(shown.last).split(separator: " ").dropFirst(2).map(String.init)
    #expect(CommandRun(of: .withMuseum, again + ["--force"]).code == .done)
  }

  @Test func `a demo that cannot be written or played ends with its reason`() throws {
    let run = CommandRun(
      of: .withMuseum,
      ["demo", "--speed", "max"],
      environment: ["TMPDIR": "/nowhere"]
    )
    #expect(run.code == .noInput, "\(run.errors)")
    #expect(run.errors.contains("/nowhere/beacons-demo"))
    let folder = try ScratchFolder()
    let slow = CommandRun(
      of: .withMuseum,
      ["demo", "--speed", "backwards"],
      environment: ["TMPDIR": folder.path("")]
    )
    #expect(slow.code == .usage)
  }
}
