// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconSites
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import HistoryCommands
import Pages
import SystemKit
import Testing
import WebServer

@testable import BeaconCommands
@testable import SiteCommands

/// Surveys with a carried beacon, on a terminal and on a page, and the models that they replace.
@Suite struct LiveSurveyCommandTests {
  private static let program = Program(adding: [(.receivers, SiteCommand.command())])
  private static let carried = TestScan.beacon(1, 1)

  /// Two receivers; the beacon is near one of them, then near the other one, as long as a stay each.
  private actor House: ScanSource {
    private var second = 0
    private let seconds: Int
    init(_ seconds: Int) { self.seconds = seconds }

    nonisolated var isLive: Bool { true }
    var now: Timestamp { TestScan.at(Double(second)) }
    var receiverNames: [String] { ["hall", "cellar"] }

    func next(until deadline: Timestamp?) -> ScanBatch? {
      guard second < seconds else { return nil }
      let batch = LiveSurveyCommandTests.second(second, period: 51)
      second += 1
      return batch
    }
  }

  private static func second(_ second: Int, period: Int = 60) -> ScanBatch {
    var scan = TestScan()
    if second == 0 {
      for receiver: UInt8 in 0..<2 {
        scan.add(.radio(receiver: receiver, .listening, TestScan.at(0)))
      }
    }
    for tenth in [1, 5, 8] {
      let level = Int8(-60 - (second * 3 + tenth) % 4)
      let receiver = UInt8(second / period % 2)
      scan.report(carried, level, at: Double(second) + Double(tenth) / 10, receiver: receiver)
    }
    var batch = scan.batch
    batch.upTo = TestScan.at(Double(second + 1))
    return batch
  }

  /// Runs a survey with lines that are typed before; returns the model, the messages, and the rest of the terminal.
  private func survey(
    _ lines: String...,
    seconds: Int = 240
  ) async throws -> (model: SiteModel?, shown: String, terminal: SurveyTerminal) {
    let folder = try ScratchFolder()
    let path = try folder.write(lines.map { $0 + "\n" }.joined(), to: "typed")
    let errors = MemorySink()
    let io = CommandIO(output: MemorySink(), errors: errors, clock: FastClock())
    let typed = open(path, O_RDONLY)
    defer { close(typed) }
    var terminal = SurveyTerminal(
      LiveSurvey([.minor(Self.carried)], stay: .seconds(50)),
      io: io,
      reading: LineInput(typed)
    )
    let model = try await terminal.run(House(seconds)) {}
    return (model, errors.text, terminal)
  }

  // MARK: The terminal

