// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
internal import BeaconCore
internal import BeaconFormats

/// The frame of every page.
extension RangeView {
  func drawTooSmall(on screen: inout Screen) {
    let lines = [
      "The terminal has \(screen.columns)×\(screen.rows);",
      "this view needs \(Self.smallest.columns)×\(Self.smallest.rows).",
      "q ends it.",
    ]
    for (row, line) in lines.enumerated() {
      screen.put(line, column: 0, row: row, width: screen.columns)
    }
  }

  // range  hci0 listening  8 beacons  52.0/s                         REC 12:33:05Z
  // F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1
  func drawHeader(on screen: inout Screen) {
    screen.fill(column: 0, row: 0, width: screen.columns, style: .reversed)
    var column = screen.put(" range ", column: 0, row: 0, style: Self.title)
    column = drawRadio(on: &screen, from: column + 1)
    var facts: [String] = []
    let count = shown.rows.count + shown.further
    facts.append(count == 1 ? "1 beacon" : "\(count) beacons")
    if let rate = shown.reportRate {
      facts.append(Self.rate(rate) + (screen.columns < 100 ? "/s" : " reports/s"))
    }
    screen.put(
      facts.joined(separator: "  "),
      column: column + 2,
      row: 0,
      style: .reversed,
      width: max(0, screen.columns - column - 22)
    )
    drawState(on: &screen)
    drawConstraints(on: &screen)
  }

  private static let title = CellStyle(isBold: true, isReversed: true)

  /// The state of each receiver; for a capture without states, only its name.
  private func drawRadio(on screen: inout Screen, from start: Int) -> Int {
    var column = start
    let limit = screen.columns - 34
    if shown.receivers.isEmpty {
      return screen.put(setting.source, column: column, row: 0, style: .reversed, width: 24)
    }
    let isAnyKnown = shown.receivers.count > shown.absent.count
    for (index, name) in shown.receivers.enumerated() where column < limit {
      let number = UInt8(exactly: index)
      if isAnyKnown, let number, shown.absent.contains(number) { continue }
      let state = number.flatMap { shown.radio[$0] }
      let text = state.map {
        "\(name) \($0 == .listening ? "listening" : $0.rawValue.uppercased())"
      }
      column = screen.put(
        text ?? name,
        column: column,
        row: 0,
        style: CellStyle(state.map { $0 == .listening ? .green : .red }, isReversed: true),
        width: limit - column
      )
      column += 1
    }
    return column - 1
  }

  private func drawState(on screen: inout Screen) {
    let time = shown.hasBegun ? clock(shown.now) : "--:--:--"
    let offset = RowClock.name(setting.zone.offset(shown.now)).dropFirst(3)
    var words: [String] = []
    if recording != nil { words.append("REC") }
    if isStopped { words.append("PAUSED") } else if shown.hasEnded { words.append("ENDED") }
    screen.putRight(
      (words + [time + (offset.isEmpty ? "Z" : offset)]).joined(separator: " ") + " ",
      endingAt: screen.columns,
      row: 0,
      style: words.isEmpty ? .reversed : Self.title,
      width: 24
    )
  }

  /// A time as clocks show it here.
  private func clock(_ time: Timestamp) -> String {
    String(RFC3339.timeOfDay(setting.zone.offset(time).moved(time)).prefix(8))
  }

  private func drawConstraints(on screen: inout Screen) {
    var names = setting.constraints.map(\.description).joined(separator: "  ")
    if setting.showsEverything {
      names = (["everything nearby"] + [shown.others.counts.sentence].compactMap(\.self))
        .joined(separator: "  ")
    }
    screen.put(names, column: 1, row: 1, style: .dim, width: screen.columns - 2)
  }

  /// The latest line of what happened, and the keys as wavemon has them.
  func drawFooter(on screen: inout Screen) {
    let row = screen.rows - 2
    if let naming {
      let column = screen.put(
        " name of \(naming.identity.major)/\(naming.identity.minor): ",
        column: 0,
        row: row
      )
      let room = max(1, screen.columns - column - 2)
      let end = screen.put(
        String(naming.text.printable.suffix(room)),
        column: column,
        row: row,
        style: .bold,
        width: room
      )
      screen.put(" ", column: end, row: row, style: .reversed)
    } else if let line = shown.lines.last {
      drawLine(line, on: &screen, row: row)
    } else if shown.hasEnded {
      screen.put(" the source has ended; \(setting.leaving)", column: 0, row: row)
    }
    var column = 0
    var labels: [(String, String)] = [
      ("F1", "list"), ("F2", "beacon"), ("F3", "sort"), ("F4", isStopped ? "resume" : "pause"),
      ("F5", recording == nil ? "record" : "stop rec"), ("F8", "help ?"), ("F10", "quit"),
    ]
    if screen.columns >= 72 { labels.insert(("F6", "events"), at: 5) }
    if screen.columns >= 80 { labels.insert(("F7", "name"), at: 6) }
    if naming != nil { labels = [("Enter", "keep the name"), ("Esc", "cancel")] }
    for (key, label) in labels {
      column = screen.put(key, column: column, row: screen.rows - 1, style: .bold)
      column = screen.put(label, column: column, row: screen.rows - 1, style: .reversed)
      column = screen.put(" ", column: column, row: screen.rows - 1)
    }
  }

  func drawLine(_ line: RangeModel.Line, on screen: inout Screen, row: Int) {
    let time = line.time.map(clock) ?? ""
    let column = screen.put(" \(time)", column: 0, row: row, style: .dim)
    screen.put(line.text, column: column + 1, row: row, width: screen.columns - column - 2)
  }

  func drawEvents(on screen: inout Screen, in area: RangeArea) {
    if shown.lines.isEmpty { screen.put("No events yet.", column: 1, row: area.top) }
    let end = shown.lines.count - offset
    for (row, line) in shown.lines[max(0, end - area.height)..<max(0, end)].enumerated() {
      drawLine(line, on: &screen, row: area.top + row)
    }
  }

  // MARK: Words

  /// A rate with one decimal below 100.
  static func rate(_ value: Double) -> String {
    DecimalText.fixed(value, decimals: value < 99.95 ? 1 : 0)
  }

  /// A length of time in its shortest form: `0.4s`, `12s`, `3m`, `2h`.
  static func span(_ span: TimeSpan) -> String {
    let seconds = max(0, span.seconds)
    if seconds < 9.95 { return DecimalText.fixed(seconds, decimals: 1) + "s" }
    if seconds < 99.5 { return DecimalText.fixed(seconds, decimals: 0) + "s" }
    if seconds < 5970 { return DecimalText.fixed(seconds / 60, decimals: 0) + "m" }
    return DecimalText.fixed(seconds / 3600, decimals: 0) + "h"
  }

  static func style(of proximity: Proximity) -> CellStyle {
    switch proximity {
    case .immediate: CellStyle(.green, isBold: true)
    case .near: CellStyle(.cyan)
    case .far: CellStyle(.yellow)
    case .unknown: .dim
    }
  }

  /// The letter of a proximity: its first, and a question mark for unknown.
  static func letter(of proximity: Proximity) -> String {
    proximity == .unknown ? "?" : proximity.name.prefix(1).uppercased()
  }
}
