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

  @Test func `figures are a table on a terminal, and JSON Lines into a pipe or what was chosen`()
    throws
  {
    let arguments = ["museum", "report", visit, "--plan", plan]
    let piped = run(arguments)
    let lines = try piped.output.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(lines.count == 24 && lines.allSatisfy { $0["type"] as? String == "museum.exhibit" })
    #expect(lines[0]["exhibit"] as? String == "Sundial" && lines[0]["minor"] as? Int == 101)
    let csv = run(arguments + ["--format", "csv"])
    #expect(csv.output.hasPrefix("number,exhibit,room,major,minor,passed,"))
    #expect(csv.output.split(separator: "\r\n").count == 25)
    #expect(run(arguments + ["--format", "none"]).output.isEmpty)
    let table = run(arguments + ["--format", "table"])
    let terminal = CommandRun(of: .withMuseum, arguments, terminal: true)
    // The same rows, as wide as the terminal or as they need.
    for output in [table.output, terminal.output] {
      #expect(output.contains("Sundial") && !output.contains("{"))
    }
    #expect(
      table.output.split(separator: "\n").count == terminal.output.split(separator: "\n").count
    )
    let configured = try folder.write("{ output: { piped: 'csv' } }", to: "config.json5")
    #expect(run(arguments + ["--config", configured]).output == csv.output)
    // Only a page prints nothing; with a format the figures come as well.
    let page = ["--html", folder.path("page.html"), "--force"]
    #expect(run(arguments + page).output.isEmpty)
    #expect(run(arguments + page + ["--format", "jsonl"]).output == piped.output)
  }

  @Test func `a visit that is named twice is one visit in a report`() throws {
    let link = folder.path("link.jsonl")
    try FileManager.default.linkItem(atPath: visit, toPath: link)
    let once = run(["museum", "report", visit, "--plan", plan])
    let twice = run(["museum", "report", visit, link, visit, "--plan", plan])
    #expect(twice.output == once.output && !once.output.isEmpty)
    #expect(twice.errors.contains("\(link) is the same file as \(visit); it is read once"))
    #expect(twice.errors.contains("\(visit) is named twice; it is read once"))
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

  @Test func `a labeled plan is not overwritten by a new one`() throws {
    let run = run(["museum", "plan", "new", "--from", CommandRun.capture("walk.btsnoop"), plan])
    #expect(run.code == .usage)
    #expect(run.errors.contains("--force"))
    #expect(try Data(contentsOf: URL(filePath: plan)) == planBytes)
  }

  // MARK: Time

  @Test(.timeLimit(.minutes(1)), arguments: ["2027-03-04", "2126-03-04", "9999-12-31"])
  func `a page grows with the visits and not with the time between them`(_ day: String) throws {
    let uuid = "F7826DA64FA24E988024BC5B71E0893E"
    // Several on the later day: a single one would count as a wrong stamp.
    let times = ["2026-03-04T10:00:00.5Z", "2026-03-04T10:00:01.5Z"]
    let lines = (times + (2...6).map { "\(day)T10:00:0\($0).5Z" }).map {
      #"{"v":1,"type":"report","t":"\#($0)","receiver":"hci0","address":null,"#
        + #""address_type":null,"event":null,"rssi":-60,"#
        + #""manufacturer":{"004c":"0215\#(uuid)00010001C5"}}"# + "\n"
    }
    let path = try folder.write(lines.joined(), to: "years.jsonl")
    for visits in [[path], [path, visit]] {
      let page = folder.path("page\(visits.count)-\(day).html")
      let run = run(["museum", "report", "--plan", plan, "--html", page] + visits)
      // The beacon has the museum's UUID and is not one of the plan's exhibits.
      #expect(run.code == .negativeVerdict, "\(run.errors)")
      #expect(run.errors.contains("spans") && run.errors.contains("may be wrong"))
      #expect(try Data(contentsOf: URL(filePath: page)).count < 300_000)
    }
  }

  @Test func `the user can end a simulation before its first visitor`() throws {
    var looks = 0
    let path = folder.path("day.jsonl")
    let run = CommandRun(
      of: .withMuseum,
      ["museum", "simulate", "--plan", plan, "--visitors", "5000", path],
      isInterrupted: {
        looks += 1
        return looks > 2
      }
    )
    #expect(run.code == .interrupted)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }

  @Test func `the user can end a report`() {
    var looks = 0
    let run = CommandRun(
      of: .withMuseum,
      ["museum", "report", "--plan", plan, visit],
      isInterrupted: {
        looks += 1
        return looks > 2
      }
    )
    #expect(run.code == .interrupted)
    #expect(run.output.isEmpty)
  }
}
