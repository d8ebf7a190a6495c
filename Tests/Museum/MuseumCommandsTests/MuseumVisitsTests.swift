// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import MuseumCommands

/// The figures of a report on a terminal.
@Suite struct ReportTableTests {
  @Test func `lines are as narrow as the terminal`() {
    let row = ["24", "Mercury barometer", "Weather", "1", "2", "100 %", "0:18", "0:18", "72 %"]
    let head = [
      "No.", "Exhibit", "Room", "Visitors", "Visits", "Stopped", "Median", "90 %", "Held",
    ]
    let whole = MuseumReportCommand.lines([head, row])
    #expect(whole[1].hasPrefix("24   Mercury barometer  Weather  "))
    let width = whole[0].count
    #expect(MuseumReportCommand.lines([head, row], columns: width) == whole)
    let close = MuseumReportCommand.lines([head, row], columns: width - 1)
    #expect(close[1].hasPrefix("24  Mercury barometer Weather "), "\(close)")
    #expect(close.allSatisfy { $0.count == width - 8 })
    let narrow = MuseumReportCommand.lines([head, row], columns: width - 12)
    #expect(narrow[1].hasPrefix("24  Mercury baro~ Weather "), "\(narrow)")
    #expect(narrow.allSatisfy { $0.count == width - 12 })
    #expect(MuseumReportCommand.lines([head, row], columns: 1).count == 2)
  }
}

/// `museum simulate` and `museum report` from end to end.
@Suite(.slow) struct MuseumVisitsTests {
  private let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path

