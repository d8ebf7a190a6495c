// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// `rehearse`: a line a file, failures in full, faults with their places, and the exit code of the worst.
@Suite struct RehearseCommandTests {
  private static func file(_ text: String, _ name: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  private static let scenarios = ProjectFiles.fixtures.appending(path: "scenarios").path
  private static let failing = """
    { name: "Nobody asks", clients: { guide: {} }, timeline: [],
      expect: [{ at: 1, event: "prompt", client: "guide" }] }
    """
  private static let faulty = """
    { name: "x", timelin: [],
      timeline: [{ at: -1, input: "mark" }] }
    """

  @Test func `every scenario of the project holds`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.scenarios).sorted()
    let files = names.filter { $0.hasSuffix(".json5") }.map { "\(Self.scenarios)/\($0)" }
    let run = CommandRun(["rehearse"] + files)
    #expect(run.code == .done, "\(run.output)")
    #expect(run.lines.count == files.count)
    #expect(run.lines.allSatisfy { $0.hasPrefix("ok ") })
    #expect(run.errors == "")
  }

  @Test func `a file that fails does not keep the next from running`() throws {
    let failing = try Self.file(Self.failing, "failing.json5")
    let run = CommandRun(["rehearse", failing, "\(Self.scenarios)/ac02-twice.json5"])
    #expect(run.code == .negativeVerdict)
    #expect(run.output.contains("failing.json5  1 expectation, 1 failure: Nobody asks"))
    #expect(run.output.contains("line 2, at 1 s: expected and not delivered: guide prompt"))
    #expect(run.lines.last == "ok      Fixtures/scenarios/ac02-twice.json5  1 expectation")
  }

  @Test func `every fault of a file is reported, and its exit code wins over a failure's`() throws {
    let faulty = try Self.file(Self.faulty, "faulty.json5")
    let run = CommandRun(["rehearse", try Self.file(Self.failing, "failing.json5"), faulty])
    #expect(run.code == .badData)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.contains("faulty.json5:1:14: a scenario has no key 'timelin'") == true)
    #expect(CommandRun(["rehearse", "/no/file"]).code == .noInput)
    #expect(CommandRun(["rehearse"]).code == .usage)
  }

  @Test func `json is an object a file`() throws {
    let run = CommandRun(
      ["rehearse", "--format", "json", "\(Self.scenarios)/ac02-twice.json5"]
    )
    #expect(
      run.lines == [
        """
        {"file":"Fixtures/scenarios/ac02-twice.json5",\
        "name":"Ranging a constraint twice is ranging it once","holds":true,"expectations":1,\
        "failures":[]}
        """
      ]
    )
  }

  @Test func `a scenario is interrupted while it runs`() throws {
    let week = """
      { name: "A week", clients: { guide: {} }, timeline: [], only: ["prompt"], until: 604800 }
      """
    var looks = 0
    let file = try Self.file(week, "week.json5")
    let run = CommandRun(
      ["rehearse", file, "/no/file"],
      isInterrupted: {
        looks += 1
        return looks > 100
      }
    )
    #expect(run.code == .interrupted)
    #expect(run.output.isEmpty && run.errors.isEmpty)
    #expect(looks < 110)
  }
}
