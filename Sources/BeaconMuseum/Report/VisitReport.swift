// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A report of visits as a self-contained page: no network, no script, light or dark, and printable.
public struct VisitReport: Sendable {
  let context: ReportContext
  /// The statistics of the visits, with exact counts.
  public let statistics: VisitStatistics

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - visits: The visits, in the order of their recordings.
  ///   - plan: The museum.
  ///   - suppression: The rule for which figures may be shown; a single visit is shown completely.
  ///   - language: The plan's language for names; by default its first.
  public init(
    _ visits: [Visit],
    of plan: Plan,
    suppression: SmallCellSuppression = .usual,
    language: String? = nil
  ) {
    let suppression = visits.count == 1 ? .everything : suppression
    statistics = VisitStatistics(visits, of: plan)
    context = ReportContext(
      plan: plan,
      visits: visits,
      statistics: statistics.published(by: suppression),
      suppression: suppression,
      language: language ?? plan.languages.first ?? "en"
    )
  }

  /// The page as HTML, in UTF-8.
  public var html: String {
    var page = Markup()
    page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    page.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"\(ReportStyle.policy)\">\n")
    page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n")
    page.markup("<meta name=\"color-scheme\" content=\"light dark\">\n")
    page.element("title", title)
    page.markup("\n<style>\n\(ReportStyle.sheet)\n</style>\n</head>\n<body>\n")
    page.markup("<a class=\"skip\" href=\"#report\">To the report</a>\n")
    header(to: &page)
    page.markup("<main id=\"report\">\n")
    tiles(to: &page)
    if context.visits.isEmpty {
      page.element("p", [("class", "empty")], "The recordings hold no visit.")
    } else {
      PlanSection(context: context).write(to: &page)
      if context.isOneVisit, let visit = context.visits.first {
        TimelineSection(context: context, visit: visit).write(to: &page)
      } else {
        OccupancySection(context: context).write(to: &page)
      }
      ScarfSection(context: context).write(to: &page)
      ExhibitSection(context: context).write(to: &page)
      FlowSection(context: context).write(to: &page)
    }
    RestSection(context: context).write(to: &page)
    page.markup("</main>\n")
    Self.footer(to: &page)
    page.markup("</body>\n</html>\n")
    return page.text
  }

  private var title: String {
    let visits = context.isOneVisit ? "A visit" : "Visits"
    return "\(visits): \(context.plan.museum[context.language])"
  }

  private func header(to page: inout Markup) {
    page.open("header")
    page.open("h1", [("lang", context.language)])
    page.write(context.plan.museum[context.language])
    page.close("h1")
    page.element("p", [("class", "lead")], lead)
    page.close("header")
    page.line()
    guard !context.visits.isEmpty else { return }
    page.markup("<nav aria-label=\"Parts of the report\"><ul>")
    let clock = context.isOneVisit ? ("timeline", "By the clock") : ("day", "The day")
    for (id, name) in [
      ("plan", "Where the time went"), clock, ("scarf", context.isOneVisit ? "Scarf" : "Scarves"),
      ("exhibits", "Exhibits"), ("flow", "Room to room"), ("rest", "Not reached, not known"),
    ] { page.markup("<li><a href=\"#\(id)\">\(name)</a></li>") }
    page.markup("</ul></nav>\n")
  }

  private var lead: String {
    guard let first = context.visits.map(\.start).min(), let last = context.visits.map(\.end).max()
    else { return "No visit." }
    let days = ReportNumber.date(first)
    let until = ReportNumber.date(last) == days ? "" : " to \(ReportNumber.date(last))"
    // The first arrival and the last departure are of one visitor each.
    let quarter: Int64 = context.suppression.isEverything ? 1 : 900_000_000
    let start = Timestamp(microseconds: first.microseconds / quarter * quarter)
    let end = Timestamp(microseconds: (last.microseconds + quarter - 1) / quarter * quarter)
    let times = "\(ReportNumber.timeOfDay(start)) to \(ReportNumber.timeOfDay(end)) UTC"
    let count = ReportNumber.count(context.visits.count, "visit", "visits")
    return "\(count), \(days)\(until), \(times)"
  }

  private func tiles(to page: inout Markup) {
    let statistics = context.statistics
    guard let length = statistics.length, let seen = statistics.exhibitsSeen else { return }
    let isShown = context.suppression.shows(statistics.visitors)
    var tiles: [(String, String)] = []
    if context.isOneVisit {
      let before = statistics.exhibits.compactMap(\.dwell?.total).reduce(0, +)
      tiles = [
        ("Length of the visit", ReportNumber.duration(length.median)),
        ("Exhibits visited", "\(Int(seen.median)) of \(context.plan.exhibits.count)"),
        ("Time before exhibits", ReportNumber.duration(before)),
        ("Rooms seen", "\(statistics.rooms.count { $0.visitors > 0 })"),
      ]
    } else {
      tiles = [("Visits", "\(statistics.visitors)")]
      if isShown {
        tiles += [
          ("Median length", ReportNumber.duration(length.median)),
          ("Exhibits visited, median", ReportNumber.place(seen.median)),
          ("Saw more than half", statistics.diligent.map(ReportNumber.percent) ?? "–"),
          ("Most at one moment", mostAtOnce),
        ]
      }
    }
    page.markup("<dl class=\"tiles\">")
    for (name, value) in tiles {
      page.open("div")
      page.element("dt", name)
      page.element("dd", value)
      page.close("div")
    }
    page.markup("</dl>\n")
  }

  private var mostAtOnce: String {
    let most = context.statistics.occupancy.map(\.peak).max() ?? 0
    return context.suppression.shows(most) ? "\(most)" : "few"
  }

  private static func footer(to page: inout Markup) {
    page.markup("<footer><h2>What the words mean</h2><dl>")
    for (word, meaning) in [
      (
        "Visit to an exhibit",
        "The visitor stood in front of it for at least 5 s; walking by does not count."
      ),
      (
        "Attraction",
        "Visitors who stopped, of those who were in the exhibit’s room (INF framework; classical visitor studies)."
      ),
      ("Holding", "Mean visit, as a share of the time that the curator says the exhibit needs."),
      (
        "Again (re-attraction)", "Visits after the first by the same visitor, for each first visit."
      ),
      (
        "Proximity",
        "Immediate is within about half a meter, near within about three; of the beacon, not of the glass."
      ),
      (
        "Saw more than half",
        "Visitors who stopped at more than half of the exhibits (Serrell’s diligent visitors)."
      ),
      (
        "Few",
        "Figures about one to four visitors are withheld, and all other counts are rounded down to fives, so that nobody is recognized in them or in the difference of two. In the report of one visit all are shown."
      ),
    ] {
      page.element("dt", word)
      page.element("dd", meaning)
    }
    page.markup(
      "</dl><p>Made by beaconctl museum report. The page loads nothing and runs nothing.</p></footer>\n"
    )
  }
}
