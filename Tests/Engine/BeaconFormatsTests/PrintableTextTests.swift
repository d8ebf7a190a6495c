// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import BeaconTestSupport
import Foundation
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

  @Test(arguments: [
    "hci0", "Küche", "Ñandú 2.", "Ёлка", "Άλφα", "がくしつ", "厨房", "거실", "مطبخ", "Bếp",
    "☕\u{FE0F} 👩\u{200D}👧 🇩🇪",
    "pe\\u{301}",
  ])
  func `an ordinary name stays byte for byte`(_ name: String) {
    #expect(Array(name.exactName.utf8) == Array(name.utf8))
  }

  @Test(arguments: [
    ("pe\u{301}", "pe\\u{301}"), ("\u{212A}", "\\u{212A}"), ("\u{37E}", "\\u{37E}"),
    ("\u{1112}\u{1161}", "\\u{1112}\\u{1161}"), ("a\u{200B}", "a\\u{200B}"),
  ])
  func `a scalar with another form is written out`(_ name: String, _ exact: String) {
    #expect(Array(name.exactName.utf8) == Array(exact.utf8))
    #expect(Array(exact.exactName.utf8) == Array(exact.utf8))
  }

  /// Every scalar that stays begins its canonical decomposition itself, so that nothing before it can become part of it.
  @Test func `no sequence of scalars that stay is another sequence of them`() {
    var forms: Set<String> = []
    for value in UInt32(0)...0x10_FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.value < 0x3_0000 || value % 251 == 0 else {
        continue
      }
      let exact = String(scalar).exactName
      #expect(forms.insert(exact).inserted, "U+\(String(value, radix: 16))")
      guard exact.unicodeScalars.count == 1, value >= 0x80 else { continue }
      let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      let isSyllable = (0xAC00...0xD7A3).contains(value)
      let isWhole =
        parts.first?.properties.canonicalCombiningClass == .notReordered
        && parts.dropFirst().allSatisfy {
          isSyllable || $0.properties.canonicalCombiningClass != .notReordered
        }
      #expect(isWhole, "U+\(String(value, radix: 16))")
    }
  }

  @Test func `names that differ in their bytes differ as strings`() {
    var random = SplitMix64(seed: 40)
    let parts = (0..<400).compactMap { _ in
      Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &random))
    }
    let related =
      "éèêÅKΩ각がế;<=`\u{340}\u{315}\u{301}\u{323}\u{1100}\u{1161}\u{11A8}\u{1FEF}\u{2126}\u{2001}\u{9C7}\u{9BE}"
    let pool = parts + Array(related.unicodeScalars)
    for _ in 0..<20_000 {
      var name = ""
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        name.unicodeScalars.append(pool.randomElement(using: &random) ?? "a")
      }
      let others = [
        name.decomposedStringWithCanonicalMapping, name.precomposedStringWithCanonicalMapping,
      ]
      for other in others where Array(other.utf8) != Array(name.utf8) {
        #expect(other.exactName != name.exactName, "\(name.unicodeScalars.map(\.value))")
      }
      #expect(Array(name.exactName.exactName.utf8) == Array(name.exactName.utf8))
    }
  }
}
