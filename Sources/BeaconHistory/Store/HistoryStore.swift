// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// Writes rows into the files of a folder, one file a month; only one thread at a time uses it.
///
/// Its calls block. ``HistoryWriter`` calls it on a thread of its own.
final class HistoryStore {
  private let folder: HistoryFolder
  private let limits: HistoryLimits
  private let lock: FileLock
  private var current: (month: HistoryFolder.Month, file: MonthFile)?
  private var nextSequence = 1
  /// The months that cannot be written, because a later version wrote them.
  private var refused: Set<HistoryFolder.Month> = []
  private var remarks: [HistoryRemark] = []

  /// Opens the history of a folder, which is made if it does not exist.
  ///
  /// - Throws: ``HistoryError``, also where another process writes there.
  init(
    _ path: String,
    limits: HistoryLimits = HistoryLimits()
  ) throws(HistoryError) {
    _ = try SQLiteLibrary.load()
    folder = HistoryFolder(path: path)
    self.limits = limits
    try folder.make()
    guard let lock = FileLock(folder.lockFile) else {
      throw .inUse(path: path, holder: FileLock.holder(of: folder.lockFile))
    }
    self.lock = lock
    try resume()
  }

  /// What happened to the files since the last call.
  func takeRemarks() -> [HistoryRemark] {
    defer { remarks = [] }
    return remarks
  }

  // MARK: What an earlier run left

  private func resume() throws(HistoryError) {
    let months = try folder.months()
    guard let last = months.last, let file = try open(last) else { return }
    try endReceivers(file)
    // A month may be without a crossing.
    for month in months.reversed() {
      let found = try open(month)?.database.integer("SELECT ifnull(max(seq), 0) FROM crossing") ?? 0
      guard found <= 0 else {
        nextSequence = Int(clamping: found) + 1
        break
      }
    }
    _ = try open(last)
  }

  /// The time of the last row; `nil` for an empty history.
  func lastTime() throws(HistoryError) -> Timestamp? {
    guard let last = try folder.months().last, let file = try open(last) else { return nil }
    return try file.lastTime()
  }

  /// The stays that are open.
  func openVisits() throws(HistoryError) -> [HistoryVisit] {
    guard let last = try folder.months().last else { return [] }
    var found: [HistoryVisit] = []
    // A stay of more than two months is a beacon that lies in its region.
    for month in try folder.months().suffix(2) {
      guard let file = try open(month) else { continue }
      try HistoryReader.visits(in: file.database, openAlone: true) { found.append($0) }
    }
    _ = try open(last)
    return found
  }

  /// Says of each receiver that the run before stopped without its end, that nobody listens since its last row.
  private func endReceivers(_ file: MonthFile) throws(HistoryError) {
    guard let time = try file.lastTime() else { return }
    var open: [Int64] = []
    try file.database.read(
      """
      SELECT receiver, state FROM receiver_state AS s
      WHERE t = (SELECT max(t) FROM receiver_state WHERE receiver = s.receiver)
      """
    ) { row in
      if row.text(1) != HistoryReceiverState.State.ended.rawValue { open.append(row.integer(0)) }
      return true
    }
    for receiver in open {
      try file.database.run(
        "INSERT OR IGNORE INTO receiver_state VALUES(?, ?, ?)",
        [
          .integer(time.microseconds + 1), .integer(receiver),
          .text(HistoryReceiverState.State.ended.rawValue),
        ]
      )
    }
  }

  // MARK: Writing

  /// Writes rows in one transaction a month; after a failure none of the month's rows is written.
  ///
  /// - Parameter rows: The rows, in order; what was written is removed from it.
  /// - Throws: ``HistoryError``; what was not written stays in `rows`.
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
    guard let file = try open(month) else { return }
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
  }

  /// Opens a month's file; `nil` for one of a later version, which is left as it is.
  private func open(_ month: HistoryFolder.Month) throws(HistoryError) -> MonthFile? {
    if let current, current.month == month { return current.file }
    if refused.contains(month) { return nil }
    current = nil
    let isNew = FileStatus(folder.file(month)) == nil
    do throws(HistoryError) {
      return try opened(month, isNew: isNew)
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
      return try opened(month, isNew: true)
    }
  }

  private func opened(
    _ month: HistoryFolder.Month,
    isNew: Bool
  ) throws(HistoryError) -> MonthFile {
    let database = try Database(folder.file(month), .writing)
    let version = try HistorySchema.current.prepare(database)
    try MonthFile.configure(database)
    let file = MonthFile(database, version: version)
    current = (month, file)
    if isNew { try removeOldest(before: month) }
    return file
  }

  // MARK: Retention

  /// Removes whole months that are too old or too much, never the one that is written, nor a file of a later version.
  private func removeOldest(before month: HistoryFolder.Month) throws(HistoryError) {
    var months = try folder.months().filter { $0 < month }
    var size = months.reduce(0) { $0 + folder.size($1) }
    while let first = months.first {
      let isOld = month.start - first.end > limits.age
      guard isOld || size > limits.bytes else { return }
      size -= folder.size(first)
      months.removeFirst()
      do throws(HistoryError) {
        _ = try HistoryReader.open(folder.file(first), mayBeEmpty: true)
      } catch {
        remarks.append(.kept(month: first.name, reason: "\(error)"))
        continue
      }
      try folder.remove(first)
      remarks.append(.removed(month: first.name))
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
  /// Nothing can be written at present.
  case failing(String)
  /// Rows are written again; so many were lost meanwhile.
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
    case .failing(let reason): "the history is not written at present: \(reason)"
    case .recovered(0): "the history is written again; nothing was lost"
    case .recovered(let lost): "the history is written again; \(lost) rows were lost"
    }
  }
}

extension HistoryRow {
  /// The time that says into which month's file the row goes.
  var fileTime: Timestamp {
    switch self {
    case .crossing(let row): row.time
    case .visit(let row): row.entered
    case .minute(let row): row.minute
    case .receiver(let row): row.time
    case .notice(let row): row.time
    }
  }

  /// Whether the row must be on the disk at once.
  var isDurable: Bool {
    switch self {
    case .crossing, .visit: true
    case .minute, .receiver, .notice: false
    }
  }
}
