// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconCore
import BeaconFormats
import BeaconMuseum
import BeaconTestSupport
import CommandTestSupport
import Foundation
import SystemKit
import Testing

@testable import BeaconCommands
@testable import MuseumCommands

/// The guide's screen, at the smallest usual size and at a large one.
@Suite struct GuideSceneTests {
  static let plan: Plan = {
    let file = ProjectFiles.fixtures.appending(path: "museum/plan.json5")
    guard let bytes = try? Data(contentsOf: file), let plan = try? Plan(reading: Array(bytes))
    else { fatalError("the plan of the fixtures cannot be read") }
    return plan
  }()

  /// Shows a simulated visit as the guide's screen does, until a time.
  private final class VisitView: RunParticipant {
    private let guide: ProgramHost<Guide>
    private let end = RFC3339.parse("2026-06-01T10:01:32Z") ?? .earliest
    private(set) var scene: GuideScene
    var isThere: Bool { scene.time.map { $0 >= end } ?? false }

    init(_ setup: GuideSetup, _ guide: ProgramHost<Guide>) {
      self.guide = guide
      scene = GuideScene(setup.plan, language: setup.language, view: guide.program.view)
      scene.origin = setup.source.origin
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .delivered(let deliveries):
        for delivery in deliveries where delivery.time <= end {
          _ = scene.show(delivery, to: RunOptions.guideName, guide.program.view)
        }
      case .noticed:
        for (notice, time) in guide.notices where time <= end {
          scene.show(notice, guide.program.view)
        }
      default: break
      }
    }
  }

  /// A visit whose visitor has stood in front of the astrolabe for some seconds.
  private static let english = Task { try await visit("en") }

  private static func visit(_ language: String) async throws -> GuideScene {
    let folder = try ScratchFolder()
    let setup = try GuideVisitTests.setup(folder, "--simulate", "7", "--language", language)
    let guide = setup.program()
    let view = VisitView(setup, guide)
    let io = CommandIO(
      output: MemorySink(),
      errors: MemorySink(),
      environment: ["XDG_STATE_HOME": folder.path("state")],
      clock: FastClock(),
      isInterrupted: { view.isThere }
    )
    let visit = GuideVisitRun(setup, guide, format: nil, views: [view], io: io)
    _ = try await setup.source.run(visit, setup.plan, speed: 1, io)
    #expect(view.isThere)
    return view.scene
  }

  private func expect(_ scene: GuideScene, _ name: String) throws {
    for (columns, rows) in [(80, 24), (200, 60)] {
      let text = scene.screen(columns: columns, rows: rows).text
      try Golden.expect(text, "terminal/guide.\(name).\(columns)x\(rows).txt")
    }
  }

  @Test func `in front of an exhibit: the place, its text, the confidence, what is near`()
    async throws
  {
    try expect(await Self.english.value, "exhibit")
  }

  @Test func `in the visitor's language`() async throws {
    try expect(await Self.visit("de"), "german")
  }

  @Test func `a visitor is asked for permission`() throws {
    var scene = GuideScene(Self.plan, language: "en", view: Guide(Self.plan).view)
    var driver = EngineDriver(startingAt: TestScan.at(0))
    let client = driver.connect(Self.plan.manifest.manifest(in: "en"))
    driver.request(.authorize(.whenInUse), by: client)
    for case .prompt(let prompt) in driver.drainDeliveries().map(\.event) {
      scene.prompt = ScreenPrompt(prompt, of: "museum-guide", Self.plan)
    }
    try #require(scene.prompt != nil)
    try expect(scene, "prompt")
  }

  @Test func `the key that allows in settings allows no more than while using`() {
    func press(_ key: Character, _ choices: [PromptChoice]) -> PromptText.Outcome {
      let prompt = Prompt(kind: .whenInUse, choices: choices, text: "Why.", offersPrecise: false)
      var question = ScreenPrompt(prompt, of: "museum-guide", Self.plan)
      return question.press(key.asciiValue ?? 0)
    }
    let asked: [PromptChoice] = [.whileUsing, .once, .dontAllow]
    for key in "aAw" { #expect(press(key, asked) == .answer(.answer(.whileUsing, precise: true))) }
    #expect(press("a", [.keepWhileUsing, .changeToAlways]) == .none)
    let always: [PromptChoice] = [.whileUsing, .alwaysAllow, .dontAllow]
    #expect(press("a", always) == .answer(.answer(.alwaysAllow, precise: true)))
    let clip: [PromptChoice] = [.untilTomorrow, .once, .dontAllow]
    for key in "at" { #expect(press(key, clip) == .answer(.answer(.untilTomorrow, precise: true))) }
  }

  @Test func `a key and what it does stand in one line`() {
    let keys = ["[w] allow while using", "[o] allow once", "[p] precise: on"]
    #expect(TextWrap.lines(of: keys, width: 80) == [keys.joined(separator: " ")])
    #expect(TextWrap.lines(of: keys, width: 50) == ["\(keys[0]) \(keys[1])", keys[2]])
    #expect(TextWrap.lines(of: keys, width: 1) == keys)
  }

  private static let languages = ["en", "de", "fr", "es", "it"]

  @Test(arguments: languages, [60, 80])
  func `the last line keeps the way back in each language`(language: String, columns: Int) throws {
    func keys(_ change: (inout GuideScene) -> Void = { _ in }) throws -> String {
      var scene = GuideScene(Self.plan, language: language, view: Guide(Self.plan).view)
      change(&scene)
      let lines = scene.screen(columns: columns, rows: 24).text.split(separator: "\n")
      return try String(#require(lines.last))
    }
    let phrases = ScreenPhrases.of(language)
    let turn = "[l] \(phrases.languageKey)"
    let (quit, back) = ("[q] \(phrases.quitKey)", "[b] \(phrases.backKey)")
    for status in [GuideStatus.looking, .outside, .inside, .denied, .reduced] {
      let open = try keys { $0.view.status = status }
      #expect(open.contains(turn) && open.contains(quit), "\(open)")
      let place = "[w] \(phrases.placeKey)"
      #expect(open.contains(place) == (status == .reduced), "\(open)")
      let closed = try keys {
        $0.view.status = status
        $0.isOpen = false
      }
      #expect(closed.contains(back) && closed.contains(turn), "\(closed)")
      #expect(closed.contains(quit), "\(closed)")
    }
    let prompt = Prompt(
      kind: .whenInUse,
      choices: [.whileUsing, .once, .dontAllow],
      text: "Why.",
      offersPrecise: true
    )
    let asked = try keys { $0.prompt = ScreenPrompt(prompt, of: "museum-guide", Self.plan) }
    #expect(asked.contains(turn) && asked.contains(quit), "\(asked)")
    #expect(try keys { $0.end() }.contains(quit))
    let opened = try keys { scene in
      _ = scene.press(.character("1"))
      _ = scene.press(.enter)
    }
    #expect(opened.contains(turn), "\(opened)")
  }

  @Test func `under reduced accuracy it shows only that`() throws {
    var guide = Guide(Self.plan)
    _ = guide.begin(status: .authorizedWhenInUse, accuracy: .reduced)
    var scene = GuideScene(Self.plan, language: "en", view: guide.view)
    scene.authorization = .authorizedWhenInUse
    scene.accuracy = .reduced
    try expect(scene, "reduced")
  }

  @Test func `when closed it shows only a notification`() async throws {
    var scene = try await Self.english.value
    scene.isOpen = false
    scene.notification = "Welcome to Museum of Measure"
    try expect(scene, "closed")
  }

  @Test func `without a drawing the rooms are a list`() throws {
    var plan = Self.plan
    for index in plan.rooms.indices { plan.rooms[index].outline = [] }
    let scene = GuideScene(plan, language: "en", view: Guide(plan).view)
    let text = scene.screen(columns: 80, rows: 24).text
    for room in plan.rooms { #expect(text.contains(room.name["en"])) }
  }

  @Test func `an ASCII terminal gets only ASCII, except for the plan's texts`() async throws {
    var scene = try await Self.english.value
    scene.glyphs = .ascii
    let text = scene.screen(columns: 80, rows: 24).text
    #expect(!text.contains("┼") && !text.contains("◆ Astrolabe"))
  }

  @Test(arguments: [(0, 0), (1, 1), (59, 24), (80, 15), (60, 16), (1000, 1000)])
  func `no size is too small or too large`(columns: Int, rows: Int) async throws {
    let screen = try await Self.english.value.screen(columns: columns, rows: rows)
    #expect(screen.columns == columns && screen.rows == rows)
    if columns < 60 || rows < 16, columns > 30, rows > 0 {
      #expect(screen.text.contains("60 × 16"))
    }
  }

  /// Each reason for which nothing happens.
  private static let reasons: [AuthorizationDiagnostic] = [
    .usageTextMissing(key: "whenInUse"), .purposeKeyMissing(key: "ExhibitGuide"),
    .insufficientlyInUse, .authorizationDenied, .servicesOff, .authorizationRestricted,
    .authorizationRequestInProgress, .accuracyLimited, .backgroundModeMissing, .answerNotOffered,
    .notificationNotShown, .serviceSessionRequired, .settingNotOffered,
  ]

  @Test(arguments: languages)
  func `events are shown in words of the visitor's language, without codes`(language: String)
    throws
  {
    var events = Self.reasons.map { Event.diagnostic(.authorization($0)) }
    events += [
      .authorization(.authorizedWhenInUse, .reduced), .indicator(.hollow),
      .diagnostic(.radio(.radioOff)), .diagnostic(.timeGap(from: .earliest, to: .earliest)),
      .failure(.rangingUnavailable, .constraint(.uuid(7))),
    ]
    for event in events {
      guard let text = GuideSentence.text(of: event, in: language) else { continue }
      #expect(!text.isEmpty && !text.contains("{"))
      let isCode = text.contains(/[a-z][A-Z]/)
      #expect(!isCode || text.contains("whenInUse") || text.contains("ExhibitGuide"), "\(text)")
      let english = GuideSentence.text(of: event, in: "en")
      #expect(language == "en" || text != english, "\(text)")
    }
    var scene = GuideScene(Self.plan, language: language, view: Guide(Self.plan).view)
    let limited = Event.diagnostic(.authorization(.accuracyLimited))
    _ = scene.show(
      Delivery(ofService: limited, to: .theOperator, at: .earliest),
      to: "museum-guide",
      Guide(Self.plan).view
    )
    #expect(!scene.screen(columns: 80, rows: 24).text.contains("accuracyLimited"))
  }
}
