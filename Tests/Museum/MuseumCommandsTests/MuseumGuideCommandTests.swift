// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import MuseumCommands

/// The guide as a command: its prompts, its output and its recording.
@Suite struct MuseumGuideCommandTests {
  private static let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path

  /// A folder of its own, with a file of answers.
  private struct Visit {
    let folder: ScratchFolder

    init(answers: String = "[{ at: 2, input: 'answer', choice: 'whileUsing' }]") throws {
      folder = try ScratchFolder()
      _ = try folder.write(answers, to: "answers.json5")
    }

    func path(_ name: String) -> String { folder.path(name) }

    func run(_ arguments: [String]) -> CommandRun {
      CommandRun(of: .withMuseum, arguments, environment: ["XDG_STATE_HOME": path("state")])
    }

    func guide(_ more: String...) -> CommandRun {
      run(["museum", "--plan", MuseumGuideCommandTests.plan] + more)
    }
  }

  @Test func `without a terminal and a grant it refuses, and names the command to run`() throws {
    let run = try Visit().guide("--simulate", "7")
    #expect(run.code == .notPermitted)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("beaconctl auth set whenInUse --client museum-guide"))
  }

  @Test(.slow) func `a simulated visit is shown in rooms and exhibits`() throws {
    let visit = try Visit()
    let run = visit.guide("--simulate", "7", "--answers", visit.path("answers.json5"))
    #expect(run.code == .done, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.contains { $0.contains(#""type":"guide.room""#) && $0.contains(#""major":1"#) })
    #expect(lines.contains { $0.contains(#""type":"guide.exhibit""#) })
    #expect(lines.contains { $0.contains(#""type":"prompt""#) })
    #expect(!lines.contains { $0.contains(#""type":"ranged""#) })
    let clients = lines.filter { $0.contains(#""client":"museum-guide""#) }
    #expect(clients.count == lines.count)
  }

  @Test(.slow) func `a visit's recording replays the same, whatever grants changed since`()
    throws
  {
    let visit = try Visit(
      answers: """
        [{ at: 2, input: 'answer', choice: 'whileUsing' },
         { at: 60, input: 'settings', precise: false }, { at: 70, input: 'answer', choice: 'allow' }]
        """
    )
    let first = visit.guide(
      "--simulate",
      "7",
      "--answers",
      visit.path("answers.json5"),
      "--record",
      visit.path("visit.jsonl")
    )
    #expect(first.code == .done, "\(first.errors)")
    _ = visit.run(["auth", "set", "denied", "--client", "museum-guide"])
    let second = visit.guide("--from", visit.path("visit.jsonl"))
    #expect(second.code == .done, "\(second.errors)")
    #expect(second.output == first.output)
  }

  @Test(.slow) func `a simulated visitor's answers concern only the simulation`() throws {
    let visit = try Visit()
    let arguments = ["--simulate", "7", "--answers", visit.path("answers.json5")]
    let guide = { visit.run(["museum", "--plan", Self.plan] + arguments) }
    let first = guide()
    #expect(!FileManager.default.fileExists(atPath: visit.path("state")))
    #expect(guide().output == first.output)
    // The grants of the account do not affect a simulated visitor.
    _ = visit.run(["auth", "set", "denied", "--client", "museum-guide"])
    #expect(guide().output == first.output)
    #expect(visit.run(["auth", "status", "--client", "museum-guide"]).output.contains("denied"))
  }

  @Test(.slow) func `once accuracy is reduced, nothing received is delivered`() throws {
    let visit = try Visit(
      answers: """
        [{ at: 2, input: 'answer', choice: 'whileUsing' },
         { at: 60, input: 'settings', precise: false },
         { at: 61, input: 'answer', choice: 'dontAllow' }]
        """
    )
    let run = visit.guide("--simulate", "7", "--answers", visit.path("answers.json5"))
    let lines = run.output.split(separator: "\n")
    let reduced = try #require(lines.lastIndex { $0.contains(#""status":"reduced""#) })
    for line in lines[reduced...] {
      #expect(!line.contains("guide.exhibit") && !line.contains("guide.room"), "\(line)")
    }
    #expect(lines[..<reduced].contains { $0.contains("guide.room") })
  }

  @Test func `a faulty plan is refused with every fault, and checking it gives exit code 2`() throws
  {
    let visit = try Visit()
    let path = try visit.folder.write(
      "{ museum: 'M', languages: ['en'], rooms: [], exhibits: [{}] }",
      to: "wrong.json5"
    )
    let check = visit.run(["museum", "plan", "check", path])
    #expect(check.code == .negativeVerdict)
    #expect(check.errors.contains("\(path):1:1: a plan needs 'uuid'"))
    #expect(check.errors.contains("needs 'minor'"))
    let run = visit.run(["museum", "--plan", path, "--simulate", "1"])
    #expect(run.code == .badData)
    let good = visit.run(["museum", "plan", "check", Self.plan])
    #expect(good.code == .done)
    #expect(good.output.hasPrefix("Museum of Measure: 5 rooms, 1 without beacons, 24 exhibits"))
  }

  @Test func `a plan made from a walk is valid and in the order of the walk`() throws {
    let visit = try Visit()
    let capture = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
    let new = visit.run(["museum", "plan", "new", "--from", capture, visit.path("plan.json5")])
    #expect(new.code == .done, "\(new.errors)")
    let check = visit.run(["museum", "plan", "check", visit.path("plan.json5")])
    #expect(check.code == .done, "\(check.errors)")
    let text = try String(contentsOfFile: visit.path("plan.json5"), encoding: .utf8)
    #expect(text.contains("F7826DA6-4FA2-4E98-8024-BC5B71E0893E"))
  }

  @Test func `an unknown language is reported with those of the plan`() throws {
    let run = try Visit().guide("--language", "fr", "--simulate", "1")
    #expect(run.code == .usage)
    #expect(run.errors.contains("its languages are en, de"))
  }
}
