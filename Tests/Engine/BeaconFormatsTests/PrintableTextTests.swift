// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import Testing

/// Outside text as a terminal, a log or a table may get it.
@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("a\u{1B}[2J", "a\\u{1B}[2J"), ("\u{7F}\u{85}\u{9B}", "\\u{7F}\\u{85}\\u{9B}"),
    ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{202E}\u{2066}", "\\u{202E}\\u{2066}"),
    ("\u{FEFF}\u{AD}", "\\u{FEFF}\\u{AD}"), ("\u{200D}\u{200C}é", "\u{200D}\u{200C}é"),
    // Blank letters, and marks that nothing shows: two names would look like one.
    ("a\u{3164}\u{115F}\u{FFA0}", "a\\u{3164}\\u{115F}\\u{FFA0}"),
    ("a\u{34F}\u{17B4}\u{E01F0}", "a\\u{34F}\\u{17B4}\\u{E01F0}"), ("❤\u{FE0F}", "❤\u{FE0F}"),
  ])
  func `what is not there to be seen is written out`(_ text: String, _ printable: String) {
    #expect(text.printable == printable)
    #expect(text.isPrintable == (text == printable))
  }

  @Test func `at most eight marks stand on a letter`() {
    let mark = "\u{301}"
    #expect(("a" + String(repeating: mark, count: 8)).printable.unicodeScalars.count == 9)
    let tower = "a" + String(repeating: mark, count: 10) + "b" + mark
    let shown = "a" + String(repeating: mark, count: 8) + "\\u{301}\\u{301}b" + mark
    #expect(Array(tower.printable.unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test func `a quotation is one line of a length that stays one`() {
    #expect("say \"yes\"".quotation(upTo: 40) == "\"say 'yes'\"")
    #expect("a    b\n\tc".quotation(upTo: 40) == "\"a b c\"")
    #expect("abcdef".quotation(upTo: 3) == "\"abc…\"")
    #expect("\u{1B}[2Ja".quotation(upTo: 40) == "\"\\u{1B}[2Ja\"")
    // One character of any number of bytes.
    for unit in ["👩\u{200D}", "\u{1100}", "\u{200D}", "\u{301}"] {
      #expect(String(repeating: unit, count: 1000).quotation(upTo: 40).utf8.count < 200)
    }
  }
}
