// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
internal import BeaconCore
internal import BeaconFormats

/// The columns of the list, by the width there is.
struct RangeColumns {
  /// Where each column ends, and what stands above it.
  let name: (end: Int, width: Int)
  let letter: Int
  let bar: (start: Int, width: Int)
  let distance: Int
  let interval: Int?
  let rssi: Int
  let spark: (start: Int, width: Int)
  let rate: Int
  let age: Int
  let showsUUID: Bool

  init(width: Int, hasNames: Bool) {
    showsUUID = width >= 130
    // The mark, the UUID if there is room, then the name, or major and minor.
    let own = !hasNames ? 11 : width >= 160 ? 30 : width >= 80 ? 20 : 14
    name = (showsUUID ? 2 + 36 + 1 + own : 2 + own, own)
    letter = name.end + 2
    let word = showsUUID ? 9 : 1
    bar = (letter + word + 1, width >= 100 ? 16 : 8)
    distance = bar.start + bar.width + 9
    let further = width >= 100 ? 15 : 0
    interval = further > 0 ? distance + further : nil
    rssi = distance + further + 7
    age = width - 1
    rate = age - 6
    spark = (rssi + 2, max(0, rate - 7 - rssi - 2))
  }
}

extension RangeView {
  mutating func drawList(on screen: inout Screen, in area: RangeArea) {
    let columns = RangeColumns(width: screen.columns, hasNames: !setting.book.isEmpty)
    drawHeadings(columns, on: &screen, row: area.top)
    let rows = rows
    guard !rows.isEmpty else { return drawNothing(on: &screen, row: area.top + 2) }
    let height = area.height - 1
    let index = chosenIndex(in: rows)
    let lines = listLines(of: rows, on: columns)
    let chosenLine = lines.firstIndex(of: .row(index)) ?? 0
    let first = scroll(to: chosenLine, of: lines.count, showing: height)
    let last = min(lines.count, first + height)
    for (place, line) in lines[first..<last].enumerated() {
      let y = area.top + 1 + place
      switch line {
      case .uuid(let uuid): draw(uuid, on: &screen, at: y)
      case .row(let number):
        draw(rows[number], isChosen: number == index, columns, on: &screen, at: y)
      }
    }
    guard lines.count > height || shown.further > 0 else { return }
    // Show how many rows do not fit.
    let part = " \(first + 1)-\(last) of \(lines.count + shown.further)"
    screen.putRight(part, endingAt: screen.columns - 1, row: 1, style: .bold, width: 20)
  }

  private enum ListLine: Equatable {
    case uuid(UInt128)
    case row(Int)
  }

  /// The rows, of everything nearby with their UUIDs above them without a column for it.
  private func listLines(of rows: [RangeRow], on columns: RangeColumns) -> [ListLine] {
    guard setting.showsEverything, !columns.showsUUID else { return rows.indices.map { .row($0) } }
    var lines: [ListLine] = []
    var last: UInt128?
    for (index, row) in rows.enumerated() {
      if row.key.identity.uuid != last { lines.append(.uuid(row.key.identity.uuid)) }
      last = row.key.identity.uuid
      lines.append(.row(index))
    }
    return lines
  }

  private func draw(_ uuid: UInt128, on screen: inout Screen, at y: Int) {
    let end = screen.put(UUIDText.string(uuid), column: 1, row: y, style: .dim)
    guard let maker = NameBook.maker(of: uuid) else { return }
    screen.put(maker, column: end + 2, row: y, style: .dim, width: screen.columns - end - 3)
  }

  private func drawNothing(on screen: inout Screen, row: Int) {
    let text =
      !shown.hasBegun
      ? "Waiting for the first report."
      : setting.showsEverything
        ? "No iBeacon was received yet. 'beaconctl doctor' finds out why."
        : "No matching beacon was received. 'beaconctl range' shows everything nearby."
    screen.put(text, column: 2, row: row, width: screen.columns - 3)
  }

