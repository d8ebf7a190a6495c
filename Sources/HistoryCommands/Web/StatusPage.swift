// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The operator's page: receivers, beacons, regions, and who was last notified of something.
struct StatusPage {
  private let metrics: OperatorMetrics

  init(_ metrics: OperatorMetrics) { self.metrics = metrics }

  /// The path of the style sheet.
  static let stylePath = "/style.css"

  /// The style sheet.
  static let style = """
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
    body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; }
    h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid #8884; }
    th, td { white-space: nowrap; font-variant-numeric: tabular-nums; }
    td.name { white-space: normal; overflow-wrap: anywhere; }
    @media (max-width: 32rem) { th, td { font-size: 0.85rem; padding-right: 0.5rem; } }
    .empty { opacity: 0.7; }

    """

  /// The page, which a browser fetches again every five seconds.
  var html: String {
    var text = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Beacons</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="refresh" content="5"><link rel="stylesheet" href="\(Self.stylePath)"></head>
      <body><h1>Beacons</h1>

      """
    let now = metrics.now > .earliest ? Self.time(metrics.now) : "no input yet"
    let reports = "\(metrics.statistics.reports) reports"
    text += "<p>\(now) · \(reports) · <a href=\"/metrics\">metrics</a></p>\n"
    if metrics.isOver {
      text += "<p role=\"status\">The source has ended. This is what was known at its end.</p>\n"
    }
    text += receivers + beacons + regions + crossings
    return text + "</body></html>\n"
  }

  private var receivers: String {
    let rows = metrics.receivers.sorted { $0.key < $1.key }.map { name, state in
      [name, metrics.isOver ? "ended" : state.rawValue]
    }
    return table("Radios", ["Radio", "State"], rows, empty: "No radio has a state yet.")
  }

  private var beacons: String {
    let rows = metrics.rows.map { row in
      [
        row.beacon, row.receiver, ago(row.reception.last), "\(row.reception.reports)",
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
  private static let names: Set = ["Beacon", "Region", "Client"]

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
