// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// Writes rows into the files of a folder, one file a month; only one thread at a time uses it.
///
/// Its calls block. ``HistoryWriter`` calls it on a separate thread.
final class HistoryStore {
  private let folder: HistoryFolder
  private let limits: HistoryLimits
  private let present: Timestamp?
  /// Until when the run's clock is doubted, because it is this far ahead of the history; `nil` for a clock that is not.
  private let doubt: (end: Timestamp, ahead: TimeSpan)?
  /// Whether a month is due that stays while the clock is doubted.
  private var isRemovalDue = false
  private let lock: FileLock
  private var current: (month: HistoryFolder.Month, file: MonthFile)?
  private var nextSequence: Int
  /// The stays that an earlier run left open.
  let openVisits: [HistoryVisit]
  /// The time of the last row, also of ``endings``; `nil` for an empty history.
  let lastTime: Timestamp?
  /// What an earlier run that was killed did not write; to be written before other rows.
  let endings: [HistoryRow]
  /// The months that cannot be written, because a later version wrote them.
  private var refused: Set<HistoryFolder.Month> = []
  private var remarks: [HistoryRemark] = []

  /// Opens the history of a folder, which is made if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - limits: How much is kept.
  ///   - present: The present time, if rows can be of a later one.
  ///   - start: When the run starts, by its own clock; far after the last row, this clock is doubted for a day.
  /// - Throws: ``HistoryError``, also where another process writes there.
  init(
    _ path: String,
    limits: HistoryLimits = HistoryLimits(),
    present: Timestamp? = nil,
    start: Timestamp? = nil
  ) throws(HistoryError) {
    _ = try SQLiteLibrary.load()
    folder = HistoryFolder(path: path)
    self.limits = limits
    self.present = present
    try folder.make()
    lock = try folder.lock()
    let lasting = try LastingRows(in: folder)
    nextSequence = lasting.nextSequence
    openVisits = lasting.visits
    endings = lasting.endings
    if let start, let last = lasting.sureTime, start - last > LastingRows.jump {
      doubt = (start + LastingRows.doubt, start - last)
    } else {
      doubt = nil
    }
    lastTime = endings.reduce(lasting.lastTime) { max($0 ?? $1.fileTime, $1.fileTime) }
  }

  /// What happened to the files since the last call.
  func takeRemarks() -> [HistoryRemark] {
    defer { remarks = [] }
    return remarks
  }

  // MARK: Writing

  /// Writes rows in one transaction a month; after a failure none of the month's rows is written.
  ///
  /// - Parameter rows: The rows, in order; written rows are removed from it.
  /// - Throws: ``HistoryError``; unwritten rows stay in `rows`.
  func write(_ rows: inout [HistoryRow]) throws(HistoryError) {
    while let first = rows.first {
      let month = HistoryFolder.Month(of: first.fileTime)
      let count = rows.prefix { HistoryFolder.Month(of: $0.fileTime) == month }.count
      let sequence = nextSequence
      do throws(HistoryError) {
        try write(rows[..<count], to: month)
      } catch .damaged(_, let reason) {
        // The transaction wrote nothing; a new file takes the rows.
        nextSequence = sequence
        current = nil
        let aside = try folder.setAside(month)
        remarks.append(.setAside(path: aside, reason: reason))
        try write(rows[..<count], to: month)
      } catch {
        nextSequence = sequence
        throw error
      }
      rows.removeFirst(count)
    }
  }

  private func write(
    _ rows: ArraySlice<HistoryRow>,
    to month: HistoryFolder.Month
  ) throws(HistoryError) {
    guard let file = try open(month, at: rows.last?.fileTime ?? month.start) else { return }
    let isDurable = rows.contains(where: \.isDurable)
    try file.database.execute("PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")")
    try file.database.execute("BEGIN IMMEDIATE")
    do {
      for row in rows {
        try file.write(row, sequence: &nextSequence)
      }
      try file.database.execute("COMMIT")
    } catch {
      try? file.database.execute("ROLLBACK")
      file.forgetNumbers()
      throw error
    }
    if isRemovalDue, let last = rows.last?.fileTime, !isDoubted(at: last) {
      isRemovalDue = false
      try removeOldest(before: month, at: last)
    }
  }

  /// Opens a month's file; `nil` for one of a later version, which is left as it is.
  private func open(
    _ month: HistoryFolder.Month,
    at time: Timestamp
  ) throws(HistoryError) -> MonthFile? {
    if let current, current.month == month { return current.file }
    if refused.contains(month) { return nil }
    current = nil
    let isNew = FileStatus(folder.file(month)) == nil
    do throws(HistoryError) {
      return try opened(month, isNew: isNew, at: time)
    } catch .newer(let path, let version) {
      refused.insert(month)
      remarks.append(.newer(path: path, version: version))
      return nil
    } catch .unknownFormat(let path) {
      refused.insert(month)
      remarks.append(.unknownFormat(path: path))
      return nil
    } catch .damaged(_, let reason) {
      let aside = try folder.setAside(month)
      remarks.append(.setAside(path: aside, reason: reason))
      return try opened(month, isNew: true, at: time)
    }
  }

