// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import MuseumCommands

/// The guide as a command: its prompts, its output and its recording.
@Suite struct MuseumGuideCommandTests {
  private static let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path

  /// A separate folder, with a file of answers.
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

  @Test(arguments: [("dontAllow", true), ("whileUsing", false)])
  func `a replay in which the guide asked for no beacons reports it`(
    _ choice: String,
    _ says: Bool
  ) throws {
    let visit = try Visit(answers: "[{ at: 2, input: 'answer', choice: '\(choice)' }]")
    let capture = ProjectFiles.fixtures.appending(path: "captures/walk.btsnoop").path
    let arguments = ["--from", capture, "--answers", visit.path("answers.json5")]
    for (more, isShown) in [([], says), (["--quiet"], false)] as [([String], Bool)] {
      let run = visit.run(["museum", "--plan", Self.plan] + arguments + more)
      #expect(run.code == .done, "\(run.errors)")
      let sentence = "the replay ended before the guide ranged or monitored anything"
      #expect(run.errors.contains(sentence) == isShown, "\(run.errors)")
    }
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

  /// A capture in which the museum's first beacon is received once a second from a second on, or until another.
  private static func arrival(at first: Int, leaving last: Int = .max, until end: Int) -> String {
    func report(_ second: Int, _ identity: String) -> String {
      let two = second % 60 < 10 ? "0\(second % 60)" : "\(second % 60)"
      return #"{"v":1,"type":"report","t":"2026-06-01T10:0\#(second / 60):\#(two).100Z","#
        + #""receiver":"hci0","address":null,"address_type":null,"event":null,"rssi":-60,"#
        + #""manufacturer":{"004c":"0215\#(identity)C5"}}"#
    }
    let elsewhere = "2F234454CF6D4A0FADF2F4911BA9FFA600010003"
    let sundial = "F7826DA64FA24E988024BC5B71E0893E00010065"
    return (0...end).map {
      report($0, $0 < first || $0 >= last ? elsewhere : sundial) + "\n"
    }.joined()
  }

  @Test func `on arrival a closed guide greets with the museum's name, an open one shows the room`()
    throws
  {
    let visit = try Visit(
      answers: """
        [{ at: 1, input: 'answer', choice: 'whileUsing' }, { at: 3, input: 'background' },
         { at: 60, input: 'tapNotification', region: 'museum.arrival' }]
        """
    )
    let capture = try visit.folder.write(Self.arrival(at: 30, until: 80), to: "arrival.jsonl")
    let line = [
      "museum", "--plan", Self.plan, "--from", capture, "--answers", visit.path("answers.json5"),
      "--format", "table",
    ]
    let closed = visit.run(line)
    #expect(closed.code == .done, "\(closed.errors)")
    let greeting = "Welcome to Museum of Measure"
    #expect(closed.output.components(separatedBy: greeting).count == 2, "\(closed.output)")
    #expect(!closed.output.contains("museum.arrival"))
    let greeted = try #require(closed.output.range(of: greeting))
    let room = try #require(closed.output.range(of: "You are in Time"))
    #expect(greeted.upperBound < room.lowerBound)
    // Nothing that a command could grant is missing.
    #expect(
      closed.errors
        == "beaconctl: not in use: beacons and regions are off for museum-guide until it is in the"
        + " foreground\n"
    )
    let german = visit.run(line + ["--language", "de"])
    #expect(german.output.contains("Willkommen: Museum des Messens"), "\(german.output)")
    for english in ["location:", "usage indicator", "asked:", "the question"] {
      #expect(!german.output.contains(english), "\(german.output)")
    }
    _ = try visit.folder.write(
      "[{ at: 1, input: 'answer', choice: 'whileUsing' }]",
      to: "answers.json5"
    )
    let open = visit.run(line)
    #expect(open.output.contains("You are in Time"), "\(open.output)")
    #expect(!open.output.contains(greeting) && !open.output.contains("museum.arrival"))
  }

