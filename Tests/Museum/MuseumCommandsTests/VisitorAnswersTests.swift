// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconMuseum
import BeaconTestSupport
import BeaconTesting
import Beacons
import CommandTestSupport
import Foundation
import Testing
import WebServer

@testable import MuseumCommands

/// Answers and settings that a visitor gives on their page.
@Suite struct VisitorAnswersTests {
  /// A visitor at the page: sends forms at times of the visit, as its script does.
  private final class Hand: RunParticipant {
    private let forms: GuideForms
    private let secret: String
    private var steps: [(seconds: Double, choice: String, precise: Bool)]
    private var start: Timestamp?
    private(set) var refused: [WebResponse] = []

    init(_ forms: GuideForms, _ secret: String, _ steps: [(Double, String, Bool)]) {
      (self.forms, self.secret) = (forms, secret)
      self.steps = steps.map { (seconds: $0.0, choice: $0.1, precise: $0.2) }
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins: start = run.now
      case .willWait(let time): send(time)
      case .received: send(run.now)
      default: break
      }
    }

    private func send(_ now: Timestamp) {
      guard let start, let step = steps.first, (now - start).seconds >= step.seconds else { return }
      let answer = forms.answer(VisitorAnswersTests.form(forms, secret, step.choice, step.precise))
      if case .content = answer { steps.removeFirst() } else { refused.append(answer) }
    }

