// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconViews

@Suite struct RangeViewTests {
  static func gallery(_ count: Int = 30) -> RangeStage {
    var stage = RangeStage()
    stage.play(TestScan.gallery(of: count, seconds: 8), to: 8)
    return stage
  }

  private func names(_ stage: RangeStage) -> [UInt16] {
    stage.view.rows.map { ($0.key.identity.major - 1) * 20 + $0.key.identity.minor }
  }

  @Test func `a name moves no cursor`() {
    var names = NameBook()
    let first = BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 1)
    names[first] = "\u{1B}[2J\u{202E}"
    var stage = RangeStage(names: names)
    stage.play(TestScan.gallery(of: 3, seconds: 8), to: 8)
    #expect(stage.text(100, 24).contains(#"\u{1B}[2J\u{202E}"#))
  }

  @Test func `rows are ordered by distance until another order is chosen`() {
    var stage = Self.gallery()
    let distances = stage.view.rows.compactMap { $0.beacon.distance?.meters }
    #expect(distances.count == 30)
    #expect(distances == distances.sorted())
    stage.press(.character("s"))
    #expect(stage.view.order == .signal)
    let strengths = stage.view.rows.compactMap(\.lastStrength)
    #expect(strengths == strengths.sorted(by: >))
    stage.press(.function(3))
    #expect(stage.view.order == .name)
    #expect(names(stage) == Array(1...30))
    for _ in 0..<3 { stage.press(.character("s")) }
    #expect(stage.view.order == .distance)
  }

  @Test func `the chosen beacon stays chosen when the order changes, and is always seen`() {
    var stage = Self.gallery()
    stage.press(.character("s"), .character("s"))
    for _ in 0..<27 { stage.press(.down) }
    let chosen = stage.view.chosen
    #expect(chosen?.identity == TestScan.beacon(2, 8))
    let marked = { (text: String) in text.split(separator: "\n").filter { $0.hasPrefix(">") } }
    #expect(marked(stage.text(80, 24)).first?.contains("2/8 ") == true)
    for _ in 0..<5 {
      stage.press(.character("s"))
      #expect(stage.view.chosen == chosen)
      #expect(marked(stage.text(80, 12)).count == 1)
    }
    stage.press(.home)
    #expect(marked(stage.text(80, 12)).count == 1)
    #expect(stage.view.chosen == stage.view.rows.first?.key)
    stage.press(.end, .down, .pageDown)
    #expect(stage.view.chosen == stage.view.rows.last?.key)
  }

  @Test func `a view that is stopped shows what it showed, and continues where the run is`() {
    var stage = Self.gallery(3)
    stage.press(.character("p"))
    let before = stage.text(80, 24)
    #expect(before.contains("PAUSED"))
    var scan = TestScan()
    for tenth in 80..<120 { scan.report(TestScan.beacon(9, 9), -40, at: Double(tenth) / 10) }
    stage.play(scan, to: 12)
    #expect(stage.text(80, 24) == before)
    stage.press(.character(" "))
    let after = stage.text(80, 24)
    #expect(after.contains("9/9") && !after.contains("PAUSED"))
  }

  @Test func `a silent beacon ages, and is no longer delivered after the linger time`() {
    var stage = RangeStage()
    stage.play(TestScan.gallery(of: 1, seconds: 5), to: 8.2)
    #expect(stage.text(80, 24).contains("silent"))
    #expect(stage.text(80, 24).contains("3.3s"))
    stage.press(.enter)
    #expect(stage.text(80, 24).contains("nothing in the last second; last 3.3s ago"))
    stage.play(TestScan(), to: 30)
    #expect(stage.text(80, 24).contains("no longer listed"))
    stage.press(.escape)
    #expect(stage.text(80, 24).contains("No matching beacon was received"))
  }

  @Test func `without a receiver rows are of the past, and leave like silent beacons`() throws {
    var stage = RangeStage()
    var scan = TestScan.gallery(of: 2, seconds: 5)
    scan.radio(.listening, of: 0, at: 0)
    scan.radio(.gone, of: 0, at: 5)
    stage.play(scan, to: 6)
    #expect(stage.view.shown.hasNoReceiver && stage.view.rows.count == 2)
    let screen = stage.view.screen(columns: 80, rows: 24)
    let row = try #require(screen.text.split(separator: "\n").first { $0.contains("1/1") })
    // Neither a proximity nor a rate is claimed.
    #expect(row.contains(" ? ") && row.contains("silent") && row.contains(" - "))
    #expect(screen.rendered(hasColor: true).contains(";38;5;244m"))
    var later = TestScan()
    later.radio(.gone, of: 0, at: 20)
    stage.play(later, to: 20)
    #expect(stage.view.rows.isEmpty)
    var back = TestScan()
    back.radio(.listening, of: 0, at: 21)
    stage.play(back, to: 22)
    #expect(!stage.view.shown.hasNoReceiver)
    #expect(stage.view.shown.lines.last?.text == "hci0 listens again")
  }

  /// Row M6.
  @Test func `a site is shown as gone only while none of its receivers is known`() {
    var stage = RangeStage(receivers: ["mqtt://home", "hall/hci0"])
    var scan = TestScan()
    scan.radio(.gone, of: 0, at: 0)
    stage.play(scan, to: 1)
    #expect(stage.view.shown.hasNoReceiver)
    // The second receiver has a name once it is known.
    var known = TestScan()
    known.radio(.listening, of: 1, at: 2)
    stage.play(known, to: 3)
    let first = stage.text(80, 24).split(separator: "\n").first ?? ""
    #expect(first.contains("hall/hci0 listening") && !first.contains("home"), "\(first)")
    #expect(!stage.view.shown.hasNoReceiver)
    var gone = TestScan()
    gone.radio(.gone, of: 1, at: 4)
    stage.play(gone, to: 5)
    #expect(stage.text(80, 24).contains("hall/hci0 GONE"))
    var empty = RangeStage(receivers: ["mqtt://home"])
    empty.play(scan, to: 1)
    #expect(empty.text(80, 24).contains("mqtt://home GONE"))
  }

  @Test func `the axes of the plots have their units`() {
    var stage = RangeStage()
    stage.play(TestScan.gallery(of: 2, seconds: 5), to: 6)
    #expect(stage.text(120, 30).contains(" s, -100 to -40 dBm"))
    stage.press(.function(2))
    let page = stage.text(80, 24)
    for text in ["-40 dBm", "-100 dBm", "67 s ago", "now"] { #expect(page.contains(text)) }
  }

  @Test func `the page of a beacon has all that its distance was made from`() throws {
    var stage = Self.gallery(1)
    stage.press(.character("i"))
    let row = try #require(stage.view.rows.first)
    let text = stage.text(120, 40)
    let filtered = try #require(row.beacon.filteredRSSI)
    let loss = try #require(row.scan.power).description + " dBm at 1 m announced"
    #expect(text.contains(loss))
    #expect(text.contains("bayes"))
    // The same numbers give the same distance.
    let meters = setting(stage).pathLoss.distance(rssi: filtered, measuredPower: -59)
    #expect(abs(meters - (row.beacon.distance?.meters ?? 0)) < 1e-9)
    #expect(text.contains(RangeView.meters(meters)))
    #expect(text.contains("median gap 100 ms"))
    #expect(text.contains("by hci0"))
  }

  /// The list and the page of a beacon show why it has no distance, and a calibration gives it one.
  @Test(arguments: [0, 1, -3, -18] as [Int8])
  func `a measured power that cannot be one is shown, and a calibration cures it`(
    _ power: Int8
  ) throws {
    let identity = BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 1)
    var scan = TestScan()
    for second in 1...8 { scan.report(identity, -60, at: Double(second) - 0.5, power: power) }
    var stage = RangeStage()
    stage.play(scan, to: 8)
    #expect(stage.text(120, 24).contains("no power"))
    stage.press(.character("i"))
    #expect(stage.text(160, 40).contains("announces \(power) dBm at 1 m, which cannot be"))
    var configuration = Configuration()
    try configuration.ranging.calibration.setPower(-59, for: .minor(identity))
    var cured = RangeStage(configuration: configuration)
    cured.play(scan, to: 8)
    #expect(!cured.text(120, 24).contains("no power"))
    #expect(cured.view.rows.first?.beacon.distance != nil)
  }

  private func setting(_ stage: RangeStage) -> RangingConfiguration { stage.view.setting.ranging }

  @Test func `the color is never the only carrier`() {
    var stage = Self.gallery()
    let screen = stage.view.screen(columns: 80, rows: 24)
    for row in stage.view.rows.prefix(18) {
      let letter = RangeView.letter(of: row.beacon.proximity)
      #expect(["I", "N", "F", "?"].contains(letter))
    }
    let plain = screen.rendered(hasColor: false)
    #expect(!plain.contains(/;3[0-7]m/))
    #expect(screen.rendered(hasColor: true).contains(/;3[0-7]m/))
  }

  @Test func `keys request what the view cannot do itself`() {
    var stage = Self.gallery(1)
    #expect(stage.view.press(.character("q")) == .quit)
    #expect(stage.view.press(.function(10)) == .quit)
    #expect(stage.view.press(.character("r")) == .action(.toggleRecording))
    #expect(stage.view.press(.control("l")) == .redraw)
    #expect(stage.view.press(.character("x")) == nil)
    stage.press(.character("?"), .character("?"))
    #expect(stage.view.page == .list)
  }

  @Test func `q leaves the page of keys, and the view elsewhere`() {
    var stage = Self.gallery(1)
    stage.press(.character("?"))
    #expect(stage.view.press(.character("q")) == nil)
    #expect(stage.view.page == .list)
    for key: Key in [.function(2), .function(6)] {
      stage.press(key)
      #expect(stage.view.press(.character("q")) == .quit)
    }
    stage.press(.function(8))
    #expect(stage.view.press(.function(10)) == .quit)
  }

  @Test(arguments: [Key.character("n"), .function(7)])
  func `a key names the chosen beacon`(_ key: Key) {
    var stage = Self.gallery(3)
    stage.press(.down)
    let chosen = stage.view.rows[1].key.identity
    stage.press(key)
    let numbers = "\(chosen.major)/\(chosen.minor)"
    #expect(stage.text(80, 24).contains(" name of \(numbers):"))
    // Letters that are keys otherwise are letters of the name.
    for letter in "q r?x" { #expect(stage.view.press(.character(letter)) == nil) }
    stage.press(.backspace)
    #expect(stage.text(60, 24).contains(" name of \(numbers): q r?"))
    #expect(stage.view.press(.enter) == .action(.name(chosen, "q r?")))
    #expect(stage.view.page == .list && !stage.text(80, 24).contains("name of"))
    stage.view.rename(chosen, "Globe")
    #expect(stage.text(80, 24).contains("Globe"))
    // The name that it has can be changed, and nothing happens without a text.
    stage.press(key, .character("s"))
    #expect(stage.text(80, 24).contains("\(numbers): Globes"))
    stage.press(.control("u"))
    #expect(stage.view.press(.enter) == nil)
    stage.press(key, .escape)
    #expect(!stage.text(80, 24).contains("name of"))
  }

  @Test func `a name that is typed stays within its line and moves no cursor`() {
    var stage = Self.gallery(1)
    stage.press(.character("n"))
    for _ in 0..<100 { stage.press(.character("\u{202E}")) }
    guard case .action(.name(_, let name)) = stage.view.press(.enter) else {
      Issue.record("no name")
      return
    }
    #expect(name.count == NameBook.longestName)
    stage.press(.character("n"))
    for _ in 0..<100 { stage.press(.character("x")) }
    #expect(stage.text(60, 24).split(separator: "\n").allSatisfy { $0.count <= 60 })
  }

  @Test func `no name is typed if no beacon is chosen`() {
    var stage = RangeStage()
    stage.press(.character("n"))
    #expect(stage.view.press(.character("q")) == .quit)
    stage = Self.gallery(1)
    stage.press(.character("e"), .character("n"))
    #expect(stage.view.press(.character("q")) == .quit)
  }

  @Test func `a beacon's page shows the lines to type`() throws {
    var stage = Self.gallery(2)
    let identity = stage.view.rows[0].key.identity
    stage.press(.enter)
    let text = stage.text(80, 30)
    #expect(text.contains(" beaconctl range -s \(identity)"))
    #expect(text.contains(" beaconctl monitor -r beacon=\(identity)"))
    #expect(text.contains(" beaconctl calibrate -b \(identity) --at 1m"))
    #expect(stage.text(60, 30).contains("n gives it a name for 'range -s NAME'"))
    stage.view.rename(identity, "Globe")
    for columns in [60, 80, 200] {
      let named = stage.text(columns, 30)
      #expect(named.contains(" beaconctl range -s Globe"))
      #expect(named.contains(" beaconctl monitor -r Globe=Globe"))
    }
    // A name of two beacons stands for none of them, and another needs quotes.
    stage.view.rename(stage.view.rows[1].key.identity, "Globe")
    #expect(stage.text(80, 30).contains(" beaconctl range -s \(identity)"))
    stage.view.rename(identity, "Globe'; rm")
    #expect(stage.text(80, 30).contains(" beaconctl range -s \(identity)"))
  }

  @Test func `reports a second are those of whole seconds`() {
    var stage = RangeStage()
    var scan = TestScan.gallery(of: 2, seconds: 6)
    scan.raw([2, 1, 6], at: 5.5)
    stage.play(scan, to: 6)
    #expect(stage.view.model.reportRate == 20.25)
    let rates = stage.view.rows.map(\.rate)
    #expect(rates.count == 2)
    #expect(rates.allSatisfy { (9.5...10.5).contains($0) })
    stage.play(TestScan(), to: 60)
    #expect(stage.view.model.reportRate == 0)
  }

  @Test func `a screen that is too small shows that and never fails`() {
    var stage = Self.gallery()
    #expect(stage.text(59, 24).contains("this view needs 60×10"))
    var random = SplitMix64(seed: 3)
    let keys: [Key] = [
      .up, .down, .pageDown, .pageUp, .home, .end, .enter, .escape, .character("s"),
      .character("e"), .character("?"), .character("p"), .function(2),
    ]
    for _ in 0..<Effort.rounds(500) {
      stage.press(keys.randomElement(using: &random) ?? .up)
      _ = stage.text(
        Int.random(in: 0...210, using: &random),
        Int.random(in: 0...70, using: &random)
      )
    }
  }
}
