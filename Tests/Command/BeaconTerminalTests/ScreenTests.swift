// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconTerminal

@Suite struct ScreenTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("", 0), ("\u{7}", 0), ("\u{301}", 0), ("展", 2),
    ("ｱ", 1), ("한", 2), ("🙂", 2), ("❤\u{FE0F}", 2), ("👩‍🔬", 2), ("▁", 1), ("…", 1), ("展示室", 6),
    ("a\u{1B}[31m", 5),
  ])
  func `a character has the width that terminals give it`(_ text: String, _ width: Int) {
    #expect(CellWidth.of(text) == width)
  }

  @Test func `text that is too long ends in an ellipsis within its width`() {
    #expect(CellWidth.clip("hall 2", to: 6) == "hall 2")
    #expect(CellWidth.clip("hall 2", to: 5) == "hall…")
    #expect(CellWidth.clip("展示室", to: 5) == "展示…")
    #expect(CellWidth.clip("展示室", to: 4) == "展…")
    #expect(CellWidth.clip("hall", to: 0) == "")
  }

  @Test func `text outside the screen is omitted`() {
    var screen = Screen(columns: 4, rows: 2)
    screen.put("abcdef", column: -2, row: 0)
    screen.put("x", column: 0, row: 2)
    screen.put("x", column: 0, row: -1)
    screen.fill(column: 2, row: 1, width: 99, height: 99, with: "#")
    #expect(screen.text == "cdef\n  ##\n")
    #expect(screen[4, 0] == nil)
    #expect(Screen(columns: -1, rows: 1_000_000).text.count == Screen.sizeLimit)
  }

  @Test func `no text from outside moves the cursor`() {
    var screen = Screen(columns: 12, rows: 1)
    screen.put("a\u{1B}[2Jb\r\nc\u{9B}d", column: 0, row: 0)
    #expect(screen.text == "a[2Jbcd\n")
  }

  @Test func `half of a wide character never remains`() {
    var screen = Screen(columns: 6, rows: 1)
    screen.put("展示室", column: 0, row: 0)
    screen.put("x", column: 1, row: 0)
    #expect(screen.text == " x示室\n")
    screen.put("y", column: 2, row: 0)
    #expect(screen.text == " xy 室\n")
    screen.put("室", column: 3, row: 0)
    #expect(screen.text == " xy室\n")
    screen.put("室", column: 5, row: 0)
    #expect(screen.text == " xy室\n")
  }

  @Test(arguments: [
    ([:], false), (["LANG": "en_GB.UTF-8"], true), (["LC_ALL": "C", "LANG": "de_DE.utf8"], false),
    (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], true),
  ])
  func `the locale decides whether Unicode is shown`(_ locale: [String: String], _ isUnicode: Bool)
  {
    #expect((Glyphs.glyphs(of: locale) == .unicode) == isUnicode)
  }

  @Test func `only differences are written`() {
    var old = Screen(columns: 20, rows: 3)
    old.put("nothing changes", column: 0, row: 0)
    old.put("3.20 m", column: 4, row: 1)
    var new = old
    #expect(new.rendered(over: old, hasColor: true) == "")
    new.put("3.40 m", column: 4, row: 1)
    #expect(new.rendered(over: old, hasColor: true) == "\u{1B}[2;7H4")
    new.put("far", column: 0, row: 2, style: CellStyle(.yellow, isBold: true))
    #expect(
      new.rendered(over: old, hasColor: true)
        == "\u{1B}[2;7H4\u{1B}[3;1H\u{1B}[0;1;38;5;166mfar\u{1B}[0m"
    )
    #expect(new.rendered(over: old, hasColor: false).contains("\u{1B}[0;1mfar"))
    #expect(
      new.rendered(over: Screen(columns: 5, rows: 3), hasColor: true)
        == new.rendered(hasColor: true)
    )
  }

  /// A miniature terminal interprets the written text: for any two screens, it shows the second at the end.
  @Test func `writing a difference shows the same as writing the whole screen`() {
    var random = SplitMix64(seed: 5)
    let words = ["hall", "展示室", "🙂", "e\u{301}", " ", "a", "    "]
    func picture() -> Screen {
      var screen = Screen(columns: 12, rows: 4)
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        screen.put(
          words.randomElement(using: &random) ?? "",
          column: Int.random(in: -2...12, using: &random),
          row: Int.random(in: 0...3, using: &random),
          style: CellStyle(Bool.random(using: &random) ? .red : nil)
        )
      }
      return screen
    }
    for _ in 0..<Effort.rounds(2000) {
      let (old, new) = (picture(), picture())
      var shown = MiniatureTerminal(columns: 12, rows: 4)
      shown.obey(old.rendered(hasColor: true))
      #expect(shown.cells == old.cells)
      shown.obey(new.rendered(over: old, hasColor: true))
      #expect(shown.cells == new.cells)
    }
  }
}
