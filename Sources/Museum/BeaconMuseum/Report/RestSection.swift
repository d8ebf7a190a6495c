// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// The section on exhibits without a visitor and on beacons that the plan does not contain.
struct RestSection {
  private static let mostRows = 50

  let context: ReportContext

  func write(to page: inout Markup) {
    page.open("section", [("id", "rest")])
    page.element("h2", context.phrases.notReached)
    page.open("div", [("class", "pair")])
    rooms.write(to: &page)
    page.open("div", [("class", "stack")])
    unreached(to: &page)
    strangers.write(to: &page)
    page.close("div")
    page.close("div")
    page.close("section")
    page.line()
  }

  private func unreached(to page: inout Markup) {
    let isEverything = context.suppression.isEverything
    let phrase = isEverything ? context.phrases.byNobody : context.phrases.byFew
    let exhibits = context.statistics.unreached.map {
      "\(context.number($0)) \(context.title($0))"
    }
    page.element(
      "p",
      exhibits.isEmpty
        ? context.phrases.allVisited
        : phrase.filled(exhibits.joined(separator: ", "))
    )
  }

  private var rooms: ReportTable {
    let phrases = context.phrases
    var table = ReportTable(
      context.phrases,
      caption: phrases.rooms,
      columns: [
        (phrases.room, nil), (phrases.visitors, nil), (phrases.neverThere, phrases.neverHelp),
        (phrases.medianTime, phrases.medianTimeHelp),
      ]
    )
    let all = context.statistics.visitors
    for entry in context.statistics.rooms {
      let missing = all - entry.visitors
      table.rows.append([
        .text(context.roomName(entry.room)),
        ReportTable.figure("\(entry.visitors)", of: entry.visitors, context.suppression),
        context.suppression.shows(entry.visitors)
          ? ReportTable.figure(
            all > 0 ? never(missing, of: all, entry.room) : nil,
            of: missing,
            context.suppression
          ) : .withheld,
        ReportTable.summary(
          entry.time.map { ReportNumber.duration($0.median) },
          of: entry.visitors,
          context.suppression
        ),
      ])
    }
    return table
  }

  /// Returns the share of the visits that never reached a room; at most so large if nothing is known of a time of some.
  private func never(_ missing: Int, of all: Int, _ room: Int) -> String? {
    guard let there = context.suppression.share(all - missing, of: all) else { return nil }
    let most = ReportNumber.percent(1 - there.lowerBound)
    let share = ReportNumber.percent(1 - there.upperBound...1 - there.lowerBound)
    let hasGaps =
      context.suppression.isEverything
      ? context.visits.contains { visit in
        !visit.gaps.isEmpty && !visit.rooms.contains { $0.room == room }
      } : context.statistics.gaps.contains { $0.visitors > 0 }
    guard hasGaps, missing > 0 else { return share }
    return context.isOneVisit ? nil : "≤ " + most
  }

  private var strangers: ReportTable {
    let all = context.statistics.strangers
    let phrases = context.phrases
    var table = ReportTable(
      context.phrases,
      caption: all.count > Self.mostRows
        ? phrases.strangersMany.filled("\(all.count)") : phrases.strangers.filled("\(all.count)"),
      columns: [
        (phrases.beacon, nil),
        (context.suppression.isEverything ? phrases.reports : phrases.visits, nil),
      ]
    )
    table.rows = all.prefix(Self.mostRows).map {
      [.text($0.identity.description), .number("\($0.reports)")]
    }
    table.empty = phrases.noStrangers
    return table
  }
}
