// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconHistory

/// Reads from a history the operator's page at the end of a minute.
///
/// The rows read for one page are bounded: a minute, a day of crossings, and the stays of two months.
struct PastMinutes: Sendable {
  /// The number of a minute since 1970 UTC.
  typealias Minute = Int

  /// The days of which there is a history, both included, such as `2026-05-01`.
  struct Days: Equatable {
    let first: String
    let last: String
  }

  /// Rows that the page of a minute reads; a history that this program wrote has fewer.
  private static let rowLimit = 20_000
  /// More than a minute of a beacon has, and farther than one is received.
  private static let (mostReports, mostCentimeters) = (1_000_000, 1_000_000)
  /// Crossings are shown that are not older than this.
  private static let crossingAge = TimeSpan.seconds(86_400)
  /// Stays are shown that began not longer before: a longer one is a beacon that lies in its region.
  private static let stayAge = TimeSpan.seconds(31 * 86_400)

  /// A region of a client.
  private struct Subject: Hashable {
    let client: String
    let region: String
  }

  let reader: HistoryReader
  private let version: String
  /// The names of beacons.
  let book: NameBook

  /// - Parameters:
  ///   - path: The folder of the history.
  ///   - version: The program's version.
  ///   - book: The names of beacons.
  init(_ path: String, version: String, book: NameBook) {
    reader = HistoryReader(path)
    self.version = version
    self.book = book
  }

  /// Returns the minute that a page asks for; `nil` for anything but a minute of a history.
  static func minute(_ text: String) -> Minute? {
    // The year 9999 is the last one of which there is a file.
    Int(text).flatMap { (0..<4_223_371_680).contains($0) ? $0 : nil }
  }

  /// Returns the start of a minute.
  static func start(of minute: Minute) -> Timestamp {
    .init(microseconds: Int64(minute) * 60_000_000)
  }

  /// Returns the days of which there are files, if any.
  func days() throws(HistoryError) -> Days? {
    let months = try reader.months()
    guard let first = months.first, let last = months.last,
      let start = RFC3339.parse(last + "-01T00:00:00Z")
    else { return nil }
    // The month's last day is the day before the next month's first one.
    let next = String(RFC3339.string(start + .seconds(32 * 86_400)).prefix(7))
    let end = (RFC3339.parse(next + "-01T00:00:00Z") ?? start) - .seconds(1)
    return Days(first: first + "-01", last: String(RFC3339.string(end).prefix(10)))
  }

  /// Returns the state at the end of a minute.
  ///
  /// If no receiver listened, the state of no region is known.
  func metrics(_ minute: Minute) throws(HistoryError) -> OperatorMetrics {
    var metrics = OperatorMetrics(version: version, book: book)
    var selection = HistoryReader.Selection()
    selection.since = Self.start(of: minute)
    selection.until = Self.start(of: minute + 1)
    let end = selection.until
    metrics.add(.reached(end))
    // A run that was stopped by force wrote no end: of the time after its last row nothing is known.
    let isKnown = try reader.lastTime().map { $0 >= selection.since } ?? false
    let listens = isKnown ? try addReceivers(selection, to: &metrics) : false
    try addMinutes(selection, to: &metrics)
    let entries = try addCrossings(before: end, to: &metrics)
    try addStays(selection, listens: listens, entries, to: &metrics)
    if listens { try addPlaces(selection, to: &metrics) }
    return metrics
  }

  private func addReceivers(
    _ selection: HistoryReader.Selection,
    to metrics: inout OperatorMetrics
  ) throws(HistoryError) -> Bool {
    var listens = false
    for last in try reader.states(before: selection.until).prefix(Self.rowLimit) {
      // Nothing is known of a receiver while it did not run.
      guard let state = RadioState(last.state) else { continue }
      metrics.add(.receiver(last.receiver, state, selection.until))
      listens = listens || state == .listening
    }
    return listens
  }

