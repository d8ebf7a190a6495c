// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
internal import BeaconCore
internal import BeaconFormats

/// One beacon in full, with the reasons for its distance and proximity.
extension RangeView {
  func drawBeacon(on screen: inout Screen, in area: RangeArea) {
    let rows = rows
    guard let row = rows.first(where: { $0.key == chosen }) ?? (chosen == nil ? rows.first : nil)
    else {
      let text =
        chosen == nil
        ? "No beacon to show yet." : "This beacon is no longer listed: it was silent for too long."
      screen.put(text, column: 2, row: area.top + 1, width: screen.columns - 3)
      return
    }
    let beacon = row.beacon
    let style = Self.style(of: beacon.proximity)
    var end = screen.put(beacon.identity.description, column: 1, row: area.top, style: .bold)
    if let name = setting.book[beacon.identity] ?? NameBook.maker(of: beacon.identity.uuid) {
      end = screen.put(name, column: end + 2, row: area.top, width: screen.columns - end - 3)
    }
    var column = screen.put(beacon.proximityWord, column: 1, row: area.top + 1, style: style)
    if let distance = beacon.distance {
      let interval = "9 in 10: \(Self.meters(distance.low)) to \(Self.meters(distance.high)) m"
      let text = "  \(Self.meters(distance.meters)) m  (\(interval))"
      column = screen.put(text, column: column, row: area.top + 1)
    }
    screen.bar(
      Self.nearness(of: beacon),
      column: column + 2,
      row: area.top + 1,
      width: max(0, min(30, screen.columns - column - 4)),
      style: style
    )
    let lines = reasons(for: row)
    let commands = Self.commands(for: beacon.identity, setting.book, columns: screen.columns - 2)
    let chart = max(3, min(12, area.height - 4 - lines.count - commands.count))
    drawChart(of: row, on: &screen, row: area.top + 2, height: chart)
    // Below the chart is its axis.
    let first = area.top + 3 + chart
    for (index, line) in lines.enumerated() where first + index < area.bottom {
      let y = first + index
      screen.put(line.name, column: 1, row: y, style: .dim, width: 11)
      screen.put(line.text, column: 13, row: y, width: screen.columns - 14)
    }
    for (index, line) in commands.enumerated() {
      let y = first + lines.count + index
      if y < area.bottom { screen.put(line, column: 1, row: y, width: screen.columns - 2) }
    }
  }

  /// The lines to type for a beacon; the keys for a name, if they are wider than the terminal.
  static func commands(
    for identity: BeaconIdentity,
    _ book: NameBook,
    columns: Int
  ) -> [String] {
    let word = word(for: identity, book)
    let region = word == identity.description ? "beacon=\(word)" : "\(word)=\(word)"
    let lines = [
      "beaconctl range -s \(word)", "beaconctl monitor -r \(region)",
      "beaconctl calibrate -b \(word) --at 1m",
    ]
    let fits = lines.allSatisfy { $0.count <= columns }
    return fits ? lines : ["n gives it a name for 'range -s NAME' and other commands"]
  }

  /// The name of a beacon as a shell reads it, if it stands for only one beacon; else its identity.
  private static func word(for identity: BeaconIdentity, _ book: NameBook) -> String {
    guard let name = book[identity], book.entries.count(where: { $0.name == name }) == 1,
      name.utf8.allSatisfy({ byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
          || "_.".utf8.contains(byte)
      })
    else { return identity.description }
    return name
  }

  private func drawChart(of row: RangeRow, on screen: inout Screen, row y: Int, height: Int) {
    let start = 10
    let width = min(RangeRow.history, screen.columns - start - 3)
    screen.putRight("-40 dBm", endingAt: start - 1, row: y, style: .dim, width: 8)
    screen.putRight("-100 dBm", endingAt: start - 1, row: y + height - 1, style: .dim, width: 8)
    screen.put("\(width) s ago", column: start, row: y + height, style: .dim)
    screen.putRight("now", endingAt: start + width, row: y + height, style: .dim, width: 3)
    let isStale = shown.hasNoReceiver
    let style = isStale ? CellStyle(.gray) : Self.style(of: row.beacon.proximity)
    screen.chart(
      row.strengths,
      in: Self.strengths,
      column: start,
      row: y,
      width: width,
      height: height,
      style: style
    )
  }

  private typealias Reason = (name: String, text: String)

