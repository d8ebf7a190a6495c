// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats
internal import Pages

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
  ///   - recordings: The number of recordings, also of those without a visit that could be read; by default one a visit.
  ///   - suppression: The rule for which figures may be shown; the visit of a single recording is shown completely.
  ///   - language: The plan's language for the page; by default its first.
  ///   - zone: The zone of the clocks.
  package init(
    _ visits: [Visit],
    of plan: Plan,
    from recordings: Int? = nil,
    suppression: SmallCellSuppression = .usual,
    language: String? = nil,
    zone: LocalZone = .utc
  ) {
    // One that alone could be read of many belongs to somebody of whom its reader may know nothing.
    let suppression = recordings ?? visits.count == 1 ? .everything : suppression
    statistics = VisitStatistics(visits, of: plan)
    let shown =
      suppression.isEverything ? statistics : VisitStatistics(visits, of: plan, suppression)
    context = ReportContext(
      plan: plan,
      visits: visits,
      statistics: shown.published(by: suppression),
      suppression: suppression,
      language: language ?? plan.languages.first ?? "en",
      zone: zone
    )
  }

  /// The content security policy: the page may not load or run anything.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

  /// The page as HTML, in UTF-8.
  public var html: String {
    var page = Markup()
    page.markup(
      "<!DOCTYPE html>\n<html lang=\"\(phrases.language)\">\n<head>\n<meta charset=\"utf-8\">\n"
    )
    page.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.policy)\">\n")
    page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n")
    page.markup("<meta name=\"color-scheme\" content=\"light dark\">\n")
    page.element("title", title)
    page.markup("\n<style>\n\(Styles.report)\n</style>\n</head>\n<body>\n")
    page.element("a", [("class", "skip"), ("href", "#report")], phrases.skip)
    page.line()
    header(to: &page)
    page.markup("<main id=\"report\">\n")
    tiles(to: &page)
    if context.visits.isEmpty {
      page.element("p", [("class", "empty")], phrases.noVisits)
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
    footer(to: &page)
    page.markup("</body>\n</html>\n")
    return page.text
  }

  private var phrases: ReportPhrases { context.phrases }

  private var title: String {
    (context.isOneVisit ? phrases.oneTitle : phrases.manyTitle)
      .filled(context.plan.museum[context.language])
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
    page.open("nav", [("aria-label", phrases.parts)])
    page.open("ul")
    let clock = context.isOneVisit ? ("timeline", phrases.byClock) : ("day", phrases.theDay)
    for (id, name) in [
      ("plan", phrases.timeWent), clock, ("scarf", phrases.scarf), ("exhibits", phrases.exhibits),
      ("flow", phrases.roomToRoom), ("rest", phrases.notReached),
    ] {
      page.open("li")
      page.element("a", [("href", "#\(id)")], name)
      page.close("li")
    }
    page.markup("</ul></nav>\n")
  }

  private var lead: String {
    guard !context.visits.isEmpty else { return phrases.noVisit }
    let visits = context.visits(context.statistics.visitors)
    guard let (from, until) = span else { return visits }
    let last = Timestamp(microseconds: max(from.microseconds, until.microseconds - 1))
    let (start, end) = (context.date(from), context.date(last))
    let days = start == end ? start : phrases.range.filled(start, end)
    let times = phrases.range.filled(context.timeOfDay(from), context.timeOfDay(until))
    return "\(visits), \(days), \(times) \(context.zoneName)"
  }

  /// From when until when there were visitors: the first arrival and the last departure are of one visitor each, so
  /// otherwise the times with enough visitors; `nil` without such times.
  private var span: (Timestamp, Timestamp)? {
    let occupancy = context.statistics.occupancy
    if context.suppression.isEverything {
      let (starts, ends) = (context.visits.map(\.start), context.visits.map(\.end))
      return starts.min().flatMap { start in ends.max().map { (start, $0) } }
    }
    return occupancy.first.flatMap { first in
      occupancy.last.map { (first.start, $0.start + context.statistics.occupancyUnit) }
    }
  }

  private func tiles(to page: inout Markup) {
    let statistics = context.statistics
    guard !context.visits.isEmpty else { return }
    var tiles: [(String, String)] = []
    if context.isOneVisit, let length = statistics.length, let seen = statistics.exhibitsSeen {
      let before = statistics.exhibits.compactMap(\.dwell?.total).reduce(0, +)
      tiles = [
        (phrases.length, ReportNumber.duration(length.median)),
        (
          phrases.seen,
          phrases.ofAll.filled("\(Int(seen.median))", "\(context.plan.exhibits.count)")
        ),
        (phrases.before, ReportNumber.duration(before)),
        (phrases.roomsSeen, "\(statistics.rooms.count { $0.visitors > 0 })"),
      ]
    } else {
      let isShown = context.suppression.shows(statistics.visitors)
      tiles = [(phrases.visits, isShown ? context.atLeast(statistics.visitors) : phrases.few)]
      if isShown {
        let (length, seen) = (statistics.length?.median, statistics.exhibitsSeen?.median)
        tiles += [
          (phrases.medianLength, length.map(ReportNumber.duration) ?? phrases.few),
          (phrases.medianSeen, seen.map { context.decimal(ReportNumber.place($0)) } ?? phrases.few),
          (phrases.diligent, diligent ?? phrases.few),
          (phrases.atOnce, mostAtOnce),
        ]
      }
    }
    tiles += statistics.gaps.filter { $0.visitors > 0 }.map { gap in
      (context.name(gap.reason), gap.time.map { ReportNumber.duration($0.total) } ?? phrases.few)
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

  /// The share of the visitors who saw more than half, from the least to the greatest that published counts permit.
  private var diligent: String? {
    let visitors = context.statistics.visitors
    return context.statistics.diligent.flatMap {
      let count = Int(($0 * Double(visitors)).rounded())
      return context.suppression.share(count, of: visitors).map(ReportNumber.percent)
    }
  }

  private var mostAtOnce: String {
    let most = context.statistics.occupancy.map(\.peak).max() ?? 0
    return context.suppression.shows(most) ? context.atLeast(most) : phrases.few
  }

  private func footer(to page: inout Markup) {
    page.open("footer")
    page.element("h2", phrases.words)
    page.open("dl")
    for (word, meaning) in [
      (phrases.wordVisit, phrases.meansVisit), (phrases.attraction, phrases.meansAttraction),
      (phrases.holding, phrases.meansHolding), (phrases.wordAgain, phrases.meansAgain),
      (phrases.proximity, phrases.meansProximity), (phrases.diligent, phrases.meansDiligent),
      (phrases.notAllowed, phrases.meansNotAllowed), (phrases.unheard, phrases.meansUnheard),
      (phrases.wordFew, phrases.meansFew),
    ] {
      page.element("dt", word)
      page.element("dd", meaning)
    }
    page.close("dl")
    page.element("p", phrases.made)
    page.close("footer")
    page.line()
  }
}
