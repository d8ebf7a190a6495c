// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import Testing

@testable import BeaconCommands

/// What a run keeps of its regions for the next one.
@Suite struct RegionKeepingTests {
  private let folder: ScratchFolder
  private static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  init() throws { folder = try ScratchFolder() }

  private var state: String { folder.path("home/beacons") }

  /// Writes a capture: beacon 1 every half a second in some spans of seconds, and a mark a second.
  private func capture(
    _ name: String,
    received: [ClosedRange<Double>],
    from start: Double = 0,
    to end: Double
  ) throws -> String {
    var scan = TestScan()
    for second in stride(from: start, through: end, by: 0.5) {
      if received.contains(where: { $0.contains(second) }) {
        scan.report(TestScan.beacon(1, 1), -60, at: second)
      } else {
        scan.mark(at: second)
      }
    }
    var writer = CaptureLineWriter(
      CaptureHeader(tool: "test", version: "0", receivers: ["hci0"]),
      redacting: true
    )
    writer.append(scan.batch)
    writer.appendEnd(at: TestScan.at(end))
    let path = folder.path(name)
    try Data(writer.bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func monitor(_ capture: String, _ words: [String] = [], keeps: Bool = true) -> CommandRun
  {
    CommandRun(
      ["monitor", "--from", capture, "--region", "hall=\(Self.museum)/1", "--format", "jsonl"]
        + (keeps ? ["--state", state] : []) + words,
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
  }

  /// The types, states and origins that a run told, with the second.
  private func regionEvents(_ run: CommandRun) -> [String] {
    run.lines.compactMap { line in
      guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
        let object = value as? [String: Any], let type = object["type"] as? String,
        type.hasPrefix("region.")
      else { return nil }
      let state = object["state"].map { " \($0)" } ?? ""
      let origin = object["origin"].map { " \($0)" } ?? ""
      return "\(type)\(state)\(origin)"
    }
  }

  @Test func `what a drain delivered is not delivered again by the next run`() throws {
    let first = try capture("a.jsonl", received: [0...20], to: 20)
    let second = try capture("b.jsonl", received: [60...80], from: 60, to: 80)
    #expect(regionEvents(monitor(first, ["--drain"])).suffix(2).first == "region.exit")
    let events = regionEvents(monitor(second, ["--drain"]))
    #expect(events.first == "region.state outside restored")
    let crossings = events.filter { $0 == "region.enter" || $0 == "region.exit" }
    #expect(crossings == ["region.enter", "region.exit"], "\(events)")
  }

  @Test func `the next run continues where the last one ended`() throws {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    let second = try capture("b.jsonl", received: [70...80], from: 70, to: 160)
    #expect(
      regionEvents(monitor(first)) == [
        "region.state outside observed", "region.enter", "region.state inside observed",
      ]
    )
    let run = monitor(second)
    #expect(run.errors.isEmpty)
    #expect(
      regionEvents(run) == [
        "region.state inside restored", "region.exit", "region.state outside observed",
      ]
    )
    // By itself the second begins with a determination, which crosses nothing.
    #expect(regionEvents(monitor(second, keeps: false)).first == "region.state inside observed")
  }

  @Test func `learned exits go on being learned`() throws {
    let first = try capture("a.jsonl", received: [12...1200], to: 1200)
    let second = try capture("b.jsonl", received: [1210...1220], from: 1210, to: 1280)
    _ = monitor(first)
    let learned = try #require(gap(monitor(second)))
    let fresh = try #require(gap(monitor(second, keeps: false)))
    #expect(learned < 10)
    #expect(fresh > 15)
  }

  /// The silence after which a run told that the region was left.
  private func gap(_ run: CommandRun) -> Double? {
    for line in run.lines where line.contains("region.exit") {
      let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
      let why = (value as? [String: Any])?["why"] as? [String: Any]
      return why?["gap"] as? Double
    }
    return nil
  }

  @Test func `a state that is too old, or of another region, is not restored`() throws {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    let late = try capture("b.jsonl", received: [970...980], from: 970, to: 990)
    _ = monitor(first)
    #expect(regionEvents(monitor(late)) == ["region.state inside observed"])
    let next = try capture("c.jsonl", received: [995...999], from: 995, to: 999)
    let other = CommandRun([
      "monitor", "--from", next, "--region", "hall=\(Self.museum)", "--state", state,
      "--format", "jsonl",
    ])
    #expect(regionEvents(other) == ["region.state inside observed"])
  }

  @Test func `a replay that was not asked to keeps and reads nothing`() throws {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    _ = monitor(first, keeps: false)
    #expect(!FileManager.default.fileExists(atPath: state))
    #expect(!FileManager.default.fileExists(atPath: folder.path("beacons")))
  }

  @Test func `a recorded run restores no state, so its recording is complete`()
    throws
  {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    let second = try capture("b.jsonl", received: [70...80], from: 70, to: 90)
    _ = monitor(first)
    let path = folder.path("rec.jsonl")
    let run = monitor(second, ["--record", path])
    #expect(regionEvents(run).first == "region.state inside observed")
    #expect(monitor(path, keeps: false).output == run.output)
  }

  @Test func `regions of other runs stay, until they are too old`() throws {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    _ = monitor(first)
    let other = try capture("b.jsonl", received: [62...70], from: 62, to: 70)
    _ = CommandRun([
      "monitor", "--from", other, "--region", "door=\(Self.museum)", "--state", state,
    ])
    let file = state + "/clients/operator/state.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("\"hall\"") && text.contains("\"door\""))
    let late = try capture("c.jsonl", received: [1200...1210], from: 1200, to: 1210)
    _ = CommandRun([
      "monitor", "--from", late, "--region", "door=\(Self.museum)", "--state", state,
    ])
    #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("\"hall\""))
  }

  @Test func `a damaged file is set aside and reported, and a new one is started`() throws {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    let kept = state + "/clients/operator"
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: kept + "/state.json"))
    let run = monitor(first)
    #expect(run.code == .done)
    #expect(run.errors.contains("the regions' states of operator were damaged (it is no JSON)"))
    #expect(FileManager.default.fileExists(atPath: kept + "/state.json.damaged-1"))
    #expect(regionEvents(run).count == 3)
  }

  @Test(arguments: [
    ("whileUsing", true), ("once", false), ("dontAllow", false),
  ])
  func `a client's file contains nothing that its next run may not know`(
    _ choice: String,
    _ isKept: Bool
  ) throws {
    let first = try capture("a.jsonl", received: [20...60], to: 60)
    let manifest = try folder.write("{ whenInUse: 'To guide you.' }", to: "m.json5")
    let answers = try folder.write(
      "[ { at: 1, input: 'answer', choice: '\(choice)' } ]",
      to: "answers.json5"
    )
    let words = ["--client", "guide", "--manifest", manifest]
    let run = monitor(first, words + ["--answers", answers])
    #expect(regionEvents(run).contains("region.enter") == (choice != "dontAllow"))
    let file = state + "/clients/guide/state.json"
    #expect(FileManager.default.fileExists(atPath: file) == isKept)
    guard isKept else { return }
    // What a limit forbids is no longer kept once a run has found it.
    _ = CommandRun(
      ["auth", "precise", "off", "--client", "guide"],
      environment: ["XDG_STATE_HOME": folder.path("home")]
    )
    let second = try capture("b.jsonl", received: [70...80], from: 70, to: 90)
    #expect(regionEvents(monitor(second, words)).allSatisfy { $0.contains("unknown") })
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  // MARK: Settings of single regions

  @Test func `a configuration file sets what differs for one region`() throws {
    let scan = try capture("a.jsonl", received: [20...60], to: 120)
    let config = try folder.write(
      """
      {
        regions: {
          near: { exit: 7, sightings: 3, window: 5 },
          loud: { rssiFloor: -40 },
          zone: { enterWithin: 0.2, leaveBeyond: 0.4 },
        },
      }
      """,
      to: "c.json5"
    )
    let names = ["near", "loud", "zone", "plain"]
    let run = CommandRun(
      ["monitor", "--from", scan, "--config", config, "--format", "jsonl"]
        + names.flatMap { ["--region", "\($0)=\(Self.museum)/1"] }
    )
    #expect(run.code == .done, "\(run.errors)")
    func lines(_ region: String, _ type: String) -> [Substring] {
      run.lines.filter { $0.contains("\"\(region)\"") && $0.contains(type) }
    }
    // Three reports half a second apart, and 7 s after the last one.
    #expect(lines("near", "region.enter").first?.contains("41.000000Z") == true)
    #expect(lines("near", "region.enter").first?.contains("\"rule\":\"enoughReports\"") == true)
    #expect(lines("near", "region.exit").first?.contains("\"rule\":\"fixedExit\"") == true)
    #expect(lines("near", "region.exit").first?.contains("\"threshold\":7") == true)
    #expect(lines("loud", "region.enter").isEmpty)
    #expect(lines("zone", "region.enter").isEmpty)
    #expect(lines("plain", "region.enter").first?.contains("40.000000Z") == true)
  }

  @Test func `every fault of a region's settings is reported`() throws {
    let config = try folder.write(
      """
      { regions: {
        a: { exit: -1 },
        b: { enterWithin: 2 },
        c: { enterWithin: 3, leaveBeyond: 2 },
        d: { sighting: 2 },
        e: { sightings: 0.5 },
        f: 3,
      } }
      """,
      to: "c.json5"
    )
    let run = CommandRun(["config", "check", config])
    #expect(run.code == .negativeVerdict)
    #expect(run.lines.map { $0.split(separator: ":")[1] } == ["2", "3", "4", "5", "6", "7"])
  }
}