  @Test func `places are named by lines, alike ones are reported, and one is forgotten`()
    async throws
  {
    let (model, shown, _) = try await survey("hall", " cellar  room", "den", "undo", "", "x")
    #expect(model?.places.map(\.name) == ["cellar room", "hall"])
    #expect(shown.contains("stay in 'hall' for 50 s, and walk about in it"), "\(shown)")
    #expect(shown.contains("learned 'cellar room' from 50 s"))
    #expect(
      shown.contains(
        "are alike for every receiver: stay longer in both, or put a receiver into one of them"
      )
    )
    #expect(shown.contains("forgot 'den'"))
  }

  @Test func `a source that ends in a stay keeps the places before it`() async throws {
    let (model, _, _) = try await survey("hall", "cellar", seconds: 70)
    #expect(model?.places.map(\.name) == ["hall"])
    #expect(try await survey("", seconds: 10).model == nil)
  }

  @Test(arguments: [("yes", true), ("NO", false), ("maybe\ny", true), ("", nil)])
  func `a question is answered by yes or no`(_ answer: String, _ wanted: Bool?) async throws {
    let folder = try ScratchFolder()
    let typed = open(try folder.write(answer + "\n", to: "typed"), O_RDONLY)
    defer { close(typed) }
    var terminal = SurveyTerminal(
      LiveSurvey([], stay: .seconds(60)),
      io: .silent,
      reading: LineInput(typed)
    )
    #expect(terminal.confirm("replace it?") == wanted)
  }

  @Test func `a live survey needs a beacon and a live source`() throws {
    let folder = try ScratchFolder()
    let model = folder.path("m.json")
    let live = ["site", "survey", "--live", "--write", model]
    #expect(CommandRun(of: Self.program, live).errors.contains("the one that you carry"))
    let capture =
      live + ["--beacon", "\(Self.carried)", "--from", CommandRun.capture("walk.btsnoop")]
    #expect(CommandRun(of: Self.program, capture).errors.contains("needs a live source"))
    let neither = CommandRun(of: Self.program, ["site", "survey"])
    #expect(neither.code == .usage && neither.errors.contains("--from FILE and --write MODEL"))
    let twice = ["site", "survey", "--undo", model, "--write", model]
    #expect(CommandRun(of: Self.program, twice).code == .usage)
    #expect(!FileManager.default.fileExists(atPath: model))
  }

  // MARK: Models

  private func io() -> (io: CommandIO, errors: MemorySink) {
    let errors = MemorySink()
    return (CommandIO(output: MemorySink(), errors: errors, clock: FastClock()), errors)
  }

  private static func model(_ places: String...) -> SiteModel {
    var model = SiteModel()
    for place in places { _ = model.number(ofPlace: place) }
    _ = model.number(ofReceiver: "a")
    return model
  }

  private func names(_ path: String) throws -> [String] {
    try SiteFiles.model(path).places.map(\.name)
  }

  @Test func `row O11: a model is replaced by a word only, and one step brings it back`() throws {
    let folder = try ScratchFolder()
    let path = folder.path("house.json")
    func file() -> SurveyedModel { SurveyedModel(output: OutputPath(path), io: io().io) }
    #expect(file().replaced == nil)
    #expect(try file().write(Self.model("hall")) == nil)
    #expect(file().replaced == 1)
    #expect(throws: OutputRefusal.exists(path: path)) { try file().check(asking: false) }
    try file().check(asking: true)
    let note = try file().write(Self.model("hall", "den"))
    #expect(note == "the former model is \(path).1; 'site survey --undo \(path)' brings it back")
    #expect(try names(path) == ["hall", "den"] && names(path + ".1") == ["hall"])
    let undo = { CommandRun(of: Self.program, ["site", "survey", "--undo", path]) }
    let undone = undo()
    #expect(undone.code == .done && undone.errors.contains("the former model again, with 1 place"))
    #expect(try names(path) == ["hall"] && names(path + ".2") == ["hall", "den"])
    #expect(undo().code == .done)
    #expect(try names(path) == ["hall", "den"] && names(path + ".3") == ["hall"])
    // The user has answered no.
    #expect(
      try file().keep(Self.model("attic")).contains("\(path) stays; the new model is \(path).4")
    )
    #expect(try names(path) == ["hall", "den"] && names(path + ".4") == ["attic"])
  }

  @Test func `row O11: the same model is not written again, and a copy of it is named`() throws {
    let folder = try ScratchFolder()
    let path = folder.path("house.json")
    func file() -> SurveyedModel { SurveyedModel(output: OutputPath(path), io: io().io) }
    func undo() -> CommandRun { CommandRun(of: Self.program, ["site", "survey", "--undo", path]) }
    _ = try file().write(Self.model("hall"))
    #expect(
      try file().write(Self.model("hall"))
        == "\(path) already is this model, so nothing was written"
    )
    #expect(!file().hasFormer)
    #expect(undo().errors == "beaconctl: \(path) has no other model next to it, so it stays\n")
    // As an earlier version left it.
    try FileManager.default.copyItem(atPath: path, toPath: path + ".1")
    let alone = undo()
    #expect(alone.code == .negativeVerdict)
    #expect(
      alone.errors
        == "beaconctl: \(path) has no other model next to it, so it stays; '\(path).1' is the same model\n"
    )
    _ = try file().write(Self.model("hall", "den"))
    try FileManager.default.copyItem(atPath: path, toPath: path + ".3")
    #expect(
      undo().errors
        == "beaconctl: \(path) is the former model again, with 1 place; the other one is \(path).4;"
        + " '\(path).3' is the same model as that\n"
    )
    #expect(try names(path) == ["hall"] && names(path + ".4") == ["hall", "den"])
  }

  @Test func `only a model is exchanged`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("{}", to: "house.json")
    func undo(_ path: String) -> CommandRun {
      CommandRun(of: Self.program, ["site", "survey", "--undo", path])
    }
    #expect(undo(path).code == .badData && undo(folder.path("none")).code == .noInput)
    let other = try folder.write(
      String(decoding: SiteModelFile.bytes(of: Self.model("hall")), as: UTF8.self),
      to: "other.json"
    )
    #expect(undo(other).code == .negativeVerdict)
    _ = try folder.write("{}", to: "other.json.1")
    #expect(undo(other).code == .badData)
    #expect(try names(other) == ["hall"])
    #expect(try String(contentsOfFile: other + ".1", encoding: .utf8) == "{}")
  }

  @Test func `a survey of captures keeps the model that it replaces`() throws {
    let folder = try ScratchFolder()
    var batches: [ScanBatch] = []
    for second in 0..<20 { batches.append(Self.second(second)) }
    let lines = batches.flatMap(\.inputs).compactMap { input -> String? in
      guard let report = input.report else { return nil }
      return
        #"{"v":1,"type":"sighting","t":"\#(RFC3339.string(report.time))","uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","#
        + #""major":1,"minor":1,"power":-59,"rssi":\#(report.rssi ?? 0),"receiver":"hall"}"#
    }
    let walk = try folder.write(lines.joined(separator: "\n") + "\n", to: "walk.jsonl")
    let truth = try folder.write("start,end,name\n0,20,hall\n", to: "walk.csv")
    let path = folder.path("house.json")
    let words = ["site", "survey", "--from", walk, "--truth", truth, "--write", path]
    #expect(CommandRun(of: Self.program, words).code == .done)
    #expect(CommandRun(of: Self.program, words).code == .usage)
    let same = CommandRun(of: Self.program, words + ["--force"])
    #expect(same.code == .done && same.errors.contains("\(path) already is this model"))
    try Data("start,end,name\n0,20,den\n".utf8).write(to: URL(filePath: truth))
    let forced = CommandRun(of: Self.program, words + ["--force"])
    #expect(forced.code == .done && forced.errors.contains("the former model is \(path).1"))
  }

  // MARK: The page

  private func page(_ folder: ScratchFolder, seconds: Int = 0) -> SurveyPage {
    let survey = LiveSurvey([.minor(Self.carried)], stay: .seconds(50))
    let output = OutputPath(folder.path("house.json"))
    let file = SurveyedModel(output: output, io: io().io)
    let page = SurveyPage(output, replacing: file.replaced, survey)
    play(page, 0..<seconds)
    return page
  }

  private func play(_ page: SurveyPage, _ seconds: Range<Int>) {
    for second in seconds {
      let batch = Self.second(second)
      let slice = ScanSlice(
        batch: batch,
        range: batch.inputs.indices,
        admitted: batch.inputs.map(\.time),
        upTo: batch.upTo
      )
      page.add(slice, receivers: ["hall", "cellar"])
    }
  }

  private func send(_ page: SurveyPage, _ form: String) throws -> WebRefusal? {
    let answer = page.answer(try JSON5.parse(Array(form.utf8)))
    return if case .refused(let reason, _) = answer { reason } else { nil }
  }

  private func html(_ page: SurveyPage) -> String {
    var shown = LivePage()
    page.write(to: &shown, token: "t\"")
    return shown.html
  }

  @Test func `the page learns places, shows alike ones, and takes one back`() throws {
    let folder = try ScratchFolder()
    let page = page(folder)
    #expect(try send(page, "{do: 'stay', place: 'hall'}") == .conflict, "nothing was received")
    #expect(html(page).contains("No receiver receives the beacon."))
    play(page, 0..<2)
    #expect(html(page).contains("The beacon now: hall -6"), "\(html(page))")
    for form in ["{}", "{do: 'x'}", "{do: 1}", "[]"] { #expect(try send(page, form) == .malformed) }
    #expect(try send(page, "{do: 'stay', place: ' '}") == .conflict)
    #expect(try send(page, "{do: 'stay', place: 'hall <b>&'}") == nil)
    #expect(try send(page, "{do: 'stay', place: 'den'}") == .conflict, "one at a time")
    play(page, 2..<20)
    #expect(html(page).contains("<strong>hall &lt;b&gt;&amp;</strong>: 18 of 50 s."))
    play(page, 20..<60)
    #expect(
      html(page).contains("Learned &#39;hall &lt;b&gt;&amp;&#39; from 50 s."),
      "\(html(page))"
    )
    #expect(
      html(page).contains("<li>hall &lt;b&gt;&amp; · 50 s</li>") && !html(page).contains("<b>")
    )
    play(page, 60..<121)
    #expect(try send(page, "{do: 'stay', place: 'attic'}") == nil)
    play(page, 121..<180)
    #expect(html(page).contains("class=\"alike\">&#39;attic&#39; and &#39;hall"))
    #expect(html(page).contains("data-token=\"t&quot;\""))
    #expect(try send(page, "{do: 'undo'}") == nil)
    #expect(!html(page).contains("alike"))
    #expect(try send(page, "{do: 'undo'}") == nil)
    #expect(try send(page, "{do: 'write'}") == .conflict, "nothing is learned")
  }

  @Test func `row O11: the page replaces a model on confirmation, and undoes it`() throws {
    let folder = try ScratchFolder()
    let first = page(folder, seconds: 2)
    let io = io().io
    let path = folder.path("house.json")
    #expect(try send(first, "{do: 'stay', place: 'hall'}") == nil)
    play(first, 2..<60)
    #expect(!html(first).contains("data-question"))
    #expect(try send(first, "{do: 'write'}") == nil)
    first.perform(io)
    #expect(try names(path) == ["hall"])
    #expect(html(first).contains("The model is written; &#39;beaconctl site fuse --model "))
    let page = page(folder, seconds: 2)
    #expect(try send(page, "{do: 'stay', place: 'den'}") == nil)
    play(page, 2..<60)
    #expect(html(page).contains("data-question=\"Replace the model in \(path), which has 1 place,"))
    #expect(try send(page, "{do: 'write'}") == .conflict, "it is not confirmed")
    page.perform(io)
    #expect(try names(path) == ["hall"])
    #expect(try send(page, "{do: 'restore'}") == .conflict)
    #expect(try send(page, "{do: 'write', confirmed: true}") == nil)
    page.perform(io)
    page.perform(io)
    #expect(try names(path) == ["den"] && names(path + ".1") == ["hall"])
    #expect(html(page).contains("Undo the replacement"))
    #expect(try send(page, "{do: 'restore', confirmed: true}") == nil)
    page.perform(io)
    #expect(try names(path) == ["hall"] && names(path + ".2") == ["den"])
    #expect(html(page).contains("is the former model again"))
    // A failure is a sentence on the page.
    try FileManager.default.removeItem(at: folder.url)
    #expect(try send(page, "{do: 'restore', confirmed: true}") == nil)
    page.perform(io)
    #expect(html(page).contains("Nothing was written: "), "\(html(page))")
  }
}
