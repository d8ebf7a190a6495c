// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum

/// The operator's page: receivers, beacons, regions, and who was last notified of something; the floors of plans, and a
/// time of the day to look at where there is a history.
struct StatusPage {
  /// What surrounds the figures of a page.
  struct Surroundings: Sendable {
    /// The plans that are drawn.
    var floors: [PlanFloors] = []
    /// Whether there is a history to look at.
    var hasHistory = false
    /// The days of the history; `nil` where it is empty or cannot be read.
    var days: PastMinutes.Days?
    /// The minute of the history that the figures are of; `nil` for the present.
    var past: PastMinutes.Minute?
    /// Why the history cannot be read; `nil` where it can.
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
  /// What a request for a minute of the history asks for: the number of the minute since 1970 UTC.
  static let minuteKey = "at"

  /// The style sheet.
  static let style = """
    \(PlanFloors.style)
    :root { font: 16px/1.5 system-ui, sans-serif; }
    body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; background: var(--page); color: var(--ink); }
    a { color: var(--accent); }
    [hidden] { display: none !important; }
    h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid var(--line); }
    th, td { white-space: nowrap; font-variant-numeric: tabular-nums; }
    td.name { white-space: normal; overflow-wrap: anywhere; }
    .empty { color: var(--soft); }
    #time { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
    #time input, #time button { font: inherit; min-height: 2.5rem; box-sizing: border-box; }
    #minute { flex: 1 1 100%; width: 100%; margin: 0; accent-color: var(--accent); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    @media (max-width: 32rem) {
      th, td { font-size: 0.85rem; padding-right: 0.5rem; }
      th { white-space: normal; }
    }

    """

  /// The page, which its script fetches again every two seconds, or a browser without scripts every five.
  var html: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>Beacons</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <noscript><meta http-equiv="refresh" content="5"></noscript>
    <link rel="icon" href="data:,"><link rel="stylesheet" href="\(Self.stylePath)">
    <script src="\(Self.scriptPath)" defer></script></head>
    <body><main><h1>Beacons</h1>
    \(controls)<p id="lost" role="status" hidden>The page gets no answer. It tries again.</p>
    <div id="view"\(shownMinute)>
    \(view)</div></main></body></html>

    """
  }

  /// What a browser replaces when it fetches the page again.
  private var view: String {
    let now = metrics.now > .earliest ? Self.time(metrics.now) : "no input yet"
    let isPast = surroundings.past != nil
    let reports = isPast ? "from the history" : "\(metrics.statistics.reports) reports"
    var text = "<p>\(now) · \(reports) · <a href=\"/metrics\">metrics</a></p>\n"
    if let fault = surroundings.fault {
      text += "<p role=\"status\">\(Self.escaped(fault))</p>\n"
    }
    if metrics.isOver {
      text += "<p role=\"status\">The source has ended. This is what was known at its end.</p>\n"
    } else if !listens, !surroundings.floors.isEmpty || isPast {
      text += "<p role=\"status\">No radio listens: nothing is known of the beacons.</p>\n"
    }
    return text + plans + places + receivers + beacons + regions + crossings
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
    let days = surroundings.days.map {
      " min=\"\(Self.escaped($0.first))\" max=\"\(Self.escaped($0.last))\""
    }
    return """
      <section id="time" aria-label="Time" hidden>
      <label>Day <input id="day" type="date"\(days ?? "")></label>
      <output id="shown" for="day minute"></output>
      <button id="live" type="button">Live</button>
      <input id="minute" type="range" min="0" max="1439" step="1" aria-label="Time of day in UTC">
      </section>

      """
  }

  // MARK: Plans

  /// Whether a receiver listens.
  private var listens: Bool {
    !metrics.isOver && metrics.receivers.values.contains(.listening)
  }

  private var plans: String {
    let floors = surroundings.floors
    guard !floors.isEmpty else { return "" }
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
    return zip(floors, guests).map { floors, guests in
      var spots: [BeaconIdentity: PlanFloors.Spot] = [:]
      for identity in floors.identities { spots[identity] = spot(knowledge[identity]?.known) }
      return floors.html(spots, guests: guests)
    }.joined()
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

  /// In which place each beacon is, where somebody says so.
  private var places: String {
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
    guard !rows.isEmpty else { return "" }
    return table("Places", ["Beacon", "Place", "Probability"], rows, empty: "")
  }

  // MARK: Tables

  private var receivers: String {
    let rows = metrics.receivers.sorted { $0.key < $1.key }.map { name, state in
      [name, metrics.isOver ? "ended" : state.rawValue]
    }
    return table("Radios", ["Radio", "State"], rows, empty: "No radio has a state yet.")
  }

  private var beacons: String {
    let rows = metrics.rows.map { row in
      [
        row.beacon, row.receiver,
        surroundings.past == nil ? ago(row.reception.last) : "in this minute",
        "\(row.reception.reports)",
        row.reception.rssi.map { DecimalText.fixed($0, decimals: 0) + " dBm" } ?? "–",
      ]
    }
    return table(
      "Beacons",
      ["Beacon", "Radio", "Last received", "Reports", "RSSI"],
      rows,
      empty: "No listed beacon was received. Name beacons in the configuration to see them here."
    )
  }

  private var regions: String {
    let rows = metrics.regions.map { row in
      [row.region, row.client, row.isInside.map { $0 ? "inside" : "outside" } ?? "unknown"]
    }
    return table("Regions", ["Region", "Client", "State"], rows, empty: "No region is monitored.")
  }

  private var crossings: String {
    let rows = metrics.crossings.map { row in
      [Self.time(row.time), row.client, row.region, row.isEntry ? "entered" : "left"]
    }
    return table(
      "Last notified",
      ["Time", "Client", "Region", "Event"],
      rows,
      empty: "Nobody was notified of anything yet."
    )
  }

  /// How long ago a time was, on the timeline of the source.
  private func ago(_ time: Timestamp) -> String {
    DecimalText.span(max(.zero, metrics.now - time)) + " ago"
  }

  private static func time(_ time: Timestamp) -> String {
    String(RFC3339.string(time).prefix(19).map { $0 == "T" ? " " : $0 }) + " UTC"
  }

  /// The columns whose text is what somebody typed: they may be broken.
  private static let names: Set = ["Beacon", "Place", "Region", "Client"]

  private func table(
    _ title: String,
    _ heads: [String],
    _ rows: [[String]],
    empty: String
  ) -> String {
    var text = "<h2>\(title)</h2>\n"
    guard !rows.isEmpty else { return text + "<p class=\"empty\">\(empty)</p>\n" }
    text += "<table><tr>" + heads.map { "<th>\($0)</th>" }.joined() + "</tr>\n"
    for row in rows {
      let cells = zip(heads, row).map { head, cell in
        "<td\(Self.names.contains(head) ? " class=\"name\"" : "")>\(Self.escaped(cell))</td>"
      }
      text += "<tr>" + cells.joined() + "</tr>\n"
    }
    return text + "</table>\n"
  }

  /// Text from outside as a page may have it.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.printable {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