  private func opened(
    _ month: HistoryFolder.Month,
    isNew: Bool,
    at time: Timestamp
  ) throws(HistoryError) -> MonthFile {
    let file = try MonthFile(writing: folder.file(month))
    current = (month, file)
    if isNew { try removeOldest(before: month, at: time) }
    return file
  }

  // MARK: Retention

  /// Removes whole months that are too old or too much, never the one that is written, nor a file of a later version.
  private func removeOldest(
    before month: HistoryFolder.Month,
    at time: Timestamp
  ) throws(HistoryError) {
    let months = try folder.months().filter { $0 < month }
    var size = months.reduce(0) { $0 + folder.size($1) }
    // A capture with times of the future makes nothing old.
    let now = present.map { min($0, month.start) } ?? month.start
    var removed: [HistoryFolder.Month] = []
    for first in months {
      let isOld = now - first.end > limits.age && !waits(at: time)
      guard isOld || size > limits.bytes else { break }
      size -= folder.size(first)
      do throws(HistoryError) {
        _ = try HistoryReader.open(folder.file(first), mayBeEmpty: true)
        removed.append(first)
      } catch {
        remarks.append(.kept(month: first.name, reason: "\(error)"))
      }
    }
    guard let last = removed.last else { return }
    try keepWhatLasts(at: months.first { $0 > last }?.start ?? month.start)
    for month in removed {
      try folder.remove(month)
      remarks.append(.removed(month: month.name))
    }
  }

  private func isDoubted(at time: Timestamp) -> Bool { doubt.map { time < $0.end } ?? false }

  /// Whether a month that is too old waits, since the clock is doubted; the user is warned once.
  private func waits(at time: Timestamp) -> Bool {
    guard let doubt, time < doubt.end else { return false }
    if !isRemovalDue { remarks.append(.ahead(days: doubt.ahead.microseconds / 86_400_000_000)) }
    isRemovalDue = true
    return true
  }

  /// Writes the open states at the start of the kept time, before older rows are removed.
  private func keepWhatLasts(at time: Timestamp) throws(HistoryError) {
    try folder.keep(sequence: nextSequence)
    // The month that was just begun has no row yet, but a run continues.
    let rows = try LastingRows(in: folder, at: time).beginnings(at: time, isListening: true)
    guard !rows.isEmpty else { return }
    let month = HistoryFolder.Month(of: time)
    if let current, current.month == month {
      try current.file.begin(with: rows)
    } else {
      try MonthFile(writing: folder.file(month)).begin(with: rows)
    }
  }
}

/// What happened to the files of a history.
package enum HistoryRemark: Sendable, Equatable, CustomStringConvertible {
  /// A damaged file was set aside under a new name.
  case setAside(path: String, reason: String)
  /// A file is of a later version, so its month is not written.
  case newer(path: String, version: Int)
  /// A file has a format of SQLite that this program does not know, so its month is not written.
  case unknownFormat(path: String)
  /// A month is too old or too much, but its file is not one that this version removes.
  case kept(month: String, reason: String)
  /// A month was removed because it is too old or too much.
  case removed(month: String)
  /// The clock is so far ahead of the history that it may be wrong.
  case ahead(days: Int64)
  /// Nothing can be written at present.
  case failing(String)
  /// Rows are written again; so many were lost.
  case recovered(lost: Int)

  package var description: String {
    switch self {
    case .setAside(let path, let reason): "the history was damaged (\(reason)) and is now \(path)"
    case .newer(let path, let version):
      "\(path) is of a later version of beaconctl (history version \(version)); it is left as it is,"
        + " and nothing is added to its month"
    case .unknownFormat(let path):
      "\(path) has a later format of SQLite; it is left as it is, and nothing is added to its month"
    case .kept(let month, let reason):
      "the history of \(month) is due to be removed (history.age, history.size), but \(reason)"
    case .removed(let month): "the history of \(month) was removed (history.age, history.size)"
    case .ahead(let days):
      "the clock is \(days) days ahead of the history, so no month is removed for its age before this run has listened for a"
        + " day"
    case .failing(let reason): "the history is not written at present: \(reason)"
    case .recovered(0): "the history is written again; nothing was lost"
    case .recovered(let lost): "the history is written again; \(lost) rows were lost"
    }
  }
}

extension HistoryRow {
  /// The time that decides the month's file of the row.
  var fileTime: Timestamp {
    switch self {
    case .crossing(let row): row.time
    case .visit(let row): row.entered
    case .minute(let row): row.minute
    case .receiver(let row): row.time
    case .place(let row): row.entered
    case .notice(let row): row.time
    }
  }

  /// Whether the row must be on the disk immediately.
  var isDurable: Bool {
    switch self {
    case .crossing, .visit: true
    case .minute, .receiver, .place, .notice: false
    }
  }
}
