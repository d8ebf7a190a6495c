// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import Pages

/// The operator's page: the guide's activity, the floor plan with the visitor's position, every exhibit with what is
/// received of it, receivers, and counts.
///
/// A script fills it from ``OperatorState``. Every row is there from the start, so that nothing moves when a beacon comes
/// or goes.
public struct OperatorPage: Sendable {
  private let plan: Plan
  private let language: String
  private let phrases: OperatorPhrases

  /// Creates the page of a museum in a language of its plan.
  public init(of plan: Plan, in language: String) {
    self.plan = plan
    self.language = language
    phrases = OperatorPhrases.of(language)
  }

  /// The page as HTML.
  public var html: String {
    var page = Markup()
    PageFrame.begin(
      &page,
      title: phrases.title.filled(plan.museum[language]),
      language: phrases.language,
      source: PagePaths.operatorEvents(in: language),
      kind: "operator"
    )
    page.open("header")
    page.element("h1", [("lang", language)], plan.museum[language])
    writeLinks(to: &page)
    page.close("header")
    page.open("main")
    page.tabs(
      Self.tabs(in: language),
      current: PagePaths.operator(in: language),
      label: phrases.pages
    )
    PageFrame.notices(&page, lost: phrases.lost, noScript: phrases.noScript)
    page.open("div", [("class", "board")])
    writeFacts(to: &page)
    page.open("div", [("class", "stack map")])
    writePlan(to: &page)
    writeExhibits(to: &page)
    page.close("div")
    page.open("div", [("class", "stack side")])
    writeForm(to: &page)
    writeTable(
      phrases.radios,
      id: "radios",
      [phrases.radio, phrases.state, phrases.received, phrases.last],
      to: &page
    )
    writeTable(phrases.counts, id: "counts", [phrases.what, phrases.howMany], to: &page)
    page.close("div")
    page.close("div")
    page.close("main")
    PageFrame.end(&page)
    return page.text
  }

  /// The tabs of the operator's page of a museum.
  package static func tabs(in language: String) -> [LivePage.Tab] {
    let phrases = OperatorPhrases.of(language)
    return [
      LivePage.Tab(PagePaths.operator(in: language), phrases.guide),
      LivePage.Tab(PagePaths.nearby(in: language), phrases.nearby),
      LivePage.Tab(PagePaths.signals(in: language), phrases.signals),
    ]
  }

  private func writeLinks(to page: inout Markup) {
    page.open("nav", [("aria-label", phrases.pages)])
    page.open("ul")
    page.open("li")
    page.element("a", [("href", PagePaths.visitor(in: language))], phrases.visitorPage)
    page.close("li")
    for other in plan.languages where other != language {
      page.open("li")
      page.element(
        "a",
        [("href", PagePaths.operator(in: other)), ("hreflang", other), ("lang", other)],
        VisitorPhrases.name(of: other)
      )
      page.close("li")
    }
    page.close("ul")
    page.close("nav")
  }

  // MARK: The plan

  private func writePlan(to page: inout Markup) {
    let drawings = FloorDrawing.all(plan)
    page.open("section", [("id", "plan"), ("aria-labelledby", "plan-label")])
    page.element("h2", [("id", "plan-label")], phrases.place)
    if drawings.isEmpty { page.element("p", phrases.noDrawing) }
    for drawing in drawings { drawing.writeLive(in: language, to: &page) }
    page.key(
      [
        ("guide-ring", phrases.keyGuide), ("shown", phrases.keyShown),
        ("received", phrases.keyReceived), ("spot", phrases.keyExhibit),
      ],
      as: .disc
    )
    page.close("section")
    page.line()
  }

  // MARK: The next visitor

  /// The attributes of a field for the code that the command prints.
  static let codeField: [(StaticString, String)] = [
    ("autocapitalize", "characters"), ("maxlength", "12"), ("autocomplete", "off"),
  ]

  /// The words for a form that was not accepted.
  static func answers(_ phrases: OperatorPhrases) -> [(StaticString, String)] {
    [
      ("data-wrong", phrases.wrongCode), ("data-later", phrases.later),
      ("data-failed", phrases.failed),
    ]
  }

  /// Writes the form with which a lent device goes to the next visitor; the script shows it if there can be one.
  private func writeForm(to page: inout Markup) {
    page.open("section", [("id", "lent"), ("aria-labelledby", "lent-label"), ("hidden", "")])
    page.element("h2", [("id", "lent-label")], phrases.lent)
    page.open("form", [("id", "next"), ("data-send", PagePaths.nextVisitor), ("novalidate", "")])
    page.element("label", [("for", "code")], phrases.code)
    page.open("input", [("id", "code")] + Self.codeField)
    page.element("button", [("type", "submit")], phrases.next)
    page.close("form")
    page.element(
      "p",
      [("id", "answer"), ("role", "status"), ("data-done", phrases.done)] + Self.answers(phrases),
      "\u{A0}"
    )
    page.close("section")
    page.line()
  }

  // MARK: Tables

  private func writeFacts(to page: inout Markup) {
    page.open("section", [("class", "live"), ("aria-labelledby", "guide-label")])
    page.element("h2", [("id", "guide-label")], phrases.guide)
    page.element("p", [("id", "time"), ("class", "label")], "\u{A0}")
    page.open("dl", [("id", "facts")])
    page.close("dl")
    page.close("section")
    page.line()
  }

  private func writeTable(
    _ name: String,
    id: String,
    _ columns: [String],
    to page: inout Markup
  ) {
    page.open("section")
    page.open("table")
    page.element("caption", name)
    page.open("thead")
    page.open("tr")
    for column in columns { page.element("th", [("scope", "col")], column) }
    page.close("tr")
    page.close("thead")
    page.open("tbody", [("id", id), ("data-none", phrases.none)])
    page.close("tbody")
    page.close("table")
    page.close("section")
    page.line()
  }

  /// Writes every exhibit under its room; the script fills in its reports.
  private func writeExhibits(to page: inout Markup) {
    page.open("section")
    page.open("table", [("class", "exhibits")])
    page.element("caption", phrases.exhibits)
    page.open("thead")
    page.open("tr")
    for column in [phrases.number, phrases.exhibit, phrases.received, phrases.share] {
      page.element("th", [("scope", "col")], column)
    }
    page.close("tr")
    page.close("thead")
    for (index, room) in plan.rooms.enumerated() {
      page.open("tbody", [("data-room-row", "\(index)")])
      page.open("tr")
      page.open("th", [("scope", "rowgroup"), ("colspan", "4"), ("lang", language)])
      page.write(room.name[language])
      page.close("th")
      page.close("tr")
      for (index, exhibit) in plan.exhibits.enumerated()
      where room.major != nil && exhibit.identity.major == room.major {
        page.open("tr", [("data-row", "\(index)")])
        page.element("th", [("scope", "row")], "\(exhibit.number)")
        page.element("td", [("lang", language)], exhibit.title[language])
        page.element("td", [("class", "how")], "")
        page.element("td", [("class", "share")], "")
        page.close("tr")
      }
      page.close("tbody")
    }
    page.close("table")
    page.close("section")
    page.line()
  }
}
