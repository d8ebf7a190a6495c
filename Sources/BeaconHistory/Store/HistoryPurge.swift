// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import SystemKit

/// Removes the history before a time, for good.
package enum HistoryPurge {
  /// What was removed.
  package struct Result: Sendable, Equatable {
    /// The months of which the whole file was removed.
    package var months: [String] = []
    /// How many rows were removed from the month in which the time lies.
    package var rows = 0
    /// Files that were set aside because they were damaged, and that this did not touch.
    package var aside: [String] = []
  }

  /// Removes what was before a time: files of months that end before it, and rows of the month that contains it.
  ///
  /// Removed rows are overwritten in the file and its log. A stay that began before the time is removed even if it lasts.
  ///
  /// - Parameters:
  ///   - time: The first time that is kept.
  ///   - path: The folder.
  /// - Returns: What was removed.
  /// - Throws: ``HistoryError``, also where another process writes the history. A file that is no history, or one of a
  ///   later version, is refused before anything is removed.
  package static func removeAll(
    before time: Timestamp,
    in path: String
  ) throws(HistoryError) -> Result {
    let folder = HistoryFolder(path: path)
    var result = Result()
    let months = try folder.months().filter { $0.start < time }
    result.aside = folder.filesAside()
    if months.isEmpty, FileStatus(folder.lockFile) == nil { return result }
    guard let lock = FileLock(folder.lockFile) else {
      throw .inUse(path: path, holder: FileLock.holder(of: folder.lockFile))
    }
    defer { withExtendedLifetime(lock) {} }
    // Nothing is removed where something must stay.
    for month in months {
      let database = try HistoryReader.open(folder.file(month), mayBeEmpty: true)
      if month.end > time { try MonthFile.check(database) }
    }
    for month in months {
      if month.end <= time {
        try folder.remove(month)
        result.months.append(month.name)
      } else {
        result.rows += try removeRows(before: time, from: folder.file(month))
      }
    }
    return result
  }

  private static func removeRows(
    before time: Timestamp,
    from path: String
  ) throws(HistoryError) -> Int {
    let database = try Database(path, .writing)
    let version = try HistorySchema.current.prepare(database)
    try MonthFile.configure(database)
    let minute = (time.microseconds + 59_999_999) / 60_000_000
    var count = 0
    try database.execute("BEGIN IMMEDIATE")
    do {
      // The state that lasts across the time begins there.
      try database.run(
        """
        INSERT OR IGNORE INTO receiver_state SELECT ?, receiver, state FROM receiver_state AS s
          WHERE state <> 'ended'
          AND t = (SELECT max(t) FROM receiver_state WHERE receiver = s.receiver AND t < ?)
        """,
        [.integer(time.microseconds), .integer(time.microseconds)]
      )
      for (text, bound) in [
        ("DELETE FROM crossing WHERE t < ?", time.microseconds),
        ("DELETE FROM visit WHERE entered < ?", time.microseconds),
        ("DELETE FROM receiver_state WHERE t < ?", time.microseconds),
        ("DELETE FROM notice WHERE t < ?", time.microseconds),
        ("DELETE FROM minute WHERE minute < ?", minute),
      ] {
        count += try database.run(text, [.integer(bound)])
      }
      try forgetUnused(in: database, version)
      try database.execute("COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
    try database.execute("VACUUM")
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count
  }

  /// Removes the beacons, receivers and types of crossings that no row names any more.
  private static func forgetUnused(
    in database: Database,
    _ version: Int
  ) throws(HistoryError) {
    let ofCrossings =
      version > 1 ? " AND id NOT IN (SELECT beacon FROM crossing WHERE beacon IS NOT NULL)" : ""
    try database.execute(
      "DELETE FROM beacon WHERE id NOT IN (SELECT beacon FROM minute)" + ofCrossings
    )
    if version > 1 {
      try database.execute("DELETE FROM crossing_type WHERE id NOT IN (SELECT type FROM crossing)")
    }
    try database.execute(
      """
      DELETE FROM receiver WHERE id NOT IN (SELECT receiver FROM minute)
        AND id NOT IN (SELECT receiver FROM receiver_state)
      """
    )
  }
}