  /// All inputs of the distance and the proximity, enough to compute them again.
  private func reasons(for row: RangeRow) -> [Reason] {
    let beacon = row.beacon
    var reasons: [Reason] = [("received", reception(beacon))]
    if beacon.isContested {
      let text = "two addresses send it at levels that no one place explains, so no distance"
      reasons.append(("contested", text))
    }
    if beacon.isHeld {
      let text = "the distance is beyond a limit, but not yet surely or for long enough"
      reasons.append(("held ~", text))
    }
    if let filtered = beacon.filteredRSSI {
      let text = DecimalText.fixed(filtered, decimals: 1)
      reasons.append(("filtered", "\(text) dBm by \(setting.ranging.filter.name)"))
    }
    reasons.append(("power", power(of: row)))
    if let loss = loss(of: row) { reasons.append(("path loss", loss)) }
    reasons += [("limits", limits), ("changes", reluctance)]
    reasons += [("proximity", history(of: row)), ("rate", scan(of: row))]
    if setting.showsAddresses, let address = beacon.address {
      reasons.append(("address", address.text))
    }
    reasons.append(("requested", row.constraint?.description ?? "everything nearby"))
    return reasons
  }

  private func reception(_ beacon: RangedBeacon) -> String {
    let age = Self.span(shown.now - beacon.lastReceived)
    guard beacon.reports > 0 else {
      let linger = Self.span(setting.ranging.linger)
      return "nothing in the last second; last \(age) ago, listed until \(linger) of silence"
    }
    let count = beacon.reports == 1 ? "1 report" : "\(beacon.reports) reports"
    let mean = beacon.rssi.map { ", mean \(DecimalText.fixed($0, decimals: 1)) dBm" } ?? ", no RSSI"
    return "\(count) in the last second\(mean); last \(age) ago"
  }

  private func power(of row: RangeRow) -> String {
    let announced = row.scan.power.map { "\($0) dBm at 1 m announced" }
    let power = setting.ranging.calibration.power(
      for: row.beacon.identity,
      announced: row.scan.power
    )
    guard let power else {
      return row.scan.power.map(EventSentence.implausible)
        ?? "unknown; no calibration, so no distance"
    }
    let used = DecimalText.fixed(power, decimals: 1)
    if let byte = row.scan.power, Double(byte) == power { return announced ?? "\(used) dBm" }
    return "\(used) dBm at 1 m by calibration" + (announced.map { ", \($0)" } ?? "")
  }

  private func loss(of row: RangeRow) -> String? {
    guard let filtered = row.beacon.filteredRSSI, let distance = row.beacon.distance,
      let power = setting.ranging.calibration.power(
        for: row.beacon.identity,
        announced: row.scan.power
      )
    else { return nil }
    let loss = DecimalText.fixed(power - filtered, decimals: 1)
    return "\(loss) dB from 1 m on, by \(setting.ranging.pathLoss.name):"
      + " \(Self.meters(distance.meters)) m"
  }

  private var limits: String {
    let rule = setting.ranging.proximity
    return "immediate to \(Self.meters(rule.immediateLimit)) m,"
      + " near to \(Self.meters(rule.nearLimit)) m"
  }

  /// The condition for a distance to count as beyond a limit.
  private var reluctance: String {
    let rule = setting.ranging.proximity
    var conditions: [String] = []
    if rule.certainty > 0 {
      conditions.append("by \(DecimalText.hundredths(rule.certainty)) standard errors")
    }
    if rule.hysteresis > 0 {
      conditions.append("by \(DecimalText.fixed(rule.hysteresis * 100, decimals: 0)) %")
    }
    if rule.dwell > .zero { conditions.append("for \(Self.span(rule.dwell))") }
    return conditions.isEmpty
      ? "as soon as a limit is passed"
      : "once a limit is passed " + conditions.joined(separator: ", ")
  }

  private func history(of row: RangeRow) -> String {
    guard let change = row.change else {
      return "\(row.beacon.proximity.name) since it was first listed, "
        + "\(Self.span(shown.now - row.since)) ago"
    }
    let distance = change.distance.map { " at \(Self.meters($0)) m" } ?? ""
    return "\(row.beacon.proximity.name) for \(Self.span(shown.now - change.time)),"
      + " \(change.from.name) before, changed\(distance)"
  }

  private func scan(of row: RangeRow) -> String {
    var parts = ["\(Self.rate(row.rate)) reports/s"]
    if let gap = row.scan.medianGap, let longest = row.scan.longestGap {
      parts.append("median gap \(Self.milliseconds(gap)), longest \(Self.milliseconds(longest))")
    }
    let names = row.scan.receivers.keys.sorted().compactMap { shown.receivers[safely: Int($0)] }
    if !names.isEmpty { parts.append("by " + names.joined(separator: ", ")) }
    return parts.joined(separator: "; ")
  }

  private static func milliseconds(_ span: TimeSpan) -> String {
    span.seconds < 10
      ? "\(DecimalText.fixed(span.seconds * 1000, decimals: 0)) ms" : Self.span(span)
  }
}