  /// The seconds of the events of one type from the capture's start, and their lines.
  private static func events(_ type: String, of run: CommandRun) throws -> [(Double, String)] {
    let start = try #require(RFC3339.parse("2026-06-01T10:00:00.100Z"))
    return try run.output.split(separator: "\n").map(String.init)
      .filter { $0.contains(#""type":"\#(type)""#) }
      .map { line in
        let stamp = try #require(line.firstMatch(of: /"t":"([^"]*)"/)).1
        return ((try #require(RFC3339.parse(String(stamp))) - start).seconds, line)
      }
  }

  @Test(arguments: [
    "{ at: 60, input: 'tapNotification', region: 'museum.arrival' }",
    "{ at: 60, input: 'foreground' }",
  ])
  func `within 3 s of opening it the guide shows the room`(opening: String) throws {
    let visit = try Visit(
      answers: """
        [{ at: 1, input: 'answer', choice: 'whileUsing' }, { at: 3, input: 'background' }, \(opening)]
        """
    )
    let capture = try visit.folder.write(Self.arrival(at: 30, until: 80), to: "arrival.jsonl")
    let run = visit.guide("--from", capture, "--answers", visit.path("answers.json5"))
    #expect(run.code == .done, "\(run.errors)")
    let rooms = try Self.events("guide.room", of: run)
    #expect(rooms.count == 1 && rooms[0].0 >= 60 && rooms[0].0 <= 63, "\(run.output)")
    let exhibits = try Self.events("guide.exhibit", of: run)
    #expect(exhibits.first.map { $0.0 <= 65 } == true, "\(run.output)")
  }

  @Test func `who leaves while it is closed finds the room ended`() throws {
    let visit = try Visit(
      answers: """
        [{ at: 1, input: 'answer', choice: 'whileUsing' }, { at: 40, input: 'background' },
         { at: 200, input: 'foreground' }]
        """
    )
    let text = Self.arrival(at: 30, leaving: 50, until: 210)
    let capture = try visit.folder.write(text, to: "leaving.jsonl")
    let run = visit.guide("--from", capture, "--answers", visit.path("answers.json5"))
    #expect(run.code == .done, "\(run.errors)")
    #expect(try Self.events("guide.room", of: run).map(\.0).allSatisfy { $0 < 40 })
    let last = try #require(try Self.events("guide.status", of: run).last)
    #expect(last.1.contains(#""status":"outside""#) && last.0 <= 201, "\(run.output)")
  }

  /// A plan can come from elsewhere, so its messages are no longer than it is.
  @Test func `a plan with more than its reports can hold is refused`() throws {
    let visit = try Visit()
    let corners = repeatElement("[0, 0]", count: 1001).joined(separator: ", ")
    let path = try visit.folder.write(
      """
      {museum: "m", uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", languages: ["en"],
       manifest: {whenInUse: "x"}, rooms: [{major: 1, name: "r", outline: [\(corners)]}],
       exhibits: [\(repeatElement("{}", count: 1001).joined(separator: ", "))]}
      """,
      to: "large.json5"
    )
    let check = visit.run(["museum", "plan", "check", path])
    #expect(check.errors.contains("exhibits has 1001 entries; it may have 1000"), "\(check.errors)")
    #expect(check.errors.contains("outline has 1001 entries; it may have 1000"))
  }

  @Test func `a plan of many exhibits at one place gives one remark an exhibit`() throws {
    let visit = try Visit()
    let exhibits = (1...500).map {
      "{room: 1, minor: \($0), title: 'e\($0)', text: 'x', at: [1, 1]}"
    }
    let path = try visit.folder.write(
      """
      {museum: "m", uuid: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", languages: ["en"],
       manifest: {whenInUse: "x"}, floors: [{level: 0, name: "g", entrance: [0, 0], doors: []}],
       rooms: [{major: 1, name: "r", floor: 0, outline: [[0, 0], [9, 0], [9, 9], [0, 9]]}],
       exhibits: [\(exhibits.joined(separator: ", "))]}
      """,
      to: "many.json5"
    )
    let check = visit.run(["museum", "plan", "check", path])
    #expect(check.errors.split(separator: "\n").count == 500, "\(check.errors.suffix(300))")
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
    let capture = visit.run(["museum", "plan", "check", CommandRun.capture("walk.btsnoop")])
    #expect(capture.errors.contains("walk.btsnoop is a btsnoop capture, and no JSON5"))
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

  @Test func `a number at two exhibits is reported, and a walk through two rooms gives none`()
    throws
  {
    let visit = try Visit()
    let beacons = [TestScan.beacon(1, 1), TestScan.beacon(1, 2), TestScan.beacon(2, 1)]
    let text = PlanSkeleton.text(uuid: 7, beacons)
    #expect(text.contains("room: 2, minor: 1, number: 3,"), "\(text)")
    let plan = try visit.folder.write(text, to: "walk.json5")
    #expect(!visit.run(["museum", "plan", "check", plan]).errors.contains("the number"))
    let twice = text.replacing(" number: 3,", with: "")
    let check = visit.run(["museum", "plan", "check", try visit.folder.write(twice, to: "2.json5")])
    #expect(check.code == .done)
    #expect(check.errors.contains("the number 1 stands at 'Exhibit 1/1', 'Exhibit 2/1'; a visitor"))
  }

  @Test func `an unknown language is reported with those of the plan`() throws {
    let run = try Visit().guide("--language", "fr", "--simulate", "1")
    #expect(run.code == .usage)
    #expect(run.errors.contains("its languages are en, de"))
  }
}
