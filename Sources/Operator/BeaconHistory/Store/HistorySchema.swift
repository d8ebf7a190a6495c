// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The tables of a history file.
enum HistorySchema {
  /// The number by which SQLite's own tools recognize the file: `Bcns`.
  static let applicationID: Int64 = 0x4263_6E73

  /// The size of a page of a new file in bytes.
  ///
  /// A crossing changes two pages, which its transaction writes whole. With pages of 4,096 bytes a day of 40 beacons writes
  /// twice as much, and the file itself is as large.
  static let pageSize = 1024

  /// The version of the tables.
  ///
  /// A file of a later version is left as it is.
  static let version = 1

  /// The statements that make an empty file a history.
  ///
  /// Times are whole microseconds since 1970 UTC; `minute.minute` counts minutes, because four bytes in place of eight are
  /// a seventh of the file. Every key begins with the time, so that rows are appended at the end: with a key by beacon, a
  /// minute of 40 beacons changes 40 pages.
  ///
  /// A crossing has only the numbers of its explanation (``ExplanationColumns``), since its JSON would be two fifths of a
  /// file; what many crossings share is one row of `crossing_type`.
  private static let tables = """
    CREATE TABLE beacon(
      id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, major INTEGER NOT NULL, minor INTEGER NOT NULL,
      UNIQUE(uuid, major, minor));
    CREATE TABLE receiver(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE visit(
      entered INTEGER NOT NULL, client TEXT NOT NULL, region TEXT NOT NULL, "left" INTEGER,
      quality TEXT NOT NULL, PRIMARY KEY(entered, client, region)) WITHOUT ROWID;
    CREATE TABLE minute(
      minute INTEGER NOT NULL, beacon INTEGER NOT NULL, receiver INTEGER NOT NULL,
      reports INTEGER NOT NULL, rssi_tenths INTEGER, rssi_min INTEGER, rssi_max INTEGER,
      distance_cm INTEGER, near_s INTEGER, PRIMARY KEY(minute, beacon, receiver)) WITHOUT ROWID;
    CREATE TABLE receiver_state(
      t INTEGER NOT NULL, receiver INTEGER NOT NULL, state TEXT NOT NULL,
      PRIMARY KEY(t, receiver)) WITHOUT ROWID;
    CREATE TABLE notice(
      id INTEGER PRIMARY KEY, t INTEGER NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL);
    CREATE TABLE crossing_type(
      id INTEGER PRIMARY KEY, client TEXT NOT NULL, region TEXT NOT NULL, kind TEXT NOT NULL,
      reason TEXT NOT NULL, rule TEXT NOT NULL, UNIQUE(client, region, kind, reason, rule));
    CREATE TABLE crossing(
      seq INTEGER PRIMARY KEY, t INTEGER NOT NULL, type INTEGER NOT NULL, beacon INTEGER,
      reports INTEGER, rssi INTEGER, power INTEGER, distance_cm INTEGER, interval_us INTEGER,
      gap_us INTEGER, threshold, place TEXT, percent INTEGER, why TEXT);
    CREATE TABLE place(
      entered INTEGER NOT NULL, beacon INTEGER NOT NULL, "left" INTEGER, state TEXT NOT NULL,
      place TEXT, percent INTEGER NOT NULL, PRIMARY KEY(entered, beacon)) WITHOUT ROWID;
    """

  /// Prepares a database for writing: an empty one gets the tables, a history is checked.
  ///
  /// - Throws: ``HistoryError`` for a file that is not a history or of a later version; it was not changed.
  static func prepare(_ database: Database) throws(HistoryError) {
    // Before anything is written: a damaged file is set aside as it is.
    try check(database, mayBeEmpty: true)
    let isEmpty = try isEmpty(database)
    if !isEmpty { try MonthFile.check(database) }
    // The size of a page can be set only before the first table.
    try database.execute("PRAGMA page_size=\(pageSize)")
    try database.execute("PRAGMA journal_mode=WAL")
    guard isEmpty else { return }
    try database.execute("BEGIN IMMEDIATE")
    do {
      try database.execute(tables)
      try database.execute("PRAGMA application_id=\(applicationID)")
      try database.execute("PRAGMA user_version=\(version)")
      try database.execute("COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
  }

  /// Whether a database that was checked has no table, as a run that was killed while it began the file left it.
  static func isEmpty(_ database: Database) throws(HistoryError) -> Bool {
    try storedVersion(of: database) == 0
  }

  private static func storedVersion(of database: Database) throws(HistoryError) -> Int {
    Int(clamping: try database.integer("PRAGMA user_version") ?? 0)
  }

  /// Checks that a database is a history that this version can read.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - mayBeEmpty: Whether it may be one without any table as well.
  /// - Throws: ``HistoryError`` if it is not.
  static func check(_ database: Database, mayBeEmpty: Bool = false) throws(HistoryError) {
    try checkIdentity(of: database, mayBeEmpty: mayBeEmpty)
    let found = try storedVersion(of: database)
    guard found <= version else { throw .newer(path: database.path, version: found) }
    let parts = try parts(of: database)
    guard found > 0 else {
      guard mayBeEmpty, parts.isEmpty else {
        throw .damaged(path: database.path, "it has no version")
      }
      return
    }
    let model = try model.get()
    for (name, statement) in model.sorted(by: { $0.key < $1.key }) where parts[name] != statement {
      throw .damaged(path: database.path, "its table \(name) is not that of version \(found)")
    }
    // An index or a rule on values runs an expression for each row; a view, a trigger or a virtual table of a file from outside
    // could run for ever, or change written rows.
    guard parts.count == model.count else {
      throw .damaged(path: database.path, "it has what no history has, such as a view")
    }
  }

  /// The parts of a new file.
  private static let model = Result {
    () throws(HistoryError) -> [String: String] in
    let model = try Database("a history", .memory)
    try model.execute(tables)
    return try parts(of: model)
  }

  /// The statements that made a file's parts, by their names; without the tables of `ANALYZE`.
  private static func parts(of database: Database) throws(HistoryError) -> [String: String] {
    var found: [String: String] = [:]
    try database.read(
      """
      SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL
      AND sql NOT IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',
        'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
      """
    ) { row in
      found[row.text(0)] = row.text(1)
      return true
    }
    return found
  }

  private static func checkIdentity(
    of database: Database,
    mayBeEmpty: Bool
  ) throws(HistoryError) {
    let identity = try database.integer("PRAGMA application_id") ?? 0
    if identity == applicationID { return }
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    guard mayBeEmpty, identity == 0, tables == 0 else {
      throw .damaged(path: database.path, "it is not a history of beaconctl")
    }
  }
}