  private func addMinutes(
    _ selection: HistoryReader.Selection,
    to metrics: inout OperatorMetrics
  ) throws(HistoryError) {
    var rows = 0
    try reader.minutes(selection) { row in
      var second = ReceivedSecond(
        second: row.minute,
        identity: row.identity,
        receiver: row.receiver,
        ReceivedSum()
      )
      second.sum.last = selection.until
      // A file from outside may hold any number.
      second.sum.reports = min(max(row.reports, 0), Self.mostReports)
      if let tenths = row.rssiTenths, (-2000...1000).contains(tenths) {
        // The mean is all that is known, and all that is shown.
        second.sum.samples = 10
        second.sum.total = tenths
      }
      metrics.add(.reports(second))
      if let centimeters = row.centimeters {
        metrics.measure(
          row.identity,
          meters: Double(min(max(centimeters, 0), Self.mostCentimeters)) / 100,
          isNear: (row.nearSeconds ?? 0) > 0,
          at: selection.until
        )
      }
      rows += 1
      return rows < Self.rowLimit
    }
  }

  /// Adds the crossings of a day, and returns the last time that each region was entered.
  private func addCrossings(
    before end: Timestamp,
    to metrics: inout OperatorMetrics
  ) throws(HistoryError) -> [Subject: HistoryCrossing] {
    var entries: [Subject: HistoryCrossing] = [:]
    var selection = HistoryReader.Selection()
    selection.since = end - Self.crossingAge
    selection.until = end
    var rows = 0
    try reader.crossings(selection) { row in
      let why = EventLineReader.explanation(row.why).map(EventSentence.rule) ?? ""
      metrics.cross(row.client, row.region, isEntry: row.kind == .enter, at: row.time, why: why)
      if row.kind == .enter { entries[Subject(client: row.client, region: row.region)] = row }
      rows += 1
      return rows < Self.rowLimit
    }
    return entries
  }

  /// Sets the regions with an open stay as inside.
  ///
  /// That one was entered is not enough: the end may not have been observed.
  private func addStays(
    _ selection: HistoryReader.Selection,
    listens: Bool,
    _ entries: [Subject: HistoryCrossing],
    to metrics: inout OperatorMetrics
  ) throws(HistoryError) {
    for row in metrics.regions where row.isInside ?? false || !listens {
      metrics.set(row.client, row.region, .unknown)
    }
    guard listens else { return }
    var selection = selection
    selection.begun = selection.since - Self.stayAge
    var rows = 0
    try reader.visits(selection) { visit in
      if visit.isOpen || (visit.left ?? .earliest) >= selection.until {
        metrics.set(visit.client, visit.region, .inside)
        let entry = entries[Subject(client: visit.client, region: visit.region)]
        if let entry, entry.time == visit.entered, let place = BeaconPlace(entry) {
          metrics.add(.place(place, selection.until))
        }
      }
      rows += 1
      return rows < Self.rowLimit
    }
  }
}

extension PastMinutes {
  /// Adds the places in which beacons were at the end of the minute.
  private func addPlaces(
    _ selection: HistoryReader.Selection,
    to metrics: inout OperatorMetrics
  ) throws(HistoryError) {
    var selection = selection
    selection.begun = selection.since - Self.stayAge
    var rows = 0
    try reader.places(selection) { row in
      if (row.left ?? .latest) >= selection.until {
        let position: BeaconPlace.Position =
          switch row.state {
          case .known: .at(row.place ?? "")
          case .unknown: .unknown
          case .absent: .absent
          }
        let place = BeaconPlace(row.identity, position, hundredths: UInt8(row.percent))
        metrics.add(.place(place, selection.until))
      }
      rows += 1
      return rows < Self.rowLimit
    }
  }
}

extension BeaconPlace {
  /// The place to which a beacon came, if a region has a place; `nil` for another crossing.
  fileprivate init?(_ crossing: HistoryCrossing) {
    guard case .object(let members) = (try? JSON5.parse(crossing.why))?.content else { return nil }
    var (identity, place, hundredths): (BeaconIdentity?, String?, UInt8) = (nil, nil, 0)
    for member in members {
      switch (member.key, member.value.content) {
      case ("identity", .string(let text)):
        if case .minor(let found)? = try? IdentityConstraint(parsing: text) { identity = found }
      case ("place", .string(let text)): place = text
      case ("p", .number(let number)) where (0...1).contains(number.value):
        hundredths = UInt8((number.value * 100).rounded())
      default: break
      }
    }
    guard let identity, let place else { return nil }
    self.init(identity, .at(place), hundredths: hundredths)
  }
}

extension RadioState {
  /// The state that a history has of a receiver; `nil` while nothing is known of it.
  init?(_ state: HistoryReceiverState.State) {
    switch state {
    case .listening: self = .listening
    case .off: self = .off
    case .deaf: self = .deaf
    case .gone: self = .gone
    case .gap, .ended: return nil
    }
  }
}
