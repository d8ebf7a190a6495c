// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Pages

/// The operator's page: receivers, beacons, regions, and who was last notified of something; the floors of plans, and a
/// time of the day to look at if there is a history.
struct StatusPage {
  /// What surrounds the figures of a page.
  struct Surroundings: Sendable {
    /// The plans that are drawn.
    var floors: [PlanFloors] = []
    /// Whether there is a history to look at.
    var hasHistory = false
    /// The days of the history; `nil` if it is empty or cannot be read.
    var days: PastMinutes.Days?
    /// The minute of the history that the figures are of; `nil` for the present.
    var past: PastMinutes.Minute?
    /// Why the history cannot be read; `nil` if it can.
    var fault: String?
  }

  private let metrics: OperatorMetrics
  private let surroundings: Surroundings

  init(_ metrics: OperatorMetrics, _ surroundings: Surroundings = Surroundings()) {
    (self.metrics, self.surroundings) = (metrics, surroundings)
  }

  /// The path of the style sheet.
  static let stylePath = "/style.css"
  /// The path of the script.
  static let scriptPath = "/script.js"
  /// The argument of a request for a minute of the history: the number of the minute since 1970 UTC.
  static let minuteKey = "at"

  /// The page, which its script fetches again every two seconds, or a browser without scripts every five.
  var html: String { Texts.statusPage.filled(controls, view) + "\n" }

  /// The element that a browser replaces when it fetches the page again.
  private var view: String {
    var page = Markup()
    page.markup("<div id=\"view\"\(shownMinute)>\n")
    page.open("p")
    page.write(metrics.now > .earliest ? Self.time(metrics.now) : "no input yet")
    let isPast = surroundings.past != nil
    page.write(isPast ? " · from the history · " : " · \(metrics.statistics.reports) reports · ")
    page.element("a", [("href", "/metrics")], "metrics")
    page.close("p")
    page.line()
    if let fault = surroundings.fault { status(fault.printable, to: &page) }
    if metrics.isOver {
      status("The source has ended. This is the state at its end.", to: &page)
    } else if !listens, !surroundings.floors.isEmpty || isPast {
      status("No radio listens: nothing is known of the beacons.", to: &page)
    }
    writePlans(to: &page)
    writePlaces(to: &page)
    writeReceivers(to: &page)
    writeBeacons(to: &page)
    writeRegions(to: &page)
    writeCrossings(to: &page)
    page.close("div")
    return page.text
  }

  private func status(_ text: String, to page: inout Markup) {
    page.element("p", [("role", "status")], text)
    page.line()
  }

  // MARK: Time

  /// The minute that is shown, for the script.
  private var shownMinute: String {
    if let past = surroundings.past { return " data-minute=\"\(past)\" data-past" }
    guard metrics.now > .earliest else { return "" }
    return " data-minute=\"\(metrics.now.microseconds / 60_000_000)\""
  }

  /// The day and the time of the day to look at; the script shows it.
  private var controls: String {
    guard surroundings.hasHistory else { return "" }
    var attributes: [(StaticString, String)] = [("id", "day"), ("type", "date")]
    if let days = surroundings.days {
      attributes += [("min", days.first.printable), ("max", days.last.printable)]
    }
    var day = Markup()
    day.open("input", attributes)
    return Texts.statusTimePage.filled(day.text) + "\n"
  }

  // MARK: Plans

  /// Whether a receiver listens.
  private var listens: Bool {
    !metrics.isOver && metrics.receivers.values.contains(.listening)
  }

  private func writePlans(to page: inout Markup) {
    let floors = surroundings.floors
    let knowledge = metrics.knowledge
    let fixed = Set(floors.flatMap(\.identities))
    // A place is a room of the first plan that has one of its name.
    var guests = [[String: [String]]](repeating: [:], count: floors.count)
    for (identity, found) in knowledge.sorted(by: { $0.key < $1.key }) {
      guard case .at(let place) = found.known.position, !fixed.contains(identity),
        let index = floors.firstIndex(where: { $0.hasRoom(place) })
      else { continue }
      guests[index][place, default: []].append(found.label)
    }
    for (floors, guests) in zip(floors, guests) {
      var spots: [BeaconIdentity: PlanFloors.Spot] = [:]
      for identity in floors.identities { spots[identity] = spot(knowledge[identity]?.known) }
      page.markup(floors.html(spots, guests: guests))
    }
  }

