// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The section on exhibits that nobody visited and on beacons that the plan does not contain.
struct RestSection {
  private static let mostRows = 50

  let context: ReportContext

  func write(to page: inout Markup) {
    page.open("section", [("id", "rest")])
    page.element("h2", "Not reached, not known")
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
    let exhibits = context.statistics.unreached.map {
      "\(context.number($0)) \(context.title($0))"
    }
    page.element(
      "p",
      exhibits.isEmpty
        ? "Every exhibit was visited." : "Visited by nobody: \(exhibits.joined(separator: ", "))."
    )
  }

  private var rooms: ReportTable {
    var table = ReportTable(
      caption: "Rooms",
      columns: [
        ("Room", nil), ("Visitors", nil),
        ("Never there", "share of the visits that never reached it"),
        ("Median time", "of those who were there"),
      ]
    )
    let all = context.visits.count
    for entry in context.statistics.rooms where context.plan.rooms[entry.room].major != nil {
      let missing = all - entry.visitors
      table.rows.append([
        .text(context.roomName(entry.room)),
        ReportTable.figure("\(entry.visitors)", of: entry.visitors, context.suppression),
        context.suppression.shows(entry.visitors)
          ? ReportTable.figure(
            all > 0 ? ReportNumber.percent(Double(missing) / Double(all)) : nil,
            of: missing,
            context.suppression
          ) : .withheld,
        ReportTable.figure(
          entry.time.map { ReportNumber.duration($0.median) },
          of: entry.visitors,
          context.suppression
        ),
      ])
    }
    return table
  }

  private var strangers: ReportTable {
    let all = context.statistics.strangers
    var table = ReportTable(
      caption: all.count > Self.mostRows
        ? "Beacons that are not in the plan: \(all.count), the most frequently received of them"
        : "Beacons that are not in the plan: \(all.count)",
      columns: [("Beacon", nil), ("Reports", nil)]
    )
    table.rows = all.prefix(Self.mostRows).map {
      [.text($0.identity.description), .number("\($0.reports)")]
    }
    table.empty = "Every received beacon is in the plan."
    return table
  }
}
