// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import MuseumCommands
import Testing

/// The museum's commands overwrite neither a plan nor a visit.
@Suite struct MuseumOutputTests {
  private let folder: ScratchFolder
  private let plan: String
  private let planBytes: Data
  private let visit: String

  init() throws {
    folder = try ScratchFolder()
    planBytes = try Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5"))
    plan = folder.path("plan.json5")
    try planBytes.write(to: URL(filePath: plan))
    visit = folder.path("v.jsonl")
    try FileManager.default.copyItem(atPath: CommandRun.capture("walk.btsnoop"), toPath: visit)
  }

  private func run(_ arguments: [String]) -> CommandRun {
    CommandRun(of: .withMuseum, arguments)
  }

  @Test func `a report overwrites neither its visit nor its plan`() throws {
    let visitBytes = try Data(contentsOf: URL(filePath: visit))
    for (option, path) in [("--html", visit), ("--csv", plan), ("--html", plan)] {
      let run = run(["museum", "report", visit, "--plan", plan, option, path, "--force"])
      #expect(run.code == .usage)
      #expect(run.errors.contains(path))
    }
    #expect(try Data(contentsOf: URL(filePath: visit)) == visitBytes)
    #expect(try Data(contentsOf: URL(filePath: plan)) == planBytes)
  }

  @Test func `a report does not write its page and its table into one file`() throws {
    let out = folder.path("out")
    let run = run([
      "museum", "report", visit, "--plan", plan, "--html", out, "--csv", out, "--force",
    ])
    #expect(run.code == .usage)
  }

  @Test func `a simulation overwrites no plan, and no visit without force`() throws {
    #expect(
      run(["museum", "simulate", plan, "--to", "jsonl", "--plan", plan, "--force"]).code == .usage
    )
    #expect(try Data(contentsOf: URL(filePath: plan)) == planBytes)
    let mine = try folder.write("mine", to: "day-2.jsonl")
    let arguments = [
      "museum", "simulate", folder.path("day.jsonl"), "--plan", plan, "--visitors", "3",
    ]
    #expect(run(arguments).code == .usage)
    #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: folder.path("day-1.jsonl")))
  }

  @Test func `a labelled plan is not overwritten by a new one`() throws {
    let run = run(["museum", "plan", "new", "--from", CommandRun.capture("walk.btsnoop"), plan])
    #expect(run.code == .usage)
    #expect(run.errors.contains("--force"))
    #expect(try Data(contentsOf: URL(filePath: plan)) == planBytes)
  }
}
