// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// A simulated visitor is a source for `scan`, `range` and `monitor`, as for the guide.
@Suite struct SimulatedSourceTests {
  private static let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path
  private static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  private func run(_ arguments: String...) -> CommandRun {
    CommandRun(of: .withMuseum, arguments)
  }

  @Test(
    .slow,
    arguments: [
      (["scan"], "sighting"), (["range", "-s", uuid], "ranged"),
      (["monitor", "-r", "hall=\(uuid)"], "region.state"),
    ]
  )
  func `scan, range and monitor receive what a simulated visitor receives`(
    _ command: [String],
    _ event: String
  ) throws {
    let arguments = command + ["--plan", Self.plan, "--simulate", "7", "--format", "jsonl"]
    let run = CommandRun(of: .withMuseum, arguments)
    #expect(run.code == .done, "\(run.errors)")
    #expect(run.errors.isEmpty)
    #expect(run.lines.contains { $0.contains("\"type\":\"\(event)\"") })
    #expect(CommandRun(of: .withMuseum, arguments).output == run.output)
    #expect(CommandRun(of: .withMuseum, arguments + ["--speed", "max"]).output == run.output)
  }

  @Test func `there is one source, and a visitor without a plan walks through the demo's`() {
    let capture = CommandRun.capture("walk.btsnoop")
    #expect(run("scan", "--plan", Self.plan, "--simulate", "7", "--from", capture).code == .usage)
    let demo = run("range", "--simulate", "7", "--format", "csv")
    #expect(
      demo.output == run("range", "--plan", Self.plan, "--simulate", "7", "--format", "csv").output
    )
    #expect(demo.code == .done && demo.output.contains("Sundial"))
    #expect(run("scan", "--plan", "/no/plan.json5", "--simulate", "7").code == .noInput)
  }

  @Test func `a plan alone gives a capture its powers`() {
    let capture = CommandRun.capture("walk.btsnoop")
    let run = run("range", "-s", Self.uuid, "--plan", Self.plan, "-f", capture)
    #expect(run.code == .done, "\(run.errors)")
    #expect(!run.lines.isEmpty)
  }
}
