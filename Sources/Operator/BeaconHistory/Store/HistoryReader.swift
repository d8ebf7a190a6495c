// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
internal import Glibc
internal import SystemKit

/// Reads the rows of a history, in the order of time; another process may write at the same time.
package struct HistoryReader: Sendable {
  /// Which rows are read.
  package struct Selection: Sendable, Equatable {
    /// Rows from this time on.
    package var since = Timestamp.earliest
    /// Rows before this time.
    package var until = Timestamp.latest
    /// Rows of this region; `nil` for all.
    package var region: String?
    /// Stays that began in this month or later.
    package var begun = Timestamp.earliest

    package init() {}
  }

  /// A receiver's state with its end.
  package struct ReceiverSpan: Sendable, Equatable {
    package var state: HistoryReceiverState
    /// When the next state began; `nil` for the last.
    package var end: Timestamp?
  }

  private let folder: HistoryFolder

  /// - Parameter path: The folder.
  package init(_ path: String) {
    folder = HistoryFolder(path: path)
  }

  /// Returns whether a history uses a name in its folder.
  package static func uses(_ name: String) -> Bool {
    name == HistoryFolder.lockName || name.hasPrefix(HistoryFolder.prefix)
  }

  /// Returns the months that the history holds, such as `2026-05`, in their order.
  package func months() throws(HistoryError) -> [String] { try folder.months().map(\.name) }

  /// Returns the time of the last row; `nil` for an empty history.
  package func lastTime() throws(HistoryError) -> Timestamp? {
    for month in try folder.months().reversed() {
      if let time = try lastTime(month) { return time }
    }
    return nil
  }

  /// Returns the names of all regions of the history, in their order.
  package func regions() throws(HistoryError) -> [String] {
    var names: Set<String> = []
    try forEachMonth(Selection()) { database throws(HistoryError) in
      // A purge keeps the types of crossings that it removed.
      try database.read(
        """
        SELECT region FROM visit UNION
        SELECT region FROM crossing JOIN crossing_type ON crossing_type.id = crossing.type
        """
      ) { row in
        names.insert(row.text(0))
        return true
      }
      return true
    }
    return names.sorted()
  }

  private func lastTime(_ month: HistoryFolder.Month) throws(HistoryError) -> Timestamp? {
    let database = try Self.open(folder.file(month), mayBeEmpty: true)
    return try HistorySchema.isEmpty(database) ? nil : try MonthFile(database).lastTime()
  }

  // MARK: Rows

  /// Gives the crossings of a selection until the receiver of them wants no more.
  package func crossings(
    _ selection: Selection,
    _ row: (HistoryCrossing) -> Bool
  ) throws(HistoryError) {
    try forEachMonth(selection) { database throws(HistoryError) in
      var goesOn = true
      try database.read(
        """
        \(Self.crossings)
        WHERE t >= ? AND t < ? AND (? IS NULL OR region = ?) ORDER BY seq
        """,
        Self.bounds(selection) + Self.region(selection)
      ) { found in
        guard let crossing = HistoryCrossing(found) else { return true }
        goesOn = row(crossing)
        return goesOn
      }
      return goesOn
    }
  }

  /// The columns of a crossing.
  private static let crossings = """
    SELECT seq, t, client, region, kind, reason, why, rule, uuid, major, minor, reports, rssi, power,
      distance_cm, interval_us, gap_us, threshold, place, percent
    FROM crossing JOIN crossing_type ON crossing_type.id = crossing.type
      LEFT JOIN beacon ON beacon.id = crossing.beacon
    """

  /// Gives the stays of which a part is in a selection.
  package func visits(
    _ selection: Selection,
    _ row: (HistoryVisit) -> Bool
  ) throws(HistoryError) {
    // A stay is in the file of the month in which it began.
    var started = selection
    started.since = selection.begun
    try forEachMonth(started) { database throws(HistoryError) in
      var goesOn = true
      try Self.visits(in: database, openAlone: false, selection) { visit in
        guard goesOn, visit.entered < selection.until,
          (visit.left ?? (visit.isOpen ? .latest : visit.entered)) >= selection.since,
          selection.region == nil || selection.region == visit.region
        else { return }
        goesOn = row(visit)
      }
      return goesOn
    }
  }

  /// Gives the places of beacons of which a part is in a selection; the region does not select them.
  package func places(
    _ selection: Selection,
    _ row: (HistoryPlace) -> Bool
  ) throws(HistoryError) {
    // A stay in a place is in the file of the month in which it began.
    var started = selection
    started.since = selection.begun
    try forEachMonth(started) { database throws(HistoryError) in
      var goesOn = true
      try Self.places(in: database, selection) { place in
        guard goesOn, place.entered < selection.until, (place.left ?? .latest) >= selection.since
        else { return }
        goesOn = row(place)
      }
      return goesOn
    }
  }

  /// Gives the minutes of a selection.
  package func minutes(
    _ selection: Selection,
    _ row: (HistoryMinute) -> Bool
  ) throws(HistoryError) {
    try forEachMonth(selection) { database throws(HistoryError) in
      var goesOn = true
      let minute: Int64 = 60_000_000
      try database.read(
        """
        SELECT minute, uuid, major, minor, name, reports, rssi_tenths, rssi_min, rssi_max, distance_cm, near_s
        FROM minute JOIN beacon ON beacon.id = minute.beacon JOIN receiver ON receiver.id = minute.receiver
        WHERE minute >= ? AND minute < ? ORDER BY minute, uuid, major, minor, name
        """,
        [
          .integer((selection.since.microseconds + minute - 1) / minute),
          .integer((selection.until.microseconds + minute - 1) / minute),
        ]
      ) { found in
        guard let row_ = HistoryMinute(found) else { return true }
        goesOn = row(row_)
        return goesOn
      }
      return goesOn
    }
  }

  /// Gives the states of the receivers of a selection, each with its end; also the states that began before it.
  package func receivers(
    _ selection: Selection,
    _ row: (ReceiverSpan) -> Bool
  ) throws(HistoryError) {
    var open: [String: HistoryReceiverState] = [:]
    var spans: [ReceiverSpan] = []
    var started = selection
    started.since = .earliest
    try forEachMonth(started) { database throws(HistoryError) in
      try database.read(
        """
        SELECT t, name, state FROM receiver_state JOIN receiver ON receiver.id = receiver
        WHERE t < ? ORDER BY t, name
        """,
        [.integer(selection.until.microseconds)]
      ) { found in
        guard let state = HistoryReceiverState(found) else { return true }
        // Where something was removed, the open state is repeated.
        if open[state.receiver]?.state == state.state { return true }
        if let earlier = open.updateValue(state, forKey: state.receiver) {
          spans.append(ReceiverSpan(state: earlier, end: state.time))
        }
        return true
      }
      return true
    }
    spans += open.values.map { ReceiverSpan(state: $0, end: nil) }
    spans = spans.filter { ($0.end ?? .latest) > selection.since }
    spans.sort {
      ($0.state.time, $0.state.receiver) < ($1.state.time, $1.state.receiver)
    }
    for span in spans where !row(span) { return }
  }

  /// Returns the last state of each receiver before a time.
  package func states(before time: Timestamp) throws(HistoryError) -> [HistoryReceiverState] {
    var found: [String: HistoryReceiverState] = [:]
    for month in try folder.months() where month.start < time {
      let database = try Self.open(folder.file(month), mayBeEmpty: true)
      guard try !HistorySchema.isEmpty(database) else { continue }
      try database.read(
        """
        SELECT max(t), name, state FROM receiver_state JOIN receiver ON receiver.id = receiver
        WHERE t < ? GROUP BY receiver
        """,
        [.integer(time.microseconds)]
      ) { row in
        if let state = HistoryReceiverState(row) { found[state.receiver] = state }
        return true
      }
    }
    return found.values.sorted { $0.receiver < $1.receiver }
  }

  /// Gives the notices of a selection.
  package func notices(
    _ selection: Selection,
    _ row: (HistoryNotice) -> Bool
  ) throws(HistoryError) {
    try forEachMonth(selection) { database throws(HistoryError) in
      var goesOn = true
      try database.read(
        "SELECT t, code, detail FROM notice WHERE t >= ? AND t < ? ORDER BY id",
        Self.bounds(selection)
      ) { found in
        let time = Timestamp(microseconds: found.integer(0))
        goesOn = row(HistoryNotice(time: time, code: found.text(1), detail: found.text(2)))
        return goesOn
      }
      return goesOn
    }
  }

  static func visits(
    in database: Database,
    openAlone: Bool,
    _ selection: Selection = Selection(),
    _ visit: (HistoryVisit) -> Void
  ) throws(HistoryError) {
    try database.read(
      """
      SELECT entered, client, region, "left", quality FROM visit
      WHERE (? = 0 OR ("left" IS NULL AND quality <> 'endUnknown'))
        AND entered <= ? AND ("left" IS NULL OR "left" >= ?) ORDER BY entered, client, region
      """,
      [
        .integer(openAlone ? 1 : 0), .integer(selection.until.microseconds),
        .integer(selection.since.microseconds),
      ]
    ) { found in
      if let row = HistoryVisit(found) { visit(row) }
      return true
    }
  }

  static func places(
    in database: Database,
    _ selection: Selection = Selection(),
    _ place: (HistoryPlace) -> Void
  ) throws(HistoryError) {
    try database.read(
      """
      SELECT entered, uuid, major, minor, state, place, percent, "left"
      FROM place JOIN beacon ON beacon.id = place.beacon
      WHERE entered <= ? AND ("left" IS NULL OR "left" >= ?) ORDER BY entered, uuid, major, minor
      """,
      [.integer(selection.until.microseconds), .integer(selection.since.microseconds)]
    ) { found in
      if let row = HistoryPlace(found) { place(row) }
      return true
    }
  }

  // MARK: Files

  private static func bounds(_ selection: Selection) -> [SQLiteValue] {
    [.integer(selection.since.microseconds), .integer(selection.until.microseconds)]
  }

  private static func region(_ selection: Selection) -> [SQLiteValue] {
    let region = selection.region.map { SQLiteValue.text($0) } ?? .null
    return [region, region]
  }

  private func forEachMonth(
    _ selection: Selection,
    _ read: (Database) throws(HistoryError) -> Bool
  ) throws(HistoryError) {
    for month in try folder.months()
    where month.end > selection.since && month.start < selection.until {
      let database = try Self.open(folder.file(month), mayBeEmpty: true)
      // A run that was killed while it began the file left it without tables.
      guard try !HistorySchema.isEmpty(database) else { continue }
      guard try read(database) else { return }
    }
  }

  /// Opens a file to read it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mayBeEmpty: Whether it may be a file without any table as well.
  /// - Returns: The open file.
  /// - Throws: ``HistoryError``, also for a file that is not a history or of a later version.
  static func open(_ path: String, mayBeEmpty: Bool = false) throws(HistoryError) -> Database {
    // Reading next to a writer needs another file of SQLite in the folder; if that cannot be made, there is no writer.
    let isStill = unsafe access(path + "-wal", F_OK) != 0 && FileStatus(path)?.isRegular ?? false
    guard isStill || !Database.isForeign(path) else {
      let copy = try PrivateCopy(of: path)
      // SQLite opens all of the copy's files when it first reads, and needs their names no more.
      return try checked(Database(path, .reading, openedAs: copy.path), mayBeEmpty)
    }
    return try checked(Database(path, isStill ? .readingStill : .reading), mayBeEmpty)
  }

  private static func checked(
    _ database: Database,
    _ mayBeEmpty: Bool
  ) throws(HistoryError) -> Database {
    try database.execute("PRAGMA cell_size_check=ON")
    try HistorySchema.check(database, mayBeEmpty: mayBeEmpty)
    return database
  }
}

