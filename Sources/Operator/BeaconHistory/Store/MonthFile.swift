// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The open file of a month.
final class MonthFile {
  let database: Database
  private var beacons: [BeaconIdentity: Int64] = [:]
  private var receivers: [String: Int64] = [:]
  private var types: [CrossingType: Int64] = [:]

  /// What many crossings share.
  private struct CrossingType: Hashable {
    let client: String
    let region: String
    let kind: HistoryCrossing.Kind
    let reason: String
    /// The rule of the explanation; empty if the explanation is kept as text.
    let rule: String
  }

  /// How many numbers of beacons, and of types of crossings, are kept in memory: more than a site has.
  private static let mostNumbers = 4096

  /// - Parameter database: The database, which was checked.
  init(_ database: Database) {
    self.database = database
  }

  /// Opens a file for writing, which is made if it does not exist.
  ///
  /// - Throws: ``HistoryError``, also for a file that is not a history or of a later version.
  convenience init(writing path: String) throws(HistoryError) {
    let database = try Database(path, .writing)
    try HistorySchema.prepare(database)
    try Self.configure(database)
    self.init(database)
  }

  /// The size of the kept log of a file, in bytes.
  private static let logSize = 4_194_304

  /// Settings of a connection that writes.
  static func configure(_ database: Database) throws(HistoryError) {
    // So much log before it is moved into the file; then it is cut to that size.
    try database.execute("PRAGMA wal_autocheckpoint=\(logSize / HistorySchema.pageSize)")
    try database.execute("PRAGMA journal_size_limit=\(logSize)")
    try database.execute("PRAGMA secure_delete=ON")
    try database.execute("PRAGMA cell_size_check=ON")
  }

  /// Looks for damage.
  ///
  /// - Throws: ``HistoryError/damaged(path:_:)`` with the first finding.
  static func check(_ database: Database) throws(HistoryError) {
    var finding = "ok"
    try database.read("PRAGMA quick_check(1)") { row in
      finding = row.text(0)
      return false
    }
    if finding != "ok" { throw .damaged(path: database.path, finding) }
  }

  /// The time of the last row; `nil` for an empty file.
  func lastTime() throws(HistoryError) -> Timestamp? {
    let last = try database.integer(
      """
      SELECT max(
        ifnull((SELECT max(t) FROM crossing), 0), ifnull((SELECT max(t) FROM receiver_state), 0),
        ifnull((SELECT max(minute) * 60000000 FROM minute), 0),
        ifnull((SELECT max(entered) FROM visit), 0), ifnull((SELECT max(t) FROM notice), 0),
        ifnull((SELECT max(entered) FROM place), 0))
      """
    )
    return last.flatMap { $0 > 0 ? Timestamp(microseconds: $0) : nil }
  }

  /// The time of the first row, as far as rows are in order; `nil` for an empty file.
  func firstTime() throws(HistoryError) -> Timestamp? {
    let first = try database.integer(
      """
      SELECT min(t) FROM (
        SELECT t FROM (SELECT t FROM crossing ORDER BY seq LIMIT 1)
        UNION ALL SELECT min(t) FROM receiver_state
        UNION ALL SELECT min(minute) * 60000000 FROM minute
        UNION ALL SELECT min(entered) FROM visit
        UNION ALL SELECT t FROM (SELECT t FROM notice ORDER BY id LIMIT 1)
        UNION ALL SELECT min(entered) FROM place)
      """
    )
    return first.map { Timestamp(microseconds: $0) }
  }

  // MARK: Rows

  /// Writes the open rows at a time from which on everything is kept; the file's rows of that time stay.
  func begin(with rows: [HistoryRow]) throws(HistoryError) {
    try database.execute("PRAGMA synchronous=FULL")
    try database.execute("BEGIN IMMEDIATE")
    do {
      for row in rows {
        switch row {
        case .receiver(let row): try write(row, orElse: "IGNORE")
        case .place(let row): try write(row, orElse: "IGNORE")
        default: continue
        }
      }
      try database.execute("COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      forgetNumbers()
      throw error
    }
  }

  func write(_ row: HistoryRow, sequence: inout Int) throws(HistoryError) {
    switch row {
    case .crossing(let row):
      try write(row, sequence)
      sequence += 1
    case .visit(let row): try write(row)
    case .minute(let row): try write(row)
    case .receiver(let row): try write(row)
    case .place(let row): try write(row)
    case .notice(let row):
      try database.run(
        "INSERT INTO notice(t, code, detail) VALUES(?, ?, ?)",
        [.integer(row.time.microseconds), .text(row.code), .text(row.detail)]
      )
    }
  }

  private func write(_ row: HistoryCrossing, _ sequence: Int) throws(HistoryError) {
    let explanation = ExplanationColumns(json: row.why)
    let type = CrossingType(
      client: row.client,
      region: row.region,
      kind: row.kind,
      reason: row.reason,
      rule: explanation?.rule.rawValue ?? ""
    )
    let beacon: SQLiteValue =
      if let identity = explanation?.identity { .integer(try beacon(identity)) } else { .null }
    try database.run(
      "INSERT INTO crossing VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        SQLiteValue(sequence), .integer(row.time.microseconds), .integer(try number(of: type)),
        beacon, SQLiteValue(explanation?.reports), SQLiteValue(explanation?.rssi),
        SQLiteValue(explanation?.power), SQLiteValue(explanation?.centimeters),
        SQLiteValue(explanation?.interval), SQLiteValue(explanation?.gap),
        explanation?.threshold ?? .null, explanation?.place.map { .text($0) } ?? .null,
        SQLiteValue(explanation?.percent), explanation == nil ? .text(row.why) : .null,
      ]
    )
  }

