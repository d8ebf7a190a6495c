// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import Synchronization
internal import SystemKit

/// The engine's deliveries to clients, on its way to their journals and streams.
///
/// The engine's side delivers, and the bus's thread opens and changes streams: neither waits for the other's work.
final class ClientStreams: Sendable {
  private struct State {
    var table = StreamTable()
    var journals: [String: CrossingJournal] = [:]
    /// The clients with lines in their journals that a power cut could take.
    var unsynchronized: Set<String> = []
    /// The clients with crossings that their states on the disk do not have.
    var crossed: Set<String> = []
  }

  private let pump: StreamPump
  private let store: ClientStore
  private let boot: String
  private let show: @Sendable (ServiceNote) -> Void
  private let state = Mutex(State())

  init(
    _ pump: StreamPump,
    _ store: ClientStore,
    boot: String,
    showing show: @escaping @Sendable (ServiceNote) -> Void
  ) {
    (self.pump, self.store, self.boot, self.show) = (pump, store, boot, show)
  }

  private func journal(
    of client: String,
    _ state: inout State
  ) throws(SystemError) -> CrossingJournal {
    if let journal = state.journals[client] { return journal }
    let path = CrossingJournal.path(of: client, in: store)
    let journal = try CrossingJournal(path: path, boot: boot, in: store)
    state.journals[client] = journal
    return journal
  }

  // MARK: The engine's side

  /// What a client's journal contains from earlier runs: the number of the last crossing, and what became of each region.
  ///
  /// - Throws: `SystemError` if the journal cannot be opened now.
  func earlier(
    of client: String
  ) throws(SystemError) -> (
    last: UInt64, regions: [RegionIdentifier: CrossingJournal.LastOfRegion]
  ) {
    try state.withLock { state throws(SystemError) in
      let journal = try journal(of: client, &state)
      return (journal.last, journal.regions)
    }
  }

  func name(receivers: [String]) { state.withLock { $0.table.name(receivers: receivers) } }

  /// Writes a delivery to its client's streams, a crossing first to the client's journal.
  ///
  /// - Returns: The number of a crossing; `nil` for anything else.
  func deliver(_ delivery: Delivery, to client: String) -> UInt64? {
    state.withLock { state in
      // It was opened before the client was connected.
      let journal = delivery.isCrossing ? try? journal(of: client, &state) : nil
      let sequence = journal?.next
      var isKept = false
      state.table.deliver(delivery, to: client, sequence: sequence) { line in
        isKept = keeping("crossings", of: client) { () throws(SystemError) in
          try journal?.append(line)
        }
      } writing: { line, stream in
        pump.put(line.bytes, line.kind, to: stream)
      }
      if sequence != nil { state.crossed.insert(client) }
      if isKept { state.unsynchronized.insert(client) }
      return sequence
    }
  }

  /// Drops the waiting lines that may no longer reach a client (law L3).
  ///
  /// To a client that is only not in use the states of its regions do not become unknown, so lines about them stay.
  func judge(_ reading: ClientReading, of client: String) {
    let mayKnow =
      reading.effective.isAuthorized && reading.accuracy == .full && !reading.lacksSession
    if mayKnow, reading.isInUse || reading.effective == .always { return }
    state.withLock { state in
      for number in state.table.numbers(of: client) {
        pump.withdraw(regions: !mayKnow, from: number)
      }
    }
  }

  /// Returns the clients with crossings since the last call: a killed service must know where they were.
  func drainCrossed() -> Set<String> {
    state.withLock { state in
      defer { state.crossed = [] }
      return state.crossed
    }
  }

  // MARK: The bus's thread

  /// Writes a request about a region to the client's journal, before the engine gets it: a service that is killed right
  /// after the region's first crossing finds the region again.
  func keep(_ request: ClientRequest, of client: String, at time: Timestamp) {
    state.withLock { state in
      let isKept = keeping("regions", of: client) { () throws(SystemError) in
        try journal(of: client, &state).append(request, of: client, at: time)
      }
      if isKept { state.unsynchronized.insert(client) }
    }
  }

  /// Notes which streams are open now; returns what is different, for the recording.
  func update(
    _ open: [UInt32: (client: String, stream: RequestLine.Stream)]
  ) -> [StreamTable.Change] {
    state.withLock { $0.table.update(open) }
  }

  /// Opens a stream that begins with the crossings after a number.
  ///
  /// - Returns: What a recording needs to repeat it: the stream, and the crossings from before this run of the service.
  /// - Throws: `SystemError` if the client's journal cannot be opened now.
  func open(
    _ stream: RequestLine.Stream,
    of client: String,
    since: UInt64
  ) throws(SystemError) -> [StreamTable.Change] {
    try state.withLock { state throws(SystemError) in
      let journal = try journal(of: client, &state)
      for line in journal.lines(after: since) { pump.put(line, .region, to: stream.number) }
      let repeated = journal.earlierLines(after: since).map { line in
        (client, .repeated(String(decoding: line.dropLast(), as: UTF8.self), stream: stream.number))
          as StreamTable.Change
      }
      return [state.table.open(stream, of: client, since: since)] + repeated
    }
  }

  /// A second after a crossing, a power cut does not take it any more.
  ///
  /// The disk is waited for without the lock, which the engine's side needs.
  func synchronize() {
    let clients = state.withLock { state in
      defer { state.unsynchronized = [] }
      return state.unsynchronized
    }
    for client in clients.sorted() {
      let path = CrossingJournal.path(of: client, in: store)
      let isKept = keeping("crossings", of: client) { () throws(SystemError) in
        try FileDescriptor(reading: path).synchronize()
      }
      if !isKept, !FileStatus.isMissing(path) {
        state.withLock { _ = $0.unsynchronized.insert(client) }
      }
    }
  }

  /// Writes to a disk; returns whether that succeeded, and shows the operator why not.
  private func keeping(
    _ what: String,
    of client: String,
    _ work: () throws(SystemError) -> Void
  ) -> Bool {
    do throws(SystemError) {
      try work()
      return true
    } catch {
      let text = "the \(what) of \(client) cannot be kept: \(error)"
      show(ServiceNote(.storage, text, client: client))
      return false
    }
  }
}
