// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// A page to print and cut out: for each exhibit its number, which visitors type, and its title in each language.
package struct LabelSheet: Sendable {
  private let plan: Plan

  /// Creates the page of a plan.
  package init(of plan: Plan) { self.plan = plan }

  /// The page as HTML, without a script and without anything from elsewhere.
  package var html: String {
    let language = plan.languages.first ?? "en"
    var page = Markup()
    page.markup("<!doctype html>\n")
    page.open("html", [("lang", language)])
    page.markup("<head><meta charset=\"utf-8\">")
    page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
    page.element("title", plan.museum[language])
    page.markup("<style>\(Styles.labels)</style></head>\n<body>")
    page.element("h1", plan.museum[language])
    page.open("main")
    for room in plan.rooms {
      for exhibit in plan.exhibits(in: room) { write(exhibit, in: room, to: &page) }
    }
    page.close("main")
    page.markup("</body></html>\n")
    return page.text
  }

  private func write(_ exhibit: Plan.Exhibit, in room: Plan.Room, to page: inout Markup) {
    page.open("section")
    page.element("h2", "\(exhibit.number)")
    for language in plan.languages {
      page.element("p", [("lang", language)], exhibit.title[language])
    }
    // For the person who mounts the beacon.
    let identity = "\(exhibit.identity.major)/\(exhibit.identity.minor)"
    page.element(
      "p",
      [("class", "beacon")],
      "\(room.name[plan.languages.first ?? "en"]) · \(identity)"
    )
    page.close("section")
    page.line()
  }
}
