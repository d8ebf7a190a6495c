// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// The listeners of each client, and the requests deferred by those that could not wait.
///
/// A session shares it with sequences and handles, which are created and released outside of the session's isolation.
final class ListenerList: Sendable {
  /// How many messages are kept for a listener on a live source: several minutes of ticks.
  ///
  /// Ranging delivers one message a second. A listener that is further behind has stopped, and needs the newest ticks
  /// when it continues, but every crossing.
  static let liveLimit = 256
  /// How many messages other than ticks are kept.
  static let crossingLimit = 1024
  /// How many notices are kept for a client that does not yet listen to diagnostics.
  static let noticeLimit = 64

  /// A request that the session performs when it next checks.
  enum DeferredRequest: Sendable {
    case stopRanging(IdentityConstraint, of: ClientID)
    case endService(id: UInt64, of: ClientID)
  }

  private struct Line {
    let number: UInt64
    let listener: any Listener
    let isForPrompts: Bool
  }

  private struct State {
    /// The listeners of each client, in the order in which they connected.
    var lines: [ClientID: [Line]] = [:]
    var nextNumber: UInt64 = 0
    var deferredRequests: [DeferredRequest] = []
    var notices: [ClientID: [ClientDiagnostic]] = [:]
    var listensToNotices: Set<ClientID> = []
    var dropped: [ClientID: Int] = [:]
    var isClosed = false
    /// The clients' names in messages.
    var names: [ClientID: String] = [:]
  }

  let lockStep = LockStep()
  let isLive: Bool
  /// Called when a request was deferred.
  private let wake: @Sendable () -> Void
  private let state = Mutex(State())
  /// Receives messages for the program's user.
  let log: SessionLog?

  init(
    isLive: Bool,
    log: SessionLog? = nil,
    waking wake: @escaping @Sendable () -> Void = {}
  ) {
    self.isLive = isLive
    self.log = log
    self.wake = wake
  }

  /// Makes a buffer for a sequence of a client; without a client, for the prompts on their way to a prompter.
  func makeBuffer<Element>(
    for client: ClientID?,
    _ sequence: String
  ) -> DeliveryBuffer<Element> {
    DeliveryBuffer(
      lockStep,
      limit: isLive
        ? DeliveryBuffer<Element>.Limit(ticks: Self.liveLimit, all: Self.crossingLimit) : nil,
      label: LockStep.Label(client: client, sequence: sequence)
    )
  }

  /// Connects a listener to a client.
  ///
  /// - Returns: The number of the connection, with which to cut it.
  func connect(
    _ listener: any Listener,
    to client: ClientID,
    forPrompts: Bool = false,
    forNotices: Bool = false
  ) -> UInt64 {
    var missed: [ClientDiagnostic] = []
    var isClosed = false
    let number = state.withLock { state in
      state.nextNumber += 1
      isClosed = state.isClosed
      if forNotices {
        state.listensToNotices.insert(client)
        missed = state.notices.removeValue(forKey: client) ?? []
      }
      guard !isClosed else { return state.nextNumber }
      state.lines[client, default: []].append(
        Line(number: state.nextNumber, listener: listener, isForPrompts: forPrompts)
      )
      return state.nextNumber
    }
    for notice in missed { _ = listener.offer(.notice(notice)) }
    if isClosed { listener.finish() }
    return number
  }

  /// Disconnects a listener.
  func cut(_ number: UInt64) {
    state.withLock { state in
      let line = state.lines.first { line in line.value.contains { $0.number == number } }
      if let client = line?.key { state.lines[client]?.removeAll { $0.number == number } }
    }
  }

  /// Adds a deferred request.
  func leave(_ deferred: DeferredRequest) {
    state.withLock { $0.deferredRequests.append(deferred) }
    wake()
  }

  /// Drains the deferred requests, in the order in which they were added.
  func drainDeferredRequests() -> [DeferredRequest] {
    state.withLock { state in
      let deferredRequests = state.deferredRequests
      state.deferredRequests = []
      return deferredRequests
    }
  }

  /// Whether there are deferred requests.
  var hasDeferredRequests: Bool { state.withLock { !$0.deferredRequests.isEmpty } }

  /// Whether a client's prompts have a listener.
  func hasPromptListener(_ client: ClientID) -> Bool {
    state.withLock { state in
      state.lines[client]?.contains(where: \.isForPrompts) ?? false
    }
  }

  /// How many messages of a client were dropped because they were not drained in time.
  func dropped(of client: ClientID) -> Int { state.withLock { $0.dropped[client] ?? 0 } }

  /// Delivers a message to a client's listeners, in the order in which they connected.
  func deliver(_ message: ClientMessage, to client: ClientID) {
    var lost = 0
    for listener in listeners(of: client) where listener.offer(message) { lost += 1 }
    guard lost > 0 else { return }
    let total = state.withLock { state in
      state.dropped[client, default: 0] += lost
      return state.dropped[client] ?? lost
    }
    notify(.deliveriesDropped(total: total), to: client)
  }

  /// Delivers a notice of the session to a client; the notice is kept until the client listens to diagnostics.
  func notify(_ notice: ClientDiagnostic, to client: ClientID) {
    if let log {
      let name = state.withLock { $0.names[client] } ?? "\(client)"
      log(notice.isGood ? .info : .warning, "\(name): \(notice)")
    }
    state.withLock { state in
      guard !state.listensToNotices.contains(client) else { return }
      var notices = state.notices[client] ?? []
      if let last = notices.last, notice.supersedes(last) { notices.removeLast() }
      notices.append(notice)
      if notices.count > Self.noticeLimit { notices.removeFirst() }
      state.notices[client] = notices
    }
    // If a listener that lags behind loses a notice here, the next drop reports it.
    for listener in listeners(of: client) { _ = listener.offer(.notice(notice)) }
  }

  /// Names a client in messages.
  func name(_ client: ClientID, _ name: String) { state.withLock { $0.names[client] = name } }

  /// Finishes every listener, or those of one client.
  func finish(_ client: ClientID? = nil) {
    let ended = state.withLock { state in
      if client == nil { state.isClosed = true }
      guard let client else {
        defer { state.lines = [:] }
        return state.lines.values.joined().sorted { $0.number < $1.number }
      }
      return state.lines.removeValue(forKey: client) ?? []
    }
    for line in ended { line.listener.finish() }
  }

  private func listeners(of client: ClientID) -> [any Listener] {
    state.withLock { state in
      state.lines[client]?.map(\.listener) ?? []
    }
  }
}
