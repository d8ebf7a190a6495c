// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import SystemKit

/// Removes the history before a time, for good.
package enum HistoryPurge {
  /// The removed rows and files.
  package struct Result: Sendable, Equatable {
    /// The months of which the whole file was removed.
    package var months: [String] = []
    /// How many rows were removed from the month in which the time lies.
    package var rows = 0
    /// Files that were set aside because they were damaged, and that this did not touch.
    package var aside: [String] = []
  }

  /// Removes the past before a time: files of months that end before it, and rows of the month that contains it.
  ///
  /// Removed rows are overwritten in the file and its log. A stay that began before the time is removed even if it lasts.
  /// The state of a receiver and the place of a beacon that last across the time begin there, and crossings are counted on.
  ///
  /// - Parameters:
  ///   - time: The first time that is kept.
  ///   - path: The folder.
  /// - Returns: The removed rows and files.
  /// - Throws: ``HistoryError``, also where another process writes the history. A file that is not a history, or one of a
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
    let lock = try folder.lock()
    defer { withExtendedLifetime(lock) {} }
    // Nothing is removed where something must stay.
    for month in months {
      let database = try HistoryReader.open(folder.file(month), mayBeEmpty: true)
      if month.end > time { try MonthFile.check(database) }
    }
    let lasting = try LastingRows(in: folder, at: time)
    if !months.isEmpty { try folder.keep(sequence: lasting.nextSequence) }
    let rows = lasting.beginnings(at: time)
    if !months.isEmpty, !rows.isEmpty {
      try MonthFile(writing: folder.file(HistoryFolder.Month(of: time))).begin(with: rows)
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
    let database = try MonthFile(writing: path).database
    let minute = (time.microseconds + 59_999_999) / 60_000_000
    var count = 0
    try database.execute("BEGIN IMMEDIATE")
    do {
      for (text, bound) in [
        ("DELETE FROM crossing WHERE t < ?", time.microseconds),
        ("DELETE FROM visit WHERE entered < ?", time.microseconds),
        ("DELETE FROM receiver_state WHERE t < ?", time.microseconds),
        ("DELETE FROM notice WHERE t < ?", time.microseconds),
        ("DELETE FROM minute WHERE minute < ?", minute),
        ("DELETE FROM place WHERE entered < ?", time.microseconds),
      ] {
        count += try database.run(text, [.integer(bound)])
      }
      try forgetUnused(in: database)
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
  private static func forgetUnused(in database: Database) throws(HistoryError) {
    try database.execute(
      """
      DELETE FROM beacon WHERE id NOT IN (SELECT beacon FROM minute)
        AND id NOT IN (SELECT beacon FROM crossing WHERE beacon IS NOT NULL)
        AND id NOT IN (SELECT beacon FROM place);
      DELETE FROM crossing_type WHERE id NOT IN (SELECT type FROM crossing);
      DELETE FROM receiver WHERE id NOT IN (SELECT receiver FROM minute)
        AND id NOT IN (SELECT receiver FROM receiver_state)
      """
    )
  }
}