// MARK: Rows from columns

extension HistoryCrossing {
  /// Reads a row; `nil` if it contains values that this program did not write.
  init?(_ row: SQLiteRow) {
    guard let kind = Kind(rawValue: row.text(4)) else { return nil }
    let why = row.optionalText(6) ?? ExplanationColumns(row)?.json
    guard let why else { return nil }
    self.init(
      sequence: row.optional(0),
      time: Timestamp(microseconds: row.integer(1)),
      client: row.text(2),
      region: row.text(3),
      kind: kind,
      reason: row.text(5),
      why: why
    )
  }
}

extension HistoryVisit {
  init?(_ row: SQLiteRow) {
    guard let quality = Quality(rawValue: row.text(4)) else { return nil }
    self.init(
      entered: Timestamp(microseconds: row.integer(0)),
      client: row.text(1),
      region: row.text(2),
      left: row.optional(3).map { Timestamp(microseconds: Int64($0)) },
      quality: quality
    )
  }
}

extension BeaconIdentity {
  /// Reads three columns; `nil` if they contain values that this program did not write.
  fileprivate init?(_ row: SQLiteRow, at column: Int32) {
    guard let uuid = UUIDText.parse(row.text(column)),
      let major = UInt16(exactly: row.integer(column + 1)),
      let minor = UInt16(exactly: row.integer(column + 2))
    else { return nil }
    self.init(uuid: uuid, major: major, minor: minor)
  }
}

