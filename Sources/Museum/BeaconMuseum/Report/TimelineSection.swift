// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Pages

/// The section on one visit over time: rooms, exhibits and proximity.
struct TimelineSection {
  private static let left = 84.0
  private static let width = 806.0
  private static let barHeight = 30.0
  /// The distance from a bar's middle down to its text's baseline, which centers the letters in the bar.
  private static let textDrop = 4.5

  let context: ReportContext
  let visit: Visit

  func write(to page: inout Markup) {
    page.open("section", [("id", "timeline")])
    page.element("h2", context.phrases.clockTitle)
    page.element(
      "p",
      context.phrases.zone.filled(context.zoneName) + (visit.spanRemark.map { " \($0)." } ?? "")
    )
    page.open("div", [("class", "stack")])
    page.open("figure", [("tabindex", "0")])
    draw(to: &page)
    page.key([("i", context.words.immediate), ("m", context.words.near), ("f", context.words.far)])
    page.close("figure")
    table.write(to: &page)
    page.close("div")
    page.close("section")
    page.line()
  }

  private var scale: Double { Self.width / max(1, visit.span) }

  private func x(_ time: Timestamp) -> Double {
    Self.left + (time - visit.start).seconds * scale
  }

  private func draw(to page: inout Markup) {
    let title = context.phrases.clockChart
    page.open("svg", [("viewBox", "0 0 900 142"), ("role", "img"), ("aria-label", title)])
    page.element("title", title)
    let steps = ReportNumber.step(of: visit.span, among: [60, 120, 300, 600, 900, 1800, 3600])
    var seconds = 0.0
    while seconds <= visit.span {
      let time = visit.start + TimeSpan(seconds: seconds)
      let place = ReportNumber.place(x(time))
      page.markup("<path class=\"grid\" d=\"M\(place) 18V142\"/>")
      page.markup("<text class=\"s\" text-anchor=\"middle\" x=\"\(place)\" y=\"12\">")
      page.markup("\(context.timeOfDay(time))</text>")
      seconds += steps
    }
    let phrases = context.phrases
    for (lane, name) in [phrases.room, phrases.exhibit, phrases.proximity].enumerated() {
      page.element("text", [("class", "s"), ("x", "0"), ("y", "\(46 + 40 * lane)")], name)
    }
    for gap in visit.gaps {
      bar("none", context.name(gap.reason), gap.start, gap.end, top: 26, to: &page)
    }
    for stay in visit.rooms {
      let color = context.color(ofRoom: stay.room)
      bar(color, context.roomName(stay.room), stay.start, stay.end, top: 26, to: &page)
    }
    for stay in visit.stays {
      let color = context.room(of: stay.exhibit).map(context.color) ?? "r1"
      let number = context.number(stay.exhibit)
      bar(color, number, stay.start, stay.end, top: 66, to: &page)
    }
    for reach in visit.reaches where reach.proximity != .unknown {
      let style =
        switch reach.proximity {
        case .immediate: "i"
        case .near: "m"
        case .far, .unknown: "f"
        }
      bar(style, nil, reach.start, reach.end, top: 106, to: &page)
    }
    page.markup("</svg>")
  }

  private func bar(
    _ style: String,
    _ label: String?,
    _ start: Timestamp,
    _ end: Timestamp,
    top: Double,
    to page: inout Markup
  ) {
    let width = max(0.5, (end - start).seconds * scale)
    page.markup(
      "<rect class=\"\(style)\" x=\"\(ReportNumber.place(x(start)))\" y=\"\(ReportNumber.place(top))\""
    )
    page.markup(
      " width=\"\(ReportNumber.place(width))\" height=\"\(ReportNumber.place(Self.barHeight))\"/>"
    )
    guard let label, width > Double(label.count) * 7.5 + 4 else { return }
    let middle = ReportNumber.place(x(start) + width / 2)
    page.element(
      "text",
      [
        ("class", style == "none" ? "s" : "on"), ("text-anchor", "middle"), ("x", middle),
        ("y", ReportNumber.place(top + Self.barHeight / 2 + Self.textDrop)),
      ],
      label
    )
  }

  private var table: ReportTable {
    let phrases = context.phrases
    var table = ReportTable(
      context.phrases,
      caption: context.phrases.stays,
      columns: [
        (phrases.from, phrases.fromHelp), (phrases.number, nil), (phrases.exhibit, nil),
        (phrases.room, nil), (phrases.time, phrases.timeHelp),
        (phrases.mostly, phrases.mostlyHelp),
      ]
    )
    let stays = visit.stays.map { stay -> (Timestamp, [ReportTable.Cell]) in
      (
        stay.start,
        [
          .number(context.clock(stay.start)), .number(context.number(stay.exhibit)),
          .text(context.title(stay.exhibit)),
          .text(context.room(of: stay.exhibit).map(context.roomName) ?? ""),
          .number(ReportNumber.duration(stay.dwell)),
          .text(stay.nearness.mostly.map(context.words.name) ?? "–"),
        ]
      )
    }
    let gaps = visit.gaps.map { gap -> (Timestamp, [ReportTable.Cell]) in
      (
        gap.start,
        [
          .number(context.clock(gap.start)), .number("–"), .text(context.name(gap.reason)),
          .text(""), .number(ReportNumber.duration(gap.length)), .text("–"),
        ]
      )
    }
    table.rows = (stays + gaps).sorted { $0.0 < $1.0 }.map(\.1)
    table.empty = phrases.noStay
    return table
  }
}

extension Nearness {
  /// The proximity that lasted longest; `nil` if none was known.
  var mostly: Proximity? {
    guard known > 0 else { return nil }
    if immediate >= near, immediate >= far { return .immediate }
    return near >= far ? .near : .far
  }
}