  private func write(_ row: HistoryVisit) throws(HistoryError) {
    try database.run(
      "INSERT OR REPLACE INTO visit VALUES(?, ?, ?, ?, ?)",
      [
        .integer(row.entered.microseconds), .text(row.client), .text(row.region),
        row.left.map { .integer($0.microseconds) } ?? .null, .text(row.quality.rawValue),
      ]
    )
  }

  /// A run that starts again in the same minute adds to it.
  private func write(_ row: HistoryMinute) throws(HistoryError) {
    try database.run(
      """
      INSERT INTO minute VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        rssi_tenths = ifnull((rssi_tenths * reports + excluded.rssi_tenths * excluded.reports)
          / (reports + excluded.reports), ifnull(rssi_tenths, excluded.rssi_tenths)),
        rssi_min = ifnull(min(rssi_min, excluded.rssi_min), ifnull(rssi_min, excluded.rssi_min)),
        rssi_max = ifnull(max(rssi_max, excluded.rssi_max), ifnull(rssi_max, excluded.rssi_max)),
        distance_cm = ifnull(excluded.distance_cm, distance_cm),
        near_s = ifnull(near_s + excluded.near_s, ifnull(near_s, excluded.near_s)),
        reports = reports + excluded.reports
      """,
      [
        .integer(row.minute.microseconds / 60_000_000), .integer(try beacon(row.identity)),
        .integer(try receiver(row.receiver)), SQLiteValue(row.reports),
        SQLiteValue(row.rssiTenths), SQLiteValue(row.weakest), SQLiteValue(row.strongest),
        SQLiteValue(row.centimeters), SQLiteValue(row.nearSeconds),
      ]
    )
  }

  private func write(
    _ row: HistoryReceiverState,
    orElse conflict: String = "REPLACE"
  ) throws(HistoryError) {
    try database.run(
      "INSERT OR \(conflict) INTO receiver_state VALUES(?, ?, ?)",
      [
        .integer(row.time.microseconds), .integer(try receiver(row.receiver)),
        .text(row.state.rawValue),
      ]
    )
  }

  private func write(
    _ row: HistoryPlace,
    orElse conflict: String = "REPLACE"
  ) throws(HistoryError) {
    try database.run(
      "INSERT OR \(conflict) INTO place VALUES(?, ?, ?, ?, ?, ?)",
      [
        .integer(row.entered.microseconds), .integer(try beacon(row.identity)),
        row.left.map { .integer($0.microseconds) } ?? .null, .text(row.state.rawValue),
        row.place.map { .text($0) } ?? .null, SQLiteValue(row.percent),
      ]
    )
  }

  // MARK: Numbers of beacons, receivers and types

  private func beacon(_ identity: BeaconIdentity) throws(HistoryError) -> Int64 {
    if let known = beacons[identity] { return known }
    let values: [SQLiteValue] = [
      .text(UUIDText.string(identity.uuid)), .integer(Int64(identity.major)),
      .integer(Int64(identity.minor)),
    ]
    try database.run("INSERT OR IGNORE INTO beacon(uuid, major, minor) VALUES(?, ?, ?)", values)
    let number = try database.integer(
      "SELECT id FROM beacon WHERE uuid = ? AND major = ? AND minor = ?",
      values
    )
    if beacons.count >= Self.mostNumbers { beacons.removeAll() }
    beacons[identity] = number
    return number ?? 0
  }

  private func number(of type: CrossingType) throws(HistoryError) -> Int64 {
    if let known = types[type] { return known }
    let values: [SQLiteValue] = [
      .text(type.client), .text(type.region), .text(type.kind.rawValue), .text(type.reason),
      .text(type.rule),
    ]
    try database.run(
      """
      INSERT OR IGNORE INTO crossing_type(client, region, kind, reason, rule)
      VALUES(?, ?, ?, ?, ?)
      """,
      values
    )
    let number = try database.integer(
      """
      SELECT id FROM crossing_type
      WHERE client = ? AND region = ? AND kind = ? AND reason = ? AND rule = ?
      """,
      values
    )
    if types.count >= Self.mostNumbers { types.removeAll() }
    types[type] = number
    return number ?? 0
  }

  private func receiver(_ name: String) throws(HistoryError) -> Int64 {
    if let known = receivers[name] { return known }
    try database.run("INSERT OR IGNORE INTO receiver(name) VALUES(?)", [.text(name)])
    let number = try database.integer("SELECT id FROM receiver WHERE name = ?", [.text(name)])
    receivers[name] = number
    return number ?? 0
  }

  /// Forgets the numbers that a transaction gave which was rolled back.
  func forgetNumbers() {
    beacons.removeAll()
    receivers.removeAll()
    types.removeAll()
  }
}
