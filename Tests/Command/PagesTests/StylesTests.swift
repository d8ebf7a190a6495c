// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import Pages

/// The style sheets and scripts that the build embedded.
@Suite struct StylesTests {
  @Test func `each style sheet begins with the colors, and loads nothing`() {
    for sheet in [Styles.guide, Styles.editor, Styles.report, Styles.status] {
      #expect(sheet.hasPrefix(Texts.colorsStyle + "\n"))
      // A pattern of the same picture is not fetched.
      #expect(!sheet.replacing("url(#", with: "").contains("url(") && !sheet.contains("@import"))
    }
  }

  @Test func `a printed page has the light colors on white`() throws {
    for sheet in [Styles.report, Styles.guide] {
      let print = sheet.split(separator: "@media print{").dropFirst().first {
        $0.hasPrefix(":root{")
      }
      let rule = try #require(print?.split(separator: "}").first)
      #expect(rule.hasPrefix(":root{color-scheme:light;--ink:#1d2430;"))
      #expect(rule.hasSuffix(";--accent:#1f5fa6;--page:#fff"))
    }
  }

  @Test func `a script is strict, and writes text as text`() {
    for script in [Texts.guideScript, Texts.editorScript, Texts.statusScript] {
      #expect(script.hasPrefix("'use strict';\n") && script.hasSuffix("})();"))
      #expect(!script.contains("innerHTML"))
    }
  }

  @Test func `text in markup cannot become markup, nor change the direction of what follows`() {
    #expect(Markup.escaped("<a b='c'>&\"") == "&lt;a b=&#39;c&#39;&gt;&amp;&quot;")
    let hostile = "a\u{202E}b\u{0}\u{85}\u{2028}\u{FEFF}\u{FFFF}\tc\n"
    #expect(Markup.escaped(hostile) == #"a\u{202E}b\u{0}\u{85}\u{2028}\u{FEFF}\u{FFFF}"# + "\tc\n")
    #expect(Markup.escaped("a\u{3164}\u{34F}b\u{E0FFF}") == #"a\u{3164}\u{34F}b\u{E0FFF}"#)
    #expect(Markup.escaped("Mu\u{AD}seum 👩‍👧") == #"Mu\u{AD}seum 👩‍👧"#)
  }

  @Test(arguments: ["text", "title", "td"] as [StaticString])
  func `a name in a picture or a table is on one line`(_ element: StaticString) {
    var markup = Markup()
    markup.element(element, [("id", "a\nb")], "a\nb\tc")
    #expect(markup.text == #"<\#(element) id="a\u{A}b">a\u{A}b\u{9}c</\#(element)>"#)
    // As in comma-separated values: two names that differ only in it would look like one.
    markup = Markup()
    markup.element(element, "a\u{AD}b")
    #expect(markup.text == #"<\#(element)>a\u{AD}b</\#(element)>"#)
    markup = Markup()
    markup.element("p", "a\nb")
    #expect(markup.text == "<p>a\nb</p>")
  }
}
