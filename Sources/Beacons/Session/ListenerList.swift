// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Who listens to which client, and what those asked for who could not wait.
///
/// It is what a session shares with sequences and handles, which come and go outside of any task.
final class ListenerList: Sendable {
  /// How many messages a listener on a live source may leave untaken: several minutes of ticks.
  ///
  /// Ranging tells one a second; who is further behind has stopped, and wants the newest when it comes back.
  static let liveLimit = 256
  /// How many words of the session are kept for a client that does not yet listen to diagnostics.
  static let noticeLimit = 64

  /// Something to be done by the session when it next looks.
  enum DeferredRequest: Sendable {
    case stopRanging(IdentityConstraint, of: ClientID)
    case endService(id: UInt64, of: ClientID)
  }

  private struct Line {
    let number: UInt64
    let client: ClientID
    let listener: any Listener
    let isForPrompts: Bool
  }

  private struct State {
    var lines: [Line] = []
    var nextNumber: UInt64 = 0
    var deferredRequests: [DeferredRequest] = []
    var notices: [ClientID: [ClientDiagnostic]] = [:]
    var listensToNotices: Set<ClientID> = []
    var dropped: [ClientID: Int] = [:]
    var isClosed = false
  }

  let lockStep = LockStep()
  let isLive: Bool
  private let state = Mutex(State())

  init(isLive: Bool) {
    self.isLive = isLive
  }

  func makeBuffer<Element>(
    isOfProgram: Bool = true,
    isDetached: Bool = false
  ) -> DeliveryBuffer<Element> {
    DeliveryBuffer(
      lockStep,
      limit: isLive || isDetached ? Self.liveLimit : nil,
      isOfProgram: isOfProgram,
      isDetached: isDetached
    )
  }

  /// Connects a listener to a client.
  ///
  /// - Returns: The line's number, by which it is cut.
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
      state.lines.append(
        Line(
          number: state.nextNumber,
          client: client,
          listener: listener,
          isForPrompts: forPrompts
        )
      )
      return state.nextNumber
    }
    for notice in missed { _ = listener.offer(.notice(notice)) }
    if isClosed { listener.finish() }
    return number
  }

  /// Cuts a line.
  func cut(_ number: UInt64) {
    state.withLock { state in state.lines.removeAll { $0.number == number } }
  }

  /// Leaves something to be done.
  func leave(_ deferred: DeferredRequest) {
    state.withLock { $0.deferredRequests.append(deferred) }
  }

  /// Takes what is to be done, in the order it was left.
  func drainDeferredRequests() -> [DeferredRequest] {
    state.withLock { state in
      let deferredRequests = state.deferredRequests
      state.deferredRequests = []
      return deferredRequests
    }
  }

  /// Whether there is something to be done.
  var hasDeferredRequests: Bool { state.withLock { !$0.deferredRequests.isEmpty } }

  /// Whether anybody listens to a client's prompts.
  func hasPromptListener(_ client: ClientID) -> Bool {
    state.withLock { state in
      state.lines.contains { $0.client == client && $0.isForPrompts }
    }
  }

  /// How many messages of a client were dropped because nobody took them.
  func dropped(of client: ClientID) -> Int { state.withLock { $0.dropped[client] ?? 0 } }

  /// Tells a client's listeners something, in the order in which they began to listen.
  func tell(_ message: ClientMessage, to client: ClientID) {
    var lost = 0
    for listener in listeners(of: client) where listener.offer(message) { lost += 1 }
    guard lost > 0 else { return }
    let total = state.withLock { state in
      state.dropped[client, default: 0] += lost
      return state.dropped[client] ?? lost
    }
    notify(.deliveriesDropped(total: total), to: client)
  }

  /// Tells a client a word of the session, which is kept until somebody listens.
  func notify(_ notice: ClientDiagnostic, to client: ClientID) {
    state.withLock { state in
      guard !state.listensToNotices.contains(client) else { return }
      var notices = state.notices[client] ?? []
      if let last = notices.last, notice.supersedes(last) { notices.removeLast() }
      notices.append(notice)
      if notices.count > Self.noticeLimit { notices.removeFirst() }
      state.notices[client] = notices
    }
    // What a listener that lags behind loses here is told with the next drop.
    for listener in listeners(of: client) { _ = listener.offer(.notice(notice)) }
  }

  /// Ends every line, or those of a client.
  func finish(_ client: ClientID? = nil) {
    let ended = state.withLock { state in
      if client == nil { state.isClosed = true }
      let ended = state.lines.filter { client == nil || $0.client == client }
      state.lines.removeAll { client == nil || $0.client == client }
      return ended
    }
    for line in ended { line.listener.finish() }
  }

  private func listeners(of client: ClientID) -> [any Listener] {
    state.withLock { state in
      state.lines.lazy.filter { $0.client == client }.map(\.listener)
    }
  }
}
