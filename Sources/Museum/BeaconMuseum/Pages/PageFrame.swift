// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Pages

/// The parts that both pages share: the head, the notices and the end.
enum PageFrame {
  /// Writes the start of a page.
  static func begin(
    _ page: inout Markup,
    title: String,
    language: String,
    source: String,
    kind: String
  ) {
    page.markup("<!doctype html>\n")
    page.open("html", [("lang", language)])
    page.markup("<head><meta charset=\"utf-8\">")
    page.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
    page.markup("<meta name=\"color-scheme\" content=\"light dark\">")
    page.element("title", title)
    // An empty icon, so that the browser does not request one.
    page.markup("<link rel=\"icon\" href=\"data:,\">")
    page.open("link", [("rel", "stylesheet"), ("href", PagePaths.style)])
    page.open("script", [("src", PagePaths.script), ("defer", "")])
    page.close("script")
    page.markup("</head>\n")
    page.open("body", [("class", kind), ("data-events", source)])
    page.line()
  }

  /// Writes the notices: that the connection is lost, and that the page needs scripts.
  static func notices(_ page: inout Markup, lost: String, noScript: String) {
    page.open("div", [("role", "status")])
    page.element("p", [("id", "lost"), ("class", "notice"), ("hidden", "")], lost)
    page.element("p", [("id", "note"), ("class", "notice"), ("hidden", "")], "")
    page.close("div")
    page.open("noscript")
    page.element("p", [("class", "notice")], noScript)
    page.close("noscript")
    page.line()
  }

  /// Writes links to the same page in each language.
  static func languages(
    _ page: inout Markup,
    _ languages: [String],
    current: String,
    path: (String) -> String
  ) {
    page.open("ul")
    for language in languages {
      var attributes: [(StaticString, String)] = [
        ("href", path(language)), ("hreflang", language), ("lang", language),
      ]
      if language == current { attributes.append(("aria-current", "page")) }
      page.open("li")
      page.element("a", attributes, VisitorPhrases.name(of: language))
      page.close("li")
    }
    page.close("ul")
  }

  /// Writes the end of a page.
  static func end(_ page: inout Markup) { page.markup("</body></html>\n") }
}