  private func drawHeadings(_ columns: RangeColumns, on screen: inout Screen, row: Int) {
    func heading(_ text: String, _ orders: [RangeOrder], endingAt end: Int) {
      let isChosen = orders.contains(order)
      screen.putRight(
        text,
        endingAt: end,
        row: row,
        style: CellStyle(isBold: isChosen, isDim: !isChosen),
        width: text.count
      )
    }
    let name = columns.showsUUID ? "UUID" : ""
    screen.put(name, column: 2, row: row, style: .dim)
    let title = setting.book.isEmpty ? "MAJOR/MINOR" : "NAME"
    heading(title, [.name], endingAt: columns.name.end)
    let proximity = columns.showsUUID ? "PROXIMITY" : "PROX"
    screen.put(proximity, column: columns.letter, row: row, style: .dim)
    heading("DISTANCE", [.distance], endingAt: columns.distance)
    if let end = columns.interval { heading("9 IN 10", [], endingAt: end) }
    heading("RSSI", [.signal], endingAt: columns.rssi)
    if columns.spark.width >= 8 {
      let long = "\(columns.spark.width) s, -100 to -40 dBm"
      let text = long.count <= columns.spark.width ? long : "\(columns.spark.width) s"
      screen.put(text, column: columns.spark.start, row: row, style: .dim)
    }
    heading("PER S", [.rate], endingAt: columns.rate)
    heading("AGE", [.age], endingAt: columns.age)
  }

  private func draw(
    _ row: RangeRow,
    isChosen: Bool,
    _ columns: RangeColumns,
    on screen: inout Screen,
    at y: Int
  ) {
    let beacon = row.beacon
    let isStale = shown.hasNoReceiver
    let style = isStale ? CellStyle(.gray) : Self.style(of: beacon.proximity)
    let text: CellStyle = isStale ? style : beacon.reports == 0 ? .dim : .plain
    screen.put(isChosen ? ">" : " ", column: 0, row: y, style: .bold)
    let identity = beacon.identity
    if columns.showsUUID {
      screen.put(UUIDText.string(identity.uuid), column: 2, row: y, style: text)
    }
    let name = setting.book[identity]?.printable ?? "\(identity.major)/\(identity.minor)"
    screen.putRight(
      String(name.prefix(columns.name.width)),
      endingAt: columns.name.end,
      row: y,
      style: text,
      width: columns.name.width
    )
    let proximity: Proximity = isStale ? .unknown : beacon.proximity
    screen.put(
      (columns.showsUUID ? proximity.name : Self.letter(of: proximity))
        + (beacon.isHeld && !isStale ? "~" : ""),
      column: columns.letter,
      row: y,
      style: style
    )
    screen.bar(
      isStale ? 0 : Self.nearness(of: beacon),
      column: columns.bar.start,
      row: y,
      width: columns.bar.width,
      style: style
    )
    drawReception(of: row, columns, on: &screen, at: y, style: style, text: text)
    guard isChosen else { return }
    screen.restyle(column: 0, row: y, width: screen.columns) { $0.isReversed = true }
  }

  /// Draws the reports of a beacon: the columns at the right.
  private func drawReception(
    of row: RangeRow,
    _ columns: RangeColumns,
    on screen: inout Screen,
    at y: Int,
    style: CellStyle,
    text: CellStyle
  ) {
    let beacon = row.beacon
    let isSilent = beacon.reports == 0 || shown.hasNoReceiver
    let meters =
      beacon.distance.map { Self.meters($0.meters) + " m" }
      ?? (beacon.lacksPower ? "no power" : "-")
    screen.putRight(meters, endingAt: columns.distance, row: y, style: text, width: 9)
    if let end = columns.interval, let distance = beacon.distance {
      let range = "\(Self.meters(distance.low))-\(Self.meters(distance.high))"
      screen.putRight(range, endingAt: end, row: y, style: .dim, width: 14)
    }
    let rssi = isSilent ? "silent" : beacon.wholeRSSI.map(String.init) ?? "-"
    screen.putRight(rssi, endingAt: columns.rssi, row: y, style: text, width: 6)
    screen.sparkline(
      row.strengths,
      in: Self.strengths,
      column: columns.spark.start,
      row: y,
      width: columns.spark.width,
      style: style
    )
    let rate = shown.hasNoReceiver ? "-" : Self.rate(row.rate)
    screen.putRight(rate, endingAt: columns.rate, row: y, style: text, width: 5)
    let age = Self.span(shown.now - beacon.lastReceived)
    screen.putRight(age, endingAt: columns.age, row: y, style: text, width: 5)
  }

  /// The range of sparklines in dBm: from barely received to within a hand's reach.
  static let strengths: ClosedRange<Double> = -100...(-40)

  /// How much of a bar a distance fills: all of it here, none at 30 m, which is as far as indoors goes.
  ///
  /// By the square root, so that the first few meters get half of the bar.
  static func nearness(of beacon: RangedBeacon) -> Double {
    guard beacon.proximity != .unknown, let distance = beacon.distance else { return 0 }
    return 1 - (min(max(distance.meters, 0), 30) / 30).squareRoot()
  }

  static func meters(_ value: Double) -> String {
    value < 99.995 ? DecimalText.hundredths(value) : DecimalText.fixed(value, decimals: 0)
  }
}