    /// The choices that were not pressed.
    var left: [String] { steps.map(\.choice) }
  }

  fileprivate static func form(
    _ forms: GuideForms,
    _ secret: String,
    _ choice: String,
    _ isPrecise: Bool = true
  ) -> WebRequest {
    let token = forms.offered ?? ""
    let text =
      #"{"token":"\#(token)","code":"\#(secret)","choice":"\#(choice)","precise":\#(isPrecise)}"#
    return WebRequest(
      path: PagePaths.answer,
      method: .post,
      contentType: "application/json",
      content: Array(text.utf8)
    )
  }

  private static func forms(seed: UInt64 = 4) -> GuideForms {
    var random = SplitMix64(seed: seed)
    return GuideForms(PageCode(using: &random))
  }

  private static func snapshot(_ plan: Plan, _ change: (inout GuideSnapshot) -> Void)
    -> GuideSnapshot
  {
    var snapshot = GuideSnapshot(Guide(plan).view)
    snapshot.isAsked = true
    change(&snapshot)
    return snapshot
  }

  private static func plan() throws -> Plan {
    try Plan(
      reading: Array(Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5")))
    )
  }

  @Test func `a guide that is opened by its printed code is allowed until tomorrow`() throws {
    var plan = try Self.plan()
    let denied = Self.snapshot(plan) { $0.authorization = .denied }
    let names = { VisitorChoice.offered(denied, of: plan, in: "en").map(\.label) }
    #expect(names() == ["allow while using", "Ask me again"])
    plan.manifest.appClip = true
    #expect(names() == ["allow until tomorrow", "Ask me again"])
    #expect(plan.manifest.manifest(in: "en").appClip)
    let text = String(
      decoding: try Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5")),
      as: UTF8.self
    )
    let read = text.replacing("manifest: {", with: "manifest: { appClip: true,")
    #expect(try Plan(reading: Array(read.utf8)) == plan)
  }

  /// A visit whose pages are published.
  private struct ServedVisit {
    let setup: GuideSetup
    let forms: GuideForms
    let clock = FastClock()
    let folder: ScratchFolder

    /// Runs it with further participants; returns the lines of its events.
    func run(
      _ views: [any RunParticipant],
      later: [any RunParticipant] = [],
      isInterrupted: @escaping () -> Bool = { false },
      _ play: (GuideVisitRun) async throws -> ExitCode
    ) async throws -> String {
      let output = MemorySink()
      let io = CommandIO(
        output: output,
        errors: MemorySink(),
        environment: ["XDG_STATE_HOME": folder.path("state")],
        clock: clock,
        isInterrupted: isInterrupted
      )
      let server = try WebServer(port: 0, answer: { _ in .notFound })
      defer { server.stop() }
      let guide = setup.program()
      let pages = GuidePages(server, setup, guide, forms, NearbyBoard(), io) {}
      let visit = GuideVisitRun(
        setup,
        guide,
        format: .jsonl,
        views: views + [pages] + later,
        asking: .terminalAndPages,
        io: io
      )
      _ = try await play(visit)
      return output.text
    }
  }

  private static func serve(_ options: [String], _ folder: ScratchFolder) throws -> ServedVisit {
    let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path
    let line = ["museum", "serve", "--plan", plan, "--port", "0"] + options
    guard case .run(_, let arguments) = try Program.withMuseum.parse(line) else {
      throw CommandFailure(.software, "no command")
    }
    let schema = ConfigurationSchema([.engine, .receivers, .authorization, .guide, .web])
    let setup = try GuideSetup(arguments, from: ConfigurationPlaces(schema))
    return ServedVisit(setup: setup, forms: forms(), folder: folder)
  }

  @Test(.slow)
  func `a recording of a visit with answers given on the page replays byte for byte`()
    async throws
  {
    let folder = try ScratchFolder()
    let recording = folder.path("visit.jsonl")
    let visit = try Self.serve(["--simulate", "7", "--record", recording], folder)
    let hand = Hand(
      visit.forms,
      visit.forms.key,
      [
        (12, "answer.whileUsing", false), (40, "place", true), (42, "answer.allow", true),
        (80, "never", true), (95, "allow", true), (110, "again", true), (112, "answer.once", true),
        (130, "approximate", true), (140, "precise", true), (150, "close", true),
        (160, "open", true),
      ]
    )
    let io = CommandIO(output: MemorySink(), errors: MemorySink(), clock: visit.clock)
    let live = try await visit.run([hand]) { run in
      try await visit.setup.source.run(run, visit.setup.plan, speed: 1, io)
    }
    #expect(hand.left == [], "\(hand.refused.suffix(3))")
    for part in [
      #""kind":"temporaryFull""#, #""status":"denied""#, #""status":"reduced""#,
      #""type":"guide.exhibit""#,
    ] {
      #expect(live.contains(part), "\(part)")
    }
    let replay = CommandRun(
      of: .withMuseum,
      [
        "museum", "guide", "--plan", visit.setup.planPath, "--from", recording, "--format", "jsonl",
      ],
      environment: ["XDG_STATE_HOME": folder.path("other")]
    )
    #expect(replay.output == live)
    #expect(try String(contentsOfFile: recording, encoding: .utf8).contains(#""input":"press""#))
  }

  /// Lets time pass between inputs, so that the pages are published.
  private final class Ticks: RunParticipant {
    private let clock: FastClock

    init(_ clock: FastClock) { self.clock = clock }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      if case .received = moment { clock.sleep(for: .seconds(1)) }
    }
  }

  /// A replay as fast as possible never waits, and on the street nothing is delivered.
  @Test func `a guide that is closed on its page can be opened there, though nothing happens`()
    async throws
  {
    let folder = try ScratchFolder()
    var timeline = Timeline()
    timeline.listening(from: 0, through: 100)
    let visit = try Self.serve(["--simulate", "7"], folder)
    let hand = Hand(
      visit.forms,
      visit.forms.key,
      [(5, "answer.whileUsing", true), (60, "close", true), (70, "open", true)]
    )
    _ = try await visit.run([Ticks(visit.clock), hand]) { run in
      try await run.play(TimelineSource(timeline, batchSize: 1), speed: nil)
    }
    #expect(hand.left == [], "\(hand.refused.suffix(3))")
  }

  /// A page has read that its answer is accepted when the signal comes, before the run has looked at it.
  @Test func `an answer that was accepted before the end is performed`() async throws {
    let folder = try ScratchFolder()
    var timeline = Timeline()
    timeline.listening(from: 0, through: 100)
    let visit = try Self.serve(["--simulate", "7"], folder)
    let hand = Hand(visit.forms, visit.forms.key, [(5, "answer.dontAllow", true)])
    let output = try await visit.run(
      [Ticks(visit.clock)],
      later: [hand],
      isInterrupted: { hand.left.isEmpty }
    ) { run in
      try await run.play(TimelineSource(timeline, batchSize: 1), speed: nil)
    }
    #expect(output.contains(#""status":"denied""#), "\(output)")
    let late = visit.forms.answer(Self.form(visit.forms, visit.forms.key, "allow"))
    #expect(late == .refused(.conflict, "the guide ends"))
  }

  @Test func `only who has the printed address or the code can answer`() throws {
    let (plan, forms) = (try Self.plan(), Self.forms())
    forms.pass(to: .zero, isOpen: true)
    let asked = Self.snapshot(plan) { $0.authorization = .denied }
    _ = forms.offer(VisitorChoice.offered(asked, of: plan, in: "en"))
    for secret in ["", "1", forms.key + "0", String(forms.key.dropLast()), "0"] {
      let answer = forms.answer(Self.form(forms, secret, "allow"))
      #expect(answer == .refused(.invalid, "this is not the code"), "\(secret)")
    }
    #expect(forms.drain().isEmpty)
    for secret in [forms.key, forms.code, forms.code.lowercased()] {
      guard case .content = forms.answer(Self.form(forms, secret, "allow")) else {
        Issue.record("refused: \(secret)")
        continue
      }
      #expect(forms.drain() == [.settings(authorization: .whileUsing)])
    }
    // The visitor's address gives no right to give the device away.
    let next = WebRequest(
      path: PagePaths.nextVisitor,
      method: .post,
      contentType: "application/json",
      content: Self.form(forms, forms.key, "").content
    )
    #expect(forms.answer(next) == .refused(.invalid, "this is not the code"))
  }

  @Test func `only an offered choice is accepted, and hands cannot fill the memory`() throws {
    let (plan, forms) = (try Self.plan(), Self.forms())
    forms.pass(to: .zero, isOpen: true)
    let nothing = forms.answer(Self.form(forms, forms.key, "allow"))
    #expect(nothing == .refused(.conflict, "nothing is asked now"))
    let denied = Self.snapshot(plan) { $0.authorization = .denied }
    _ = forms.offer(VisitorChoice.offered(denied, of: plan, in: "en"))
    for choice in ["answer.whileUsing", "precise", "nextVisitor", ""] {
      let answer = forms.answer(Self.form(forms, forms.key, choice))
      #expect(answer == .refused(.conflict, "this is not offered now"), "\(choice)")
    }
    for _ in 0..<1000 { _ = forms.answer(Self.form(forms, forms.key, "allow")) }
    #expect(forms.drain().count == 8)
  }

  @Test func `each state offers its choices, in every language`() throws {
    let plan = try Self.plan()
    let names = { (snapshot: GuideSnapshot) in
      VisitorChoice.offered(snapshot, of: plan, in: "en").map(\.name)
    }
    #expect(names(Self.snapshot(plan) { _ in }) == [])
    let denied = Self.snapshot(plan) { $0.authorization = .denied }
    #expect(names(denied) == ["allow", "again"])
    let reduced = Self.snapshot(plan) {
      ($0.authorization, $0.accuracy) = (.authorizedWhenInUse, .reduced)
    }
    #expect(names(reduced) == ["place", "precise", "never"])
    let inside = Self.snapshot(plan) { $0.authorization = .authorizedWhenInUse }
    #expect(names(inside) == ["close", "approximate", "never", "again"])
    let greeted = Self.snapshot(plan) { ($0.isOpen, $0.isGreeted) = (false, true) }
    #expect(names(greeted) == ["tap", "open"])
    var bare = plan
    bare.manifest.purposes = []
    #expect(!VisitorChoice.offered(reduced, of: bare, in: "en").contains { $0.name == "place" })
    for change in [\GuideSnapshot.isRestricted, \.isOver] {
      var snapshot = denied
      snapshot[keyPath: change] = true
      #expect(names(snapshot) == [])
    }
    var recorded = inside
    recorded.isAsked = false
    #expect(names(recorded) == [])
    for language in ["en", "de", "fr", "es", "it"] {
      for snapshot in [denied, reduced, inside] {
        let labels = VisitorChoice.offered(snapshot, of: plan, in: language).map(\.label)
        #expect(Set(labels).count == labels.count && !labels.contains(""))
      }
      var off = denied
      off.isRestricted = true
      let text = VisitorState(off, of: plan, in: language).text
      #expect(text != VisitorState(denied, of: plan, in: language).text, "\(language)")
    }
  }
}
