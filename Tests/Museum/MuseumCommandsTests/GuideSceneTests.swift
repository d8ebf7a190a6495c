// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconCore
import BeaconFormats
import BeaconMuseum
import BeaconTestSupport
import Foundation
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

  /// A guide whose visitor has stood in front of the astrolabe for some seconds.
  private static func scene(_ language: String = "en") -> GuideScene {
    let engine = TestEngine(startingAt: TestScan.at(0))
    var guide = Guide(plan)
    let client = engine.driver.connect()
    for request in guide.begin(nil).requests { engine.driver.request(request, by: client) }
    var scan = TestScan()
    for step in 0..<30 {
      for (index, exhibit) in plan.exhibits.enumerated() {
        guard let place = exhibit.position else { continue }
        let distance = place.distance(to: Plan.Point(12, 2.6))
        let rssi = -59 - 24 * log10(max(0.3, distance))
        guard rssi > -85 else { continue }
        scan.report(
          exhibit.identity,
          Int8(rssi.rounded()),
          at: Double(step) * 0.35 + Double(index) / 1000
        )
      }
    }
    _ = engine.run(scan.inOrder) { delivery, driver in
      for request in guide.answer(delivery).requests { driver.request(request, by: client) }
    }
    var scene = GuideScene(plan, language: language, view: guide.view)
    scene.time = TestScan.at(10)
    scene.authorization = .authorizedWhenInUse
    scene.indicator = .solid
    scene.show("you are in Sky")
    return scene
  }

  private func expect(_ scene: GuideScene, _ name: String) throws {
    for (columns, rows) in [(80, 24), (200, 60)] {
      let text = scene.screen(columns: columns, rows: rows).text
      try Golden.expect(text, "terminal/guide.\(name).\(columns)x\(rows).txt")
    }
  }

  @Test func `in front of an exhibit: the place, its text, the confidence, what is near`() throws {
    try expect(Self.scene(), "exhibit")
  }

  @Test func `in the visitor's language`() throws {
    try expect(Self.scene("de"), "german")
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
  }

  @Test func `a key and what it does stand in one line`() {
    let keys = ["[w] allow while using", "[o] allow once", "[p] precise: on"]
    #expect(TextWrap.lines(of: keys, width: 80) == [keys.joined(separator: " ")])
    #expect(TextWrap.lines(of: keys, width: 50) == ["\(keys[0]) \(keys[1])", keys[2]])
    #expect(TextWrap.lines(of: keys, width: 1) == keys)
  }

  @Test func `under reduced accuracy it shows only that`() throws {
    var guide = Guide(Self.plan)
    _ = guide.begin(status: .authorizedWhenInUse, accuracy: .reduced)
    var scene = GuideScene(Self.plan, language: "en", view: guide.view)
    scene.authorization = .authorizedWhenInUse
    scene.accuracy = .reduced
    try expect(scene, "reduced")
  }

  @Test func `when closed it shows only a notification`() throws {
    var scene = Self.scene()
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

  @Test func `an ASCII terminal gets only ASCII, except for the plan's texts`() {
    var scene = Self.scene()
    scene.glyphs = .ascii
    let text = scene.screen(columns: 80, rows: 24).text
    #expect(!text.contains("┼") && !text.contains("◆ Astrolabe"))
  }

  @Test(arguments: [(0, 0), (1, 1), (59, 24), (80, 15), (60, 16), (1000, 1000)])
  func `no size is too small or too large`(columns: Int, rows: Int) {
    let screen = Self.scene().screen(columns: columns, rows: rows)
    #expect(screen.columns == columns && screen.rows == rows)
    if columns < 60 || rows < 16, columns > 30, rows > 0 {
      #expect(screen.text.contains("60 × 16"))
    }
  }
}
