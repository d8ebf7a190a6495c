// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconHistory
internal import BeaconPlots

extension PastMinutes {
  /// How much before and after a minute its picture shows.
  private static let margin = TimeSpan.seconds(3 * 3600)
  /// Six hours of some hundred beacons at two receivers.
  private static let mostMinutes = 100_000

  /// Reads the picture around a minute.
  ///
  /// - Parameters:
  ///   - minute: The minute.
  ///   - asked: The identity of the beacon to show; `nil` for the one that was received most.
  /// - Returns: The beacons to choose from, the chosen one, and its plot; `nil` for none.
  /// - Throws: `HistoryError` if the history cannot be read.
  func signals(_ minute: Minute, of asked: String?) throws(HistoryError) -> (
    choices: [BeaconIdentity], chosen: BeaconIdentity?, plot: SignalPlot?
  ) {
    var selection = HistoryReader.Selection()
    selection.since = Self.start(of: minute) - Self.margin
    selection.until = Self.start(of: minute + 1) + Self.margin
    var rows: [BeaconIdentity: [HistoryMinute]] = [:]
    var count = 0
    try reader.minutes(selection) { row in
      rows[row.identity, default: []].append(row)
      count += 1
      return count < Self.mostMinutes
    }
    let choices = rows.keys.sorted()
    let most = choices.max { rows[$0, default: []].count < rows[$1, default: []].count }
    let chosen = asked.map { text in choices.first { "\($0)" == text } } ?? most
    guard let chosen else { return (choices, nil, nil) }
    let name = book[chosen] ?? "\(chosen.major)/\(chosen.minor)"
    var signals = PastSignals(
      of: Region(RegionIdentifier(name), .minor(chosen)),
      in: selection.since...selection.until
    )
    for row in rows[chosen] ?? [] { signals.add(PastSignals.Minute(row)) }
    try addCrossings(selection, of: chosen, to: &signals)
    try reader.receivers(selection) { span in
      signals.add(
        RadioState(span.state.state) ?? .gone,
        of: span.state.receiver,
        at: span.state.time
      )
      return true
    }
    return (choices, chosen, signals.plot)
  }

  private func addCrossings(
    _ selection: HistoryReader.Selection,
    of identity: BeaconIdentity,
    to signals: inout PastSignals
  ) throws(HistoryError) {
    var count = 0
    try reader.crossings(selection) { row in
      count += 1
      guard let why = EventLineReader.explanation(row.why), why.identity == identity else {
        return count < Self.mostMinutes
      }
      let (region, isEntry) = (RegionIdentifier(row.region), row.kind == .enter)
      let reason = RegionStateReason(rawValue: row.reason) ?? .received
      signals.add(
        isEntry ? .regionEntered(region, reason, why) : .regionExited(region, reason, why),
        isEntry: isEntry,
        at: row.time,
        book
      )
      return count < Self.mostMinutes
    }
  }
}

extension PastSignals.Minute {
  /// A minute of a history; a file from outside may hold any number.
  fileprivate init(_ row: HistoryMinute) {
    func level(_ value: Int?, _ mean: Double) -> Double {
      value.map { Double(min(max($0, -127), 20)) } ?? mean
    }
    let mean = row.rssiTenths.map { Double(min(max($0, -1270), 200)) / 10 }
    self.init(
      start: row.minute,
      receiver: row.receiver,
      reports: min(max(row.reports, 0), 1_000_000),
      rssi: mean.map { ($0, min($0, level(row.weakest, $0)), max($0, level(row.strongest, $0))) },
      meters: row.centimeters.map { Double(min(max($0, 1), 1_000_000)) / 100 }
    )
  }
}