extension HistoryPlace {
  init?(_ row: SQLiteRow) {
    guard let identity = BeaconIdentity(row, at: 1), let state = State(rawValue: row.text(4)) else {
      return nil
    }
    let place = row.optionalText(5)
    let percent = Int(clamping: row.integer(6))
    guard (state == .known) == (place != nil), (0...100).contains(percent) else { return nil }
    self.init(
      entered: Timestamp(microseconds: row.integer(0)),
      identity: identity,
      state: state,
      place: place,
      percent: percent,
      left: row.optional(7).map { Timestamp(microseconds: Int64($0)) }
    )
  }
}

extension HistoryMinute {
  init?(_ row: SQLiteRow) {
    guard let identity = BeaconIdentity(row, at: 1), let reports = row.optional(5) else {
      return nil
    }
    let (start, isBeyond) = row.integer(0).multipliedReportingOverflow(by: 60_000_000)
    guard !isBeyond else { return nil }
    self.init(
      minute: Timestamp(microseconds: start),
      identity: identity,
      receiver: row.text(4),
      reports: reports,
      rssiTenths: row.optional(6),
      weakest: row.optional(7),
      strongest: row.optional(8),
      centimeters: row.optional(9),
      nearSeconds: row.optional(10)
    )
  }
}

extension HistoryReceiverState {
  init?(_ row: SQLiteRow) {
    guard let state = State(rawValue: row.text(2)) else { return nil }
    self.init(
      time: Timestamp(microseconds: row.integer(0)),
      receiver: row.text(1),
      state: state
    )
  }
}
