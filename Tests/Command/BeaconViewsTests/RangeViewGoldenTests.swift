// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconViews

@Suite struct RangeViewGoldenTests {
  /// The first report of the walk.
  static let walkStart = Timestamp(microseconds: 1_777_716_000_000_000)

  static func walk(_ glyphs: Glyphs = .unicode) async throws -> RangeStage {
    var stage = RangeStage(receivers: [], glyphs: glyphs, startingAt: walkStart)
    try await stage.play(capture: "walk.btsnoop", seconds: 20, from: walkStart)
    return stage
  }

  @Test(arguments: [(80, 24), (200, 60), (60, 10), (120, 30)])
  func `a walk past three beacons`(_ columns: Int, _ rows: Int) async throws {
    var stage = try await Self.walk()
    let size = "\(columns)x\(rows)"
    try Golden.expect(stage.text(columns, rows), "terminal/walk.list.\(size).txt")
    stage.press(.down, .function(2))
    try Golden.expect(stage.text(columns, rows), "terminal/walk.beacon.\(size).txt")
    stage.press(.character("?"))
    try Golden.expect(stage.text(columns, rows), "terminal/walk.help.\(size).txt")
  }

  @Test func `the page of keys is whole on a usual terminal`() async throws {
    var stage = try await Self.walk()
    stage.press(.character("?"))
    #expect(!stage.text(80, 24).contains("…"))
  }

  @Test func `a terminal without Unicode, and one with colors`() async throws {
    var plain = try await Self.walk(.ascii)
    try Golden.expect(plain.text(80, 24), "terminal/walk.list.ascii.txt")
    for (columns, rows) in [(60, 10), (120, 30), (200, 60)] {
      let text = plain.text(columns, rows)
      #expect(text.utf8.allSatisfy { $0 < 0x80 })
      try Golden.expect(text, "terminal/walk.list.ascii.\(columns)x\(rows).txt")
    }
    var stage = try await Self.walk()
    let screen = stage.view.screen(columns: 80, rows: 24)
    let visible = screen.rendered(hasColor: true).replacing("\u{1B}", with: "\\e")
    try Golden.expect(visible.replacing("\\e[", with: "\n\\e["), "terminal/walk.list.color.txt")
  }

  @Test(arguments: [(60, 16), (200, 60), (80, 24), (120, 30)].prefix(Effort.isQuick ? 2 : 4))
  func `two hundred beacons, a region, and two radios`(_ columns: Int, _ rows: Int) throws {
    let size = "\(columns)x\(rows)"
    let region = Region(RegionIdentifier("hall 1"), .major(TestScan.museum, 1))
    var stage = RangeStage(regions: [region], receivers: ["hci0", "hci1"])
    var scan = TestScan.gallery(of: 200, seconds: 12)
    scan.radio(.listening, of: 0, at: 0)
    scan.radio(.deaf, of: 1, at: 9)
    stage.play(scan, to: 12)
    stage.view.recording = "beacons-20231114T221320Z.jsonl"
    stage.view.show("recording to beacons-20231114T221320Z.jsonl; r ends it")
    stage.press(.end, .up)
    try Golden.expect(stage.text(columns, rows), "terminal/gallery.list.\(size).txt")
    stage.press(.character("e"))
    try Golden.expect(stage.text(columns, rows), "terminal/gallery.events.\(size).txt")
  }
}

extension TestScan {
  /// Adds a receiver's state.
  mutating func radio(_ state: RadioState, of receiver: UInt8, at seconds: Double) {
    add(.radio(receiver: receiver, state, TestScan.at(seconds)))
  }
}