  private func spot(_ known: OperatorMetrics.Knowledge?) -> PlanFloors.Spot {
    guard let known, known.isReceived else {
      return PlanFloors.Spot(text: listens ? "not received" : "unknown")
    }
    let level = known.rssi.map { DecimalText.fixed($0, decimals: 0) + " dBm" }
    let parts = [
      known.isNear ? "near" : nil,
      known.meters.map { DecimalText.fixed($0, decimals: 1) + " m" },
      [level, known.receiver?.printable].compactMap { $0 }.joined(separator: " at "),
    ]
    return PlanFloors.Spot(
      known.isNear ? .near : .received,
      text: parts.compactMap { $0 }.joined(separator: ", ")
    )
  }

  /// The place of each beacon, if it is known.
  private func writePlaces(to page: inout Markup) {
    let fixed = Set(surroundings.floors.flatMap(\.identities))
    let rows: [[String]] = metrics.knowledge.sorted { $0.key < $1.key }.compactMap { entry in
      guard let position = entry.value.known.position, !fixed.contains(entry.key) else {
        return nil
      }
      let share = "\(entry.value.known.hundredths) %"
      return switch position {
      case .at(let place): [entry.value.label, place, share]
      case .unknown: [entry.value.label, "unknown", "–"]
      case .absent: [entry.value.label, "in no place", "–"]
      }
    }
    guard !rows.isEmpty else { return }
    write("Places", ["Beacon", "Place", "Probability"], rows, empty: "", to: &page)
  }

  // MARK: Tables

  private func writeReceivers(to page: inout Markup) {
    let rows = metrics.receivers.sorted { $0.key < $1.key }.map { name, state in
      [name, metrics.isOver ? "ended" : state.rawValue]
    }
    write("Radios", ["Radio", "State"], rows, empty: "No radio has a state yet.", to: &page)
  }

  private func writeBeacons(to page: inout Markup) {
    let rows = metrics.rows.map { row in
      [
        row.beacon, row.receiver,
        surroundings.past == nil ? ago(row.reception.last) : "in this minute",
        "\(row.reception.reports)",
        row.reception.rssi.map { DecimalText.fixed($0, decimals: 0) + " dBm" } ?? "–",
      ]
    }
    write(
      "Beacons",
      ["Beacon", "Radio", "Last received", "Reports", "RSSI"],
      rows,
      empty: "No listed beacon was received. Name beacons in the configuration to see them here.",
      to: &page
    )
  }

  private func writeRegions(to page: inout Markup) {
    let rows = metrics.regions.map { row in
      [row.region, row.client, row.isInside.map { $0 ? "inside" : "outside" } ?? "unknown"]
    }
    write(
      "Regions",
      ["Region", "Client", "State"],
      rows,
      empty: "No region is monitored.",
      to: &page
    )
  }

  private func writeCrossings(to page: inout Markup) {
    let rows = metrics.crossings.map { row in
      [Self.time(row.time), row.client, row.region, row.isEntry ? "entered" : "left"]
    }
    write(
      "Last notified",
      ["Time", "Client", "Region", "Event"],
      rows,
      empty: "No client was notified yet.",
      to: &page
    )
  }

  /// How long ago a time was, on the timeline of the source.
  private func ago(_ time: Timestamp) -> String {
    DecimalText.span(max(.zero, metrics.now - time)) + " ago"
  }

  private static func time(_ time: Timestamp) -> String {
    String(RFC3339.string(time).prefix(19).map { $0 == "T" ? " " : $0 }) + " UTC"
  }

  /// The columns with typed texts: they may be broken.
  private static let names: Set = ["Beacon", "Place", "Region", "Client"]

  private func write(
    _ title: String,
    _ heads: [String],
    _ rows: [[String]],
    empty: String,
    to page: inout Markup
  ) {
    page.element("h2", title)
    page.line()
    guard !rows.isEmpty else {
      page.element("p", [("class", "empty")], empty)
      page.line()
      return
    }
    page.markup("<table><tr>")
    for head in heads { page.element("th", head) }
    page.markup("</tr>\n")
    for row in rows {
      page.open("tr")
      for (head, cell) in zip(heads, row) {
        let names: [(StaticString, String)] = Self.names.contains(head) ? [("class", "name")] : []
        page.element("td", names, cell.printable)
      }
      page.markup("</tr>\n")
    }
    page.markup("</table>\n")
  }
}
