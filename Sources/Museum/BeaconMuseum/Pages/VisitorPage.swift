// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// The visitor's page, with large text and little on it.
///
/// A script fills it from ``VisitorState``.
public struct VisitorPage: Sendable {
  private let plan: Plan
  private let language: String

  /// Creates the page of a museum in a language of its plan.
  public init(of plan: Plan, in language: String) {
    self.plan = plan
    self.language = language
  }

  /// The page as HTML.
  public var html: String {
    let phrases = VisitorPhrases.of(language)
    var page = Markup()
    PageFrame.begin(
      &page,
      title: plan.museum[language],
      language: phrases.language,
      source: PagePaths.visitorEvents(in: language),
      kind: "visitor"
    )
    page.open("header")
    page.element("h1", [("lang", language)], plan.museum[language])
    if plan.languages.count > 1 { writeLanguages(phrases, to: &page) }
    writeSizes(phrases, to: &page)
    page.close("header")
    page.open("main")
    PageFrame.notices(&page, lost: phrases.lost, noScript: phrases.noScript)
    page.open("div", [("id", "following")])
    page.open("section", [("id", "where"), ("aria-labelledby", "where-label"), ("hidden", "")])
    page.element("h2", [("id", "where-label"), ("class", "label")], phrases.place)
    page.element("p", [("id", "place"), ("lang", language)], "")
    page.close("section")
    writeExhibit(phrases, to: &page)
    writeConfidence(phrases, to: &page)
    page.close("div")
    writeOpened(phrases, to: &page)
    writeQuestion(phrases, to: &page)
    writePlan(phrases, to: &page)
    writeList(phrases, to: &page)
    writeSettings(phrases, to: &page)
    page.close("main")
    PageFrame.end(&page)
    return page.text
  }

  private func writeLanguages(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open("nav", [("aria-label", phrases.languages)])
    PageFrame.languages(&page, plan.languages, current: language) { PagePaths.visitor(in: $0) }
    page.close("nav")
  }

  private func writeSizes(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open("div", [("class", "sizes"), ("role", "group"), ("aria-label", phrases.textSize)])
    for (id, name, sign) in [("smaller", phrases.smaller, "A−"), ("larger", phrases.larger, "A+")] {
      page.element("button", [("id", id), ("type", "button"), ("aria-label", name)], sign)
    }
    page.close("div")
  }

  // MARK: Permission

  /// Writes the guide's question with its answers, or the settings of a visitor without permission.
  private func writeQuestion(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open(
      "section",
      [("id", "ask"), ("aria-label", phrases.permission), ("aria-live", "polite"), ("hidden", "")]
    )
    page.element("h2", [("id", "question")], "")
    page.element("p", [("id", "reason"), ("lang", language)], "")
    page.open("div", [("id", "choices"), ("data-send", PagePaths.answer)])
    page.open("p", [("id", "precise-place"), ("hidden", "")])
    page.open("input", [("id", "precise"), ("type", "checkbox"), ("checked", "")])
    page.element("label", [("for", "precise")], phrases.precise)
    page.close("p")
    page.open("form", [("id", "code-form"), ("novalidate", ""), ("hidden", "")])
    page.element("p", phrases.codeHelp)
    page.element("label", [("for", "visitor-code")], phrases.code)
    page.open("input", [("id", "visitor-code")] + OperatorPage.codeField)
    page.close("form")
    page.open("div", [("id", "buttons")])
    page.close("div")
    let words = OperatorPhrases.of(language)
    var said: [(StaticString, String)] = [("id", "said"), ("role", "status")]
    said += OperatorPage.answers(words)
    said += [("data-done", phrases.done), ("data-restarted", phrases.restarted)]
    page.element("p", said, "\u{A0}")
    page.close("div")
    page.close("section")
    page.line()
  }

  /// Writes the place of the settings, without a question.
  private func writeSettings(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open("details", [("id", "settings"), ("hidden", "")])
    page.element("summary", phrases.permission)
    page.open("div", [("id", "settings-place")])
    page.close("div")
    page.close("details")
    page.line()
  }

  // MARK: The plan

  /// Writes the floor plan with the visitor's place, as sure as it is.
  private func writePlan(_ phrases: VisitorPhrases, to page: inout Markup) {
    let drawings = FloorDrawing.all(plan)
    guard !drawings.isEmpty else { return }
    page.open("section", [("id", "plan"), ("aria-labelledby", "plan-label")])
    page.element("h2", [("id", "plan-label"), ("class", "label")], phrases.plan)
    for drawing in drawings { drawing.writeLive(in: language, to: &page) }
    page.key(
      [("guide-ring", phrases.here), ("shown", phrases.exhibit)],
      as: .disc
    )
    page.close("section")
    page.line()
  }

