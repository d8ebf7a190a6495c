// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The frame of a page whose changing part its script fetches again: title, tabs, controls and that part.
package struct LivePage {
  /// A link to a page of the same server.
  package struct Tab: Sendable, Equatable {
    /// The address.
    package let path: String
    /// The name.
    package let name: String

    package init(_ path: String, _ name: String) {
      self.path = path
      self.name = name
    }
  }

  /// The path of the style sheet.
  package static let stylePath = "/style.css"
  /// The path of the script.
  package static let scriptPath = "/script.js"

  /// The language of the page.
  package var language = "en"
  /// The title.
  package var title = "Beacons"
  /// Shown while the server does not answer.
  package var lost = "The page gets no answer. It tries again."
  /// The pages of the server, including this one.
  package var tabs: [Tab] = []
  /// The name of the list of tabs.
  package var tabsLabel = "Pages"
  /// The path of this page.
  package var current = "/"
  /// The markup that stays.
  package var controls = ""
  /// The attributes of the part that changes.
  package var attributes: [(StaticString, String)] = []
  /// The part that changes.
  package var view = Markup()

  package init() {}

  /// The page, which its script fetches again every two seconds, or a browser without scripts every five.
  package var html: String {
    var page = Markup()
    page.markup("<!doctype html>\n")
    page.open("html", [("lang", language)])
    page.markup("<head><meta charset=\"utf-8\">")
    page.element("title", title)
    page.markup("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    page.markup("<meta name=\"color-scheme\" content=\"light dark\">\n")
    page.markup("<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n")
    page.markup(
      "<link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"\(Self.stylePath)\">\n"
    )
    page.markup("<script src=\"\(Self.scriptPath)\" defer></script></head>\n<body><main>")
    page.element("h1", title)
    page.line()
    page.tabs(tabs, current: current, label: tabsLabel)
    page.markup(controls)
    page.element("p", [("id", "lost"), ("role", "status"), ("hidden", "")], lost)
    page.line()
    page.open("div", [("id", "view")] + attributes)
    page.line()
    page.markup(view.text)
    page.markup("</div></main></body></html>\n")
    return page.text
  }
}

extension Markup {
  /// Writes links to pages; nothing for a single page.
  package mutating func tabs(_ tabs: [LivePage.Tab], current: String, label: String) {
    guard tabs.count > 1 else { return }
    open("nav", [("class", "tabs"), ("aria-label", label)])
    open("ul")
    for tab in tabs {
      open("li")
      var attributes: [(StaticString, String)] = [("href", tab.path)]
      if tab.path == current { attributes.append(("aria-current", "page")) }
      element("a", attributes, tab.name)
      close("li")
    }
    close("ul")
    close("nav")
    line()
  }
}
