// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import BeaconViews
internal import Pages

/// The operator's page: receivers, beacons, regions, and who was last notified of something; the floors of plans, and a
/// time of the day to look at if there is a history.
struct StatusPage {
  /// What surrounds the figures of a page.
  struct Surroundings: Sendable {
    /// The plans that are drawn.
    var floors: [PlanFloors] = []
    /// The links to the pages of other modules.
    var tabs: [LivePage.Tab] = []
    /// Whether there is a history to look at.
    var hasHistory = false
    /// The days of the history; `nil` if it is empty or cannot be read.
    var days: PastMinutes.Days?
    /// The minute of the history that the figures are of; `nil` for the present.
    var past: PastMinutes.Minute?
    /// Why the history cannot be read; `nil` if it can.
    var fault: String?
    /// Everything nearby; `nil` if that is not known, as in the history.
    var nearby: NearbyList?
    /// The names of beacons.
    var names = NameBook()
    /// The token of the page that gives names; `nil` if it cannot.
    var token: String?
    /// What became of the last name; `nil` for nothing to read.
    var note: String?
    /// By how many dB receivers differ from the survey, as far as that was learned.
    var offsets: [String: Int] = [:]
    /// Whether the fault of a radio can be cured now: not in a recording.
    var isLive = false
    /// What distinguishes the rows from those of another run.
    var run = "0"
    /// The highest number of a row that the reader has; `nil` for none.
    var known: Int?
    /// The rows of these numbers are to be written, although the reader has them.
    var rows: Set<Int> = []
  }

  private let metrics: OperatorMetrics
  private let surroundings: Surroundings

  init(_ metrics: OperatorMetrics, _ surroundings: Surroundings = Surroundings()) {
    (self.metrics, self.surroundings) = (metrics, surroundings)
  }

  /// The pages of `web`, of the present or of a minute of the history.
  static func tabs(_ past: PastMinutes.Minute?, _ others: [LivePage.Tab]) -> [LivePage.Tab] {
    let query = past.map { "?\(minuteKey)=\($0)" } ?? ""
    return [LivePage.Tab("/" + query, "Nearby"), LivePage.Tab(SignalsPage.path + query, "Signals")]
      + others
  }

  /// The argument of a request for a minute of the history: the number of the minute since 1970 UTC.
  static let minuteKey = "at"

  /// The page.
  var html: String {
    var page = LivePage()
    page.tabs = Self.tabs(surroundings.past, surroundings.tabs)
    page.current = page.tabs[0].path
    let naming = surroundings.token.map { Texts.namingPage.filled(Markup.escaped($0)) + "\n" }
    page.controls =
      (naming ?? "") + surroundings.timeControls
      + (surroundings.nearby == nil ? "" : Texts.findingPage + "\n")
    page.attributes = surroundings.attributes(metrics.now) + [("data-run", surroundings.run)]
    page.view = view
    return page.html
  }

  /// The element that a browser replaces when it fetches the page again.
  private var view: Markup {
    var page = Markup()
    page.open("p")
    let isEmpty = metrics.isOver && metrics.now == .earliest
    page.write(
      metrics.now > .earliest ? Self.time(metrics.now) : isEmpty ? "ended" : "no input yet"
    )
    let isPast = surroundings.past != nil
    page.write(isPast ? " · from the history · " : " · \(metrics.statistics.reports) reports · ")
    page.element("a", [("href", "/metrics")], "metrics")
    page.close("p")
    page.line()
    if let fault = surroundings.fault { status(fault.printable, to: &page) }
    if let note = surroundings.note { status(note.printable, to: &page) }
    if isEmpty {
      status("The capture has ended, and contained nothing.", to: &page)
    } else if metrics.isOver {
      status("The source has ended. This is the state at its end.", to: &page)
    } else if !listens, !surroundings.floors.isEmpty || isPast {
      status("No radio listens: nothing is known of the beacons.", to: &page)
    }
    writeJumps(to: &page)
    writePlans(to: &page)
    if let nearby = surroundings.nearby {
      let section = NearbySection(
        nearby,
        surroundings.names,
        canName: surroundings.token != nil,
        signals: "\(SignalsPage.path)?\(SignalsPage.key)="
      )
      section.write(to: &page) { [known = surroundings.known ?? -1, rows = surroundings.rows] in
        $0 > known || rows.contains($0)
      }
    } else if isPast {
      writeBeacons(to: &page)
    }
    writePlaces(to: &page)
    writeRegions(to: &page)
    writeReceivers(to: &page)
    writeCrossings(to: &page)
    return page
  }

  /// Links to the parts of the page, which a long list separates.
  private func writeJumps(to page: inout Markup) {
    page.open("nav", [("class", "jump"), ("aria-label", "On this page")])
    var parts = [
      ("#regions", "Regions · \(metrics.regions.count)"),
      ("#radios", "Radios · \(metrics.receivers.count)"),
    ]
    if let nearby = surroundings.nearby {
      parts.insert(("#nearby-label", "Nearby · \(nearby.identities.count)"), at: 0)
    }
    for (target, name) in parts { page.element("a", [("href", target)], name) }
    page.close("nav")
    page.line()
  }

