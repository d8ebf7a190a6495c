// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Synchronization

/// Writes a recording on a separate queue, so that a run never waits for a disk or for the reader of a pipe.
///
/// When the queue is full, inputs are left out and counted. The recording then contains that its receivers were deaf for that
/// time, so that a replay concludes nothing from it. A replay that is recorded waits instead: nothing of it is lost.
final class RecordingQueue: @unchecked Sendable {
  /// What is written.
  enum Entry: Sendable {
    case batch(ScanBatch)
    case action(RecordedUserAction)
    case request(RequestLine)
    case state(ClientStateLine, Timestamp)
    /// The receivers' names and the clients' grants from here on; nothing is written.
    case receivers([String])
    case clients([ClientStateLine])
    /// From a time on nothing is recorded, until a time with the receivers' states of then.
    case lost(Timestamp)
    case found(Timestamp, [UInt8: RadioState])

    fileprivate var cost: Int {
      if case .batch(let batch) = self { batch.inputs.count } else { 1 }
    }
  }

  private struct Lost {
    let since: Timestamp
    var reports = 0
    /// The last state of each receiver that had one since.
    var states: [UInt8: RadioState] = [:]
  }

  private struct State {
    var entries: [Entry] = []
    /// How many inputs wait, with those that are just being written.
    var waiting = 0
    var lost: Lost?
    var receivers: [String]?
    var failure: (any Error)?
    var notices: [RecordingNotice] = []
  }

  // Only `queue` uses the file, which makes the class Sendable.
  private var file: RecordingFile
  private let path: String
  private let waits: Bool
  private let limit: Int
  private let queue = CoalescingWriter("beacons.recording")
  private let state = Mutex(State())

  /// A minute of a thousand reports a second, as much as may wait for a run; a memory card is rarely busy for longer than some
  /// seconds.
  static let limit = 65_536
  /// How long the start of a live run waits for the file, and how long an end waits for the disk after a signal.
  private static let patience = (start: Duration.seconds(1), end: Duration.milliseconds(600))

  init(_ file: RecordingFile, limit: Int = RecordingQueue.limit) {
    self.file = file
    self.limit = limit
    path = file.path
    waits = file.waits
  }

  /// Begins the recording; the file of a live run may be opened later than this returns.
  func begin(
    at time: Timestamp,
    zone: TimeSpan?,
    _ clients: [ClientStateLine]
  ) throws {
    let isDone = queue.finish(within: waits ? nil : Self.patience.start, afterSignal: .zero) {
      self.perform { file in
        file.clients = clients
        file.zone = zone
        try file.begin(at: time)
      }
    }
    if !isDone, Interruption.cause != nil { throw SystemError.interrupted(path) }
    try check()
  }

  /// Throws what stopped the recording.
  func check() throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Adds an entry.
  func put(_ entry: Entry) throws {
    while waits, state.withLock({ $0.waiting >= limit && $0.failure == nil }) {
      guard queue.finish(within: nil, afterSignal: Self.patience.end, {}) else {
        throw SystemError.interrupted(path)
      }
    }
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      add(entry, to: &state)
    }
    queue.schedule { self.write() }
  }

  private func add(_ entry: Entry, to state: inout State) {
    switch entry {
    case .batch(let batch):
      guard let time = batch.inputs.first?.time else { return }
      if state.lost != nil, state.waiting <= limit / 2 { find(at: time, in: &state) }
      if state.lost == nil, state.waiting + entry.cost > limit, state.waiting > 0, !waits,
        batch.inputs.contains(where: \.isReceived)
      {
        state.lost = Lost(since: time)
        state.entries.append(.lost(time))
        state.notices.append(.behind(path: path))
      }
      if state.lost != nil { return lose(batch, in: &state) }
    case .receivers(let names):
      guard state.receivers != names else { return }
      state.receivers = names
    default:
      // Clients cannot make this many before the disk is known to be lost.
      guard state.waiting < 2 * limit else {
        return state.failure = SystemError.stalled(path)
      }
    }
    state.waiting += entry.cost
    state.entries.append(entry)
  }

  private func lose(_ batch: ScanBatch, in state: inout State) {
    for input in batch.inputs {
      if input.isReceived { state.lost?.reports += 1 }
      if case .radio(let receiver, let now, _) = input { state.lost?.states[receiver] = now }
    }
  }

  private func find(at time: Timestamp, in state: inout State) {
    guard let lost = state.lost else { return }
    state.lost = nil
    state.entries.append(.found(time, lost.states))
    state.notices.append(.resumed(path: path, lost: lost.reports, since: lost.since, until: time))
  }

  /// Ends the recording.
  ///
  /// - Throws: What stopped it, or that the disk did not take all of it soon after a signal.
  func end(at time: Timestamp) throws {
    state.withLock { find(at: time, in: &$0) }
    let isDone = queue.finish(within: nil, afterSignal: Self.patience.end) {
      self.write()
      self.perform { try $0.end(at: time) }
    }
    try check()
    if !isDone { throw SystemError.stalled(path) }
  }

  /// Ends the recording without the entries that wait.
  func abandon() {
    state.withLock { $0.entries = [] }
    _ = queue.finish(within: nil, afterSignal: Self.patience.end) {
      self.perform { $0.abandon() }
    }
  }

  /// Returns what happened to the file since the last call.
  func drainNotices() -> [RecordingNotice] {
    state.withLock { state in
      defer { state.notices = [] }
      return state.notices
    }
  }

  // MARK: On the queue

  private func write() {
    let entries = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    for entry in entries {
      perform { try $0.write(entry) }
      state.withLock { $0.waiting -= min($0.waiting, entry.cost) }
    }
  }

  private func perform(_ work: (inout RecordingFile) throws -> Void) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do {
      try work(&file)
    } catch {
      file.abandon()
      state.withLock { $0.failure = error }
    }
    let notices = file.drainNotices()
    if !notices.isEmpty { state.withLock { $0.notices += notices } }
  }
}

extension ScanInput {
  /// Whether a beacon was received, so that a recording without it lacks something.
  fileprivate var isReceived: Bool {
    switch self {
    case .report, .level, .place: true
    case .radio, .mark, .notice: false
    }
  }
}

extension RecordingFile {
  fileprivate mutating func write(_ entry: RecordingQueue.Entry) throws {
    switch entry {
    case .batch(let batch): try write(batch)
    case .action(let action): try write(action)
    case .request(let line): try write(line)
    case .state(let state, let time): try write(state, at: time)
    case .receivers(let names): name(receivers: names)
    case .clients(let states): clients = states
    case .lost(let time): try lose(at: time)
    case .found(let time, let states): try find(at: time, states)
    }
  }
}
