// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Synchronization
internal import SystemKit

/// Writes rows on a separate thread, so that a slow or full disk never stops who gives them.
///
/// The queue is bounded: beyond the limit the oldest minutes are dropped first and crossings last, and counted. A write
/// that fails is tried again with the next rows, at most every ten seconds; the failure is reported once.
package final class HistoryWriter: Sendable {
  /// The most rows that wait: a day of 40 beacons, in some 15 MB.
  package static let usualLimit = 60_000

  private struct State {
    var rows: [HistoryRow] = []
    /// How many rows the thread holds at present.
    var held = 0
    var lost = 0
    var remarks: [HistoryRemark] = []
  }

  /// What only the writer's own thread uses.
  private final class Worker: @unchecked Sendable {
    var store: HistoryStore?
    /// Rows that the store has not written yet.
    var rest: [HistoryRow] = []
    var failure: String?
    var retry: ContinuousClock.Instant?

    init(_ store: HistoryStore) { self.store = store }
  }

  private let state = Mutex(State())
  private let writer = CoalescingWriter("beacons.history")
  private let worker: Worker
  private let limit: Int
  private let pause: Duration

  /// The stays that an earlier run left open.
  package let openVisits: [HistoryVisit]
  /// The time of the last row of an earlier run; `nil` for a new history.
  package let lastTime: Timestamp?

  /// Opens the history of a folder for writing; it blocks.
  ///
  /// - Parameters:
  ///   - path: The folder; it is made if it does not exist.
  ///   - limits: How much is kept.
  ///   - present: The present time, if rows can be of a later one: no month is older than it is then.
  ///   - start: When the run starts, by its own clock; far after the last row, this clock is doubted for a day.
  ///   - limit: How many rows may wait.
  ///   - pause: How long a failed write waits until it is tried again.
  /// - Throws: ``HistoryError``, also where another process writes there.
  package init(
    _ path: String,
    limits: HistoryLimits = HistoryLimits(),
    present: Timestamp? = nil,
    start: Timestamp? = nil,
    limit: Int = HistoryWriter.usualLimit,
    pause: Duration = .seconds(10)
  ) throws(HistoryError) {
    let store = try HistoryStore(path, limits: limits, present: present, start: start)
    openVisits = store.openVisits
    lastTime = store.lastTime
    worker = Worker(store)
    self.limit = limit
    self.pause = pause
    submit(store.endings)
  }

  /// Gives rows to the thread and returns immediately.
  package func submit(_ rows: [HistoryRow]) {
    guard !rows.isEmpty else { return }
    state.withLock { state in
      state.rows += rows
      state.lost += Self.shorten(&state.rows, to: max(0, limit - state.held))
    }
    writer.schedule { self.write(isLast: false) }
  }

  /// How many rows wait, with those that are being written.
  package var waiting: Int { state.withLock { $0.rows.count + $0.held } }

  /// What happened since the last call, for the user.
  package func takeRemarks() -> [HistoryRemark] {
    state.withLock { state in
      defer { state.remarks = [] }
      return state.remarks
    }
  }

  /// Waits until everything that was submitted is written or has failed, as a replay may, which can wait; after a signal no
  /// longer than a moment.
  package func flush() {
    _ = writer.finish(within: nil, afterSignal: .milliseconds(100)) { self.write(isLast: false) }
  }

  /// Writes the waiting rows and closes the files; after a signal it waits no longer than a part of a second.
  ///
  /// - Returns: Why rows could not be written; `nil` if all are.
  package func finish() -> String? {
    let isDone = writer.finish(within: nil, afterSignal: .milliseconds(600)) {
      self.write(isLast: true)
      self.worker.store = nil
    }
    guard isDone else { return "its files take longer than a part of a second" }
    return worker.rest.isEmpty ? nil : worker.failure
  }

  // MARK: The thread

  private func write(isLast: Bool) {
    state.withLock { state in
      worker.rest += state.rows
      state.rows = []
      state.lost += Self.shorten(&worker.rest, to: limit)
      state.held = worker.rest.count
    }
    guard let store = worker.store, !worker.rest.isEmpty else { return }
    if let retry = worker.retry, !isLast, ContinuousClock.now < retry { return }
    do throws(HistoryError) {
      try store.write(&worker.rest)
      succeeded()
    } catch {
      failed(error)
    }
    let remarks = store.takeRemarks()
    state.withLock { state in
      state.held = worker.rest.count
      state.remarks += remarks
    }
  }

  private func succeeded() {
    guard worker.failure != nil else { return }
    (worker.failure, worker.retry) = (nil, nil)
    state.withLock { state in
      state.remarks.append(.recovered(lost: state.lost))
      state.lost = 0
    }
  }

  private func failed(_ error: HistoryError) {
    let isFirst = worker.failure == nil
    worker.failure = "\(error)"
    worker.retry = ContinuousClock.now + pause
    if isFirst { state.withLock { $0.remarks.append(.failing("\(error)")) } }
    writer.schedule(after: pause + .seconds(1)) { self.write(isLast: false) }
  }

  /// Drops rows beyond a limit, the oldest first: minutes, then all but crossings and stays, then those.
  ///
  /// - Returns: How many were dropped.
  static func shorten(_ rows: inout [HistoryRow], to limit: Int) -> Int {
    let excess = rows.count - limit
    guard excess > 0 else { return 0 }
    var left = excess
    for rank in 0...2 where left > 0 {
      rows.removeAll { row in
        guard left > 0, row.rank <= rank else { return false }
        left -= 1
        return true
      }
    }
    return excess - left
  }
}

extension HistoryRow {
  /// How much is lost with the row: minutes are many and alike, crossings are the purpose of the history.
  fileprivate var rank: Int {
    switch self {
    case .minute: 0
    case .receiver, .place, .notice: 1
    case .crossing, .visit: 2
    }
  }
}