  @Test func `a simulated visit is reported, from any format`() throws {
    let folder = try ScratchFolder()
    for name in ["v.btsnoop", "v.pcap", "v.jsonl"] {
      let run = CommandRun(
        of: .withMuseum,
        [
          "museum", "simulate", "--plan", plan, "--seed", "3", "--truth",
          folder.path("truth.jsonl"), "--force", folder.path(name),
        ]
      )
      #expect(run.code == .done, "\(run.errors)")
    }
    let page = folder.path("report.html")
    let report = CommandRun(
      of: .withMuseum,
      [
        "museum", "report", "--plan", plan, "--html", page, folder.path("v.btsnoop"),
      ]
    )
    #expect(report.code == .done, "\(report.errors)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("Museum of Measure"))
    let tables = ["v.btsnoop", "v.pcap", "v.jsonl"].map {
      CommandRun(
        of: .withMuseum,
        ["museum", "report", "--plan", plan, "--format", "csv", folder.path($0)]
      ).output
    }
    #expect(tables[0].hasPrefix("number,exhibit,room,"))
    #expect(tables[0] == tables[1])
    #expect(tables[0] == tables[2])
    let truth = try String(contentsOfFile: folder.path("truth.jsonl"), encoding: .utf8)
    #expect(
      truth.hasPrefix(
        "{\"v\":1,\"type\":\"truth\",\"t\":\"2026-06-01T10:00:00.000000Z\",\"visitor\":1,"
      )
    )
  }

  @Test func `several visitors have a file each`() throws {
    let folder = try ScratchFolder()
    let run = CommandRun(
      of: .withMuseum,
      [
        "museum", "simulate", "--plan", plan, "--visitors", "12", folder.path("v.btsnoop"),
      ]
    )
    #expect(run.code == .done, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    #expect(names.count == 12)
    #expect(names.first == "v-01.btsnoop" && names.last == "v-12.btsnoop")
    let report = CommandRun(
      of: .withMuseum,
      ["museum", "report", "--plan", plan] + names.map(folder.path)
    )
    #expect(report.code == .done)
    #expect(report.lines.count == 24)
    // The only readable recording of several shows as little as one of several.
    let bad = try folder.write("no capture", to: "bad.jsonl")
    func rows(_ paths: [String]) -> CommandRun {
      let words = ["museum", "report", "--plan", plan, "--format", "csv"] + paths
      return CommandRun(of: .withMuseum, words)
    }
    let (alone, rest) = (rows([folder.path(names[0])]), rows([folder.path(names[0]), bad]))
    #expect(rest.code == .badData && rest.output != alone.output)
    #expect(rest.lines.dropFirst().allSatisfy { $0.hasSuffix(",,,,,,,") }, "\(rest.output)")
    #expect(alone.lines.dropFirst().contains { $0.hasSuffix(".000") })
  }

  @Test func `copies of a recording are one visitor, under any name and in any format`() throws {
    let folder = try ScratchFolder()
    let names = ["v-1.jsonl", "v-2.jsonl"]
    let words = ["museum", "simulate", "--plan", plan, "--visitors", "2", folder.path("v.jsonl")]
    #expect(CommandRun(of: .withMuseum, words).code == .done)
    let first = folder.path(names[0])
    var copies: [String] = []
    for (index, ending) in ["btsnoop", "pcap", "jsonl"].enumerated() {
      copies.append(folder.path("copy-\(index).\(ending)"))
      #expect(CommandRun(of: .withMuseum, ["convert", first, copies[index]]).code == .done)
    }
    let lines = try String(contentsOfFile: first, encoding: .utf8).split(separator: "\n")
    let half = lines.prefix(lines.count / 2).joined(separator: "\n") + "\n"
    copies.append(try folder.write(half, to: "half.jsonl"))
    func report(_ paths: [String]) -> CommandRun {
      let words = ["museum", "report", "--plan", plan, "--format", "csv"] + paths
      return CommandRun(of: .withMuseum, words)
    }
    let alone = report([first])
    let all = report(copies + [first])
    #expect(all.code == .done && all.output == alone.output, "\(all.errors)")
    #expect(
      all.errors.contains(
        "\(copies[1]) is a recording of the same visit as \(copies[0]); the visit counts once"
      ),
      "\(all.errors)"
    )
    let two = report(names.map(folder.path))
    #expect(two.errors.isEmpty && two.output != alone.output)
    #expect(report(names.map(folder.path) + copies).output == two.output)
  }

  @Test func `of many copies twenty are named, and the others counted`() throws {
    let folder = try ScratchFolder()
    let first = folder.path("v-0.jsonl")
    let words = ["museum", "simulate", "--plan", plan, first]
    #expect(CommandRun(of: .withMuseum, words).code == .done)
    // Its start is enough to recognize it.
    let whole = try String(contentsOfFile: first, encoding: .utf8)
    let text = whole.split(separator: "\n").prefix(150).joined(separator: "\n") + "\n"
    let paths = try (0...25).map { try folder.write(text, to: "v-\($0).jsonl") }
    let again = Array(repeating: paths[0], count: 25)
    let report = ["museum", "report", "--plan", plan, "--format", "csv"] + paths + again
    let errors = CommandRun(of: .withMuseum, report).errors
    let lines = errors.split(separator: "\n").map { $0.trimmingPrefix("beaconctl: ") }
    #expect(lines.count { $0.contains("the same visit as") } == 20)
    #expect(
      lines.contains("and 5 more recordings of visits that others have; each visit counts once")
    )
    #expect(lines.count { $0.contains("named twice") } == 20)
    #expect(lines.contains("and 5 more repeated files; each is read once"))
  }

  @Test func `the missing parts are reported`() throws {
    let folder = try ScratchFolder()
    #expect(
      CommandRun(of: .withMuseum, ["museum", "simulate", folder.path("v.btsnoop")]).code == .usage
    )
    #expect(
      CommandRun(of: .withMuseum, ["museum", "simulate", "--plan", plan, folder.path("v")]).code
        == .usage
    )
    #expect(
      CommandRun(of: .withMuseum, ["museum", "report", "--plan", plan, folder.path("none")]).code
        == .noInput
    )
    #expect(
      CommandRun(of: .withMuseum, ["museum", "report", "--plan", plan, "--language", "fr", "-"])
        .code == .usage
    )
    let bad = try folder.write("{ museum: 1 }", to: "plan.json5")
    #expect(
      CommandRun(of: .withMuseum, ["museum", "simulate", "--plan", bad, folder.path("v.pcap")]).code
        == .badData
    )
  }

  @Test func `a report on recordings without a beacon of the plan reports it and exits with 2`()
    throws
  {
    let folder = try ScratchFolder()
    let run = CommandRun(
      of: .withMuseum,
      ["museum", "report", "--plan", plan, CommandRun.capture("h4.btsnoop")]
    )
    #expect(run.code == .negativeVerdict)
    #expect(
      run.errors.contains("h4.btsnoop: has no beacon of the plan, whose UUID is F7826DA6"),
      "\(run.errors)"
    )
    #expect(run.errors.contains("it has 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6: "), "\(run.errors)")
    // One recording with beacons of the plan is enough for a report.
    let good = folder.path("v.btsnoop")
    _ = CommandRun(of: .withMuseum, ["museum", "simulate", "--plan", plan, good])
    let mixed = CommandRun(
      of: .withMuseum,
      ["museum", "report", "--plan", plan, CommandRun.capture("h4.btsnoop"), good]
    )
    #expect(mixed.code == .done)
    #expect(mixed.errors.contains("h4.btsnoop: has no beacon of the plan"), "\(mixed.errors)")
  }

  @Test func `an unreadable recording does not prevent a report of the others`() throws {
    let folder = try ScratchFolder()
    let good = folder.path("v.btsnoop")
    #expect(
      CommandRun(of: .withMuseum, ["museum", "simulate", "--plan", plan, good]).code == .done
    )
    let run = CommandRun(
      of: .withMuseum,
      ["museum", "report", "--plan", plan, folder.path("none"), good]
    )
    #expect(run.code == .noInput)
    #expect(run.lines.count == 24)
  }

  /// The report of a visit that was recorded with a visitor's answers, as a table and a page.
  private func report(_ answers: String, in folder: ScratchFolder) throws -> (CommandRun, String) {
    let (visit, page) = (folder.path("visit.jsonl"), folder.path("report.html"))
    let guide = CommandRun(
      of: .withMuseum,
      [
        "museum", "--plan", plan, "--simulate", "7", "--format", "none", "--record", visit,
        "--answers", try folder.write(answers, to: "answers.json5"), "--quiet",
      ],
      environment: ["XDG_STATE_HOME": folder.path("state")]
    )
    #expect(guide.code == .done, "\(guide.errors)")
    let run = CommandRun(
      of: .withMuseum,
      ["museum", "report", "--plan", plan, "--html", page, "--format", "csv", visit]
    )
    return (run, try String(contentsOfFile: page, encoding: .utf8))
  }

  @Test func `a report does not show the places of a visitor who refused`() throws {
    let folder = try ScratchFolder()
    let (run, page) = try report("[{at:1,input:'answer',choice:'dontAllow'}]", in: folder)
    #expect(run.code == .done, "\(run.errors)")
    #expect(run.errors.contains("did not allow the guide to know the place for"), "\(run.errors)")
    for line in run.lines.dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      #expect(fields[6] == "0" && fields[7] == "0", "\(line)")
    }
    #expect(page.contains("<dt>Not allowed</dt>") && page.contains("<dd>0:00</dd>"))
    #expect(!page.contains("class=\"path\"") && !page.contains("100 %"))
  }

  @Test(arguments: [
    "{at:150,input:'settings',precise:false},{at:200,input:'settings',precise:true}",
    "{at:150,input:'settings',authorization:'never'},{at:200,input:'settings',authorization:'whileUsing'}",
    "{at:150,input:'services',on:false},{at:200,input:'services',on:true}",
    "{at:150,input:'background'},{at:200,input:'foreground'}",
  ])
  func `a report leaves out a time in which the guide was not allowed`(_ actions: String) throws {
    let folder = try ScratchFolder()
    let answers = "[{at:1,input:'answer',choice:'whileUsing'},\(actions)]"
    let (run, page) = try report(answers, in: folder)
    #expect(run.code == .done, "\(run.errors)")
    let rows = page.components(separatedBy: "<th scope=\"row\">10:0").dropFirst()
    #expect(rows.count > 2)
    // Nothing begins in it but the time itself.
    let within = rows.filter { ("2:30"..."3:19").contains(String($0.prefix(4))) }
    #expect(within.allSatisfy { $0.contains("Not allowed") } && !within.isEmpty, "\(within)")
  }
}