  /// Writes the announcement of a screen reader to a visitor: the exhibit, or what to do.
  private func writeExhibit(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open(
      "section",
      [
        ("id", "exhibit"), ("class", "message"), ("role", "region"), ("aria-live", "polite"),
        ("aria-atomic", "true"),
        ("aria-label", phrases.exhibit),
      ]
    )
    page.element("p", [("id", "before"), ("class", "label"), ("hidden", "")], phrases.exhibit)
    page.element("h2", [("id", "title")], phrases.waiting)
    page.element("p", [("id", "text")], "")
    page.open("div", [("id", "media")])
    page.close("div")
    page.close("section")
  }

  private func writeConfidence(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open(
      "section",
      [("id", "confidence"), ("aria-labelledby", "confidence-label"), ("hidden", "")]
    )
    page.element("h2", [("id", "confidence-label"), ("class", "label")], phrases.confidence)
    page.open(
      "div",
      [
        ("id", "bar"), ("class", "bar"), ("role", "meter"), ("aria-labelledby", "confidence-label"),
        ("aria-valuemin", "0"), ("aria-valuemax", "4"), ("aria-valuenow", "0"),
      ]
    )
    for _ in ConfidenceGrade.allCases { page.markup("<span></span>") }
    page.close("div")
    page.element("p", [("id", "sure")], "")
    page.close("section")
  }

  // MARK: Opened exhibits

  /// Writes the place of an exhibit that the visitor opens by its number or from the list.
  private func writeOpened(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open("section", [("id", "opened"), ("aria-live", "polite"), ("hidden", "")])
    page.element("p", [("class", "label")], phrases.opened)
    page.element("h2", [("id", "opened-title"), ("lang", language)], "")
    page.element("p", [("id", "opened-text"), ("lang", language)], "")
    page.open("div", [("id", "opened-media")])
    page.close("div")
    page.element("button", [("id", "follow"), ("type", "button")], phrases.follow)
    page.close("section")
  }

  /// Writes every exhibit with its number, which may be printed at it; the script shows those of the room.
  private func writeList(_ phrases: VisitorPhrases, to page: inout Markup) {
    page.open("section", [("aria-labelledby", "list-label")])
    page.element("h2", [("id", "list-label"), ("class", "label")], phrases.others)
    page.open("form", [("id", "numbers"), ("novalidate", "")])
    page.element("label", [("for", "number")], phrases.number)
    page.open(
      "input",
      [
        ("id", "number"), ("inputmode", "numeric"), ("maxlength", "5"), ("autocomplete", "off"),
      ]
    )
    page.element("button", [("type", "submit")], phrases.open)
    page.close("form")
    page.element(
      "p",
      [("id", "no-number"), ("role", "status"), ("hidden", "")],
      phrases.noSuchNumber
    )
    page.open("ul", [("id", "list"), ("lang", language)])
    for (index, exhibit) in plan.exhibits.enumerated() { write(exhibit, index, to: &page) }
    page.close("ul")
    page.close("section")
    page.line()
  }

  private func write(_ exhibit: Plan.Exhibit, _ index: Int, to page: inout Markup) {
    let room = plan.rooms.firstIndex { $0.major == exhibit.identity.major }
    let (number, title) = ("\(exhibit.number)", exhibit.title[language])
    var attributes: [(StaticString, String)] = [
      ("type", "button"), ("data-open", "\(index)"), ("data-number", number),
      ("data-room", room.map { "\($0)" } ?? ""), ("data-title", title),
    ]
    if let text = exhibit.text {
      // Places to break a word, which an attribute would show written out.
      let plain = text[language].unicodeScalars.filter { $0 != "\u{AD}" }
      attributes.append(("data-text", String(String.UnicodeScalarView(plain))))
    }
    if let image = exhibit.image { attributes.append(("data-image", PagePaths.media(image))) }
    if let audio = exhibit.audio {
      attributes.append(("data-audio", PagePaths.media(audio[language])))
    }
    page.open("li")
    page.open("button", attributes)
    page.element("span", [("class", "no")], number)
    page.write(title)
    page.close("button")
    page.close("li")
  }
}