  private func status(_ text: String, to page: inout Markup) {
    page.element("p", [("role", "status")], text)
    page.line()
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
    let parts: [String?] = [
      known.held ?? (known.isNear ? "near" : nil),
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
    let radios = metrics.receivers.sorted { $0.key < $1.key }
    guard surroundings.isLive, !metrics.isOver, radios.contains(where: { $1.fault != nil }) else {
      let rows = radios.map { [$0, text(of: metrics.isOver ? "ended" : $1.rawValue, $0)] }
      return write(
        "Radios",
        ["Radio", "State"],
        rows,
        empty: "No radio has a state yet.",
        to: &page
      )
    }
    heading("Radios", ["Radio", "State", "What helps"], to: &page)
    for (name, state) in radios {
      page.open("tr")
      page.element("td", [("class", "name")], name.printable)
      page.element("td", text(of: state.rawValue, name))
      page.open("td", [("class", "cure")])
      page.write(state.fault?.text ?? "")
      for cure in state.fault?.cures ?? [] {
        page.write(" ")
        page.element("code", cure)
      }
      page.close("td")
      page.markup("</tr>\n")
    }
    page.markup("</table></section>\n")
  }

  /// The state of a radio, and by how much its levels are corrected for places.
  private func text(of state: String, _ name: String) -> String {
    guard let offset = surroundings.offsets[name], offset != 0 else { return state }
    return state + ", \(abs(offset)) dB \(offset > 0 ? "more" : "less") than in the survey"
  }

  private func writeBeacons(to page: inout Markup) {
    let rows = metrics.rows.map { row in
      [
        row.beacon, row.receiver,
        "in this minute",
        "\(row.reception.reports)",
        row.reception.rssi.map { DecimalText.fixed($0, decimals: 0) + " dBm" } ?? "–",
      ]
    }
    write(
      "Beacons",
      ["Beacon", "Radio", "Last received", "Reports", "RSSI"],
      rows,
      empty: "No listed beacon was received. The history has beacons with a name.",
      to: &page
    )
  }

  private func writeRegions(to page: inout Markup) {
    let rows = metrics.regions.map { row in
      [
        row.region, row.isInside.map { $0 ? "inside" : "outside" } ?? "unknown", row.client,
        row.last.map(Self.time) ?? "–",
      ]
    }
    write(
      "Regions",
      ["Region", "State", "Client", "Last crossing"],
      rows,
      empty: "No region is monitored. 'beaconctl web --region NAME=UUID' monitors one.",
      to: &page
    )
  }

  private func writeCrossings(to page: inout Markup) {
    let rows = metrics.crossings.map { row in
      [Self.time(row.time), row.client, row.region, row.isEntry ? "entered" : "left", row.why]
    }
    write(
      "Last notified",
      ["Time", "Client", "Region", "Event", "Why"],
      rows,
      empty: "No client was notified yet.",
      to: &page
    )
  }

  private static func time(_ time: Timestamp) -> String {
    String(RFC3339.string(time).prefix(19).map { $0 == "T" ? " " : $0 }) + " UTC"
  }

  /// The part of the address that leads to a title.
  private static func anchor(_ title: String) -> String {
    title.lowercased().split(separator: " ").joined(separator: "-")
  }

  /// The columns with typed texts: they may be broken.
  private static let names: Set = ["Beacon", "Place", "Region", "Client", "Why"]

  private func write(
    _ title: String,
    _ heads: [String],
    _ rows: [[String]],
    empty: String,
    to page: inout Markup
  ) {
    guard !rows.isEmpty else {
      page.element("h2", [("id", Self.anchor(title))], title)
      page.element("p", [("class", "empty")], empty)
      page.line()
      return
    }
    heading(title, heads, to: &page)
    for row in rows {
      page.open("tr")
      for (head, cell) in zip(heads, row) {
        let names: [(StaticString, String)] = Self.names.contains(head) ? [("class", "name")] : []
        page.element("td", names, cell.printable)
      }
      page.markup("</tr>\n")
    }
    page.markup("</table></section>\n")
  }

  /// Writes the title and the head of a table, which scrolls on its own if it is wider than the page.
  private func heading(_ title: String, _ heads: [String], to page: inout Markup) {
    page.element("h2", [("id", Self.anchor(title))], title)
    page.open("section", [("class", "wide"), ("aria-label", title)])
    page.markup("<table><tr>")
    for head in heads { page.element("th", [("scope", "col")], head) }
    page.markup("</tr>\n")
  }
}

extension StatusPage.Surroundings {
  /// The minute that is shown, for the script.
  func attributes(_ now: Timestamp) -> [(StaticString, String)] {
    if let past { return [("data-minute", "\(past)"), ("data-past", "")] }
    guard now > .earliest else { return [] }
    return [("data-minute", "\(now.microseconds / 60_000_000)")]
  }

  /// The day and the time of the day to look at; the script shows it.
  var timeControls: String {
    guard hasHistory else { return "" }
    var attributes: [(StaticString, String)] = [("id", "day"), ("type", "date")]
    if let days { attributes += [("min", days.first.printable), ("max", days.last.printable)] }
    var day = Markup()
    day.open("input", attributes)
    return Texts.statusTimePage.filled(day.text) + "\n"
  }
}
