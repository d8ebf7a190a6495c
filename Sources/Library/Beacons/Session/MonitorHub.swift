// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Keeps a monitor's events and records, and passes its events to handlers.
final class MonitorHub: Listener {
  /// A handler of the events of some conditions.
  private struct Handler {
    let number: UInt64
    let buffer: DeliveryBuffer<MonitorEvent>
    let isWanted: @Sendable (RegionIdentifier) -> Bool
  }

  private struct State {
    /// The last handled event of each condition.
    var handled: [RegionIdentifier: MonitorEvent] = [:]
    /// Events not yet handled, in order; those of an earlier run first.
    var unhandled: [MonitorEvent] = []
    /// Crossings that were delivered and whose states follow.
    var crossings: [RegionIdentifier: Explanation] = [:]
    /// The conditions.
    var conditions: Set<RegionIdentifier> = []
    /// The conditions of which the client has too many.
    var refused: Set<RegionIdentifier> = []
    var handlers: [Handler] = []
    var nextNumber: UInt64 = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  init(_ kept: ClientState) {
    var state = State()
    for event in kept.handled { state.handled[event.identifier] = event }
    state.unhandled = kept.unhandled
    state.conditions = Set(kept.regions.map(\.region.identifier))
    self.state = Mutex(state)
  }

  /// The last handled event of a condition.
  func lastEvent(of identifier: RegionIdentifier) -> MonitorEvent? {
    state.withLock { $0.handled[identifier] }
  }

  /// Notes that a condition is added.
  func added(_ identifier: RegionIdentifier) {
    state.withLock { _ = $0.conditions.insert(identifier) }
  }

  /// Forgets a condition.
  func forget(_ identifier: RegionIdentifier) {
    state.withLock { state in
      state.handled[identifier] = nil
      state.refused.remove(identifier)
      state.conditions.remove(identifier)
      state.unhandled.removeAll { $0.identifier == identifier }
    }
  }

  /// Whether a condition is not monitored because the client has too many.
  func isRefused(_ identifier: RegionIdentifier) -> Bool {
    state.withLock { $0.refused.contains(identifier) }
  }

  /// Reports that a condition is not monitored.
  ///
  /// - Returns: Whether an older event was dropped to make room.
  @discardableResult
  func refuse(
    _ identifier: RegionIdentifier,
    _ reason: RegionStateReason,
    at time: Timestamp
  ) -> Bool {
    if reason == .limitExceeded { state.withLock { _ = $0.refused.insert(identifier) } }
    return receive(
      MonitorEvent(
        identifier: identifier,
        time: time,
        state: ConditionState(.unknown, reason),
        origin: .observed,
        reason: reason
      ),
      isKept: true
    )
  }

  /// Reports that no condition is monitored.
  @discardableResult
  func refuseAll(_ reason: RegionStateReason, at time: Timestamp) -> Bool {
    let conditions = state.withLock { $0.conditions.sorted() }
    return conditions.map { refuse($0, reason, at: time) }.contains(true)
  }

  // MARK: Receiving

  func offer(_ message: ClientMessage) -> Bool {
    guard case .delivery(let delivery, let beacon) = message else { return false }
    switch delivery.event {
    case .regionEntered(let identifier, _, let why), .regionExited(let identifier, _, let why):
      state.withLock { $0.crossings[identifier] = why }
      return false
    case .regionState(let identifier, let region, let origin, let reason):
      let why = state.withLock { $0.crossings.removeValue(forKey: identifier) }
      let event = MonitorEvent(
        identifier: identifier,
        time: delivery.time,
        state: ConditionState(region, reason),
        origin: origin,
        reason: reason,
        refinement: why?.identity ?? beacon,
        why: why
      )
      return receive(event)
    // Delegates of iOS 14 learn nothing of these; an event of a monitor has the reason (row N2).
    case .authorization(let status, let accuracy):
      guard !status.isAuthorized || accuracy == .reduced else { return false }
      return refuseAll(status.isAuthorized ? .accuracy : .authorization, at: delivery.time)
    case .diagnostic(.authorization(.serviceSessionRequired)):
      return refuseAll(.serviceSession, at: delivery.time)
    case .diagnostic(.regionLimitExceeded(let identifier)):
      return refuse(identifier, .limitExceeded, at: delivery.time)
    default: return false
    }
  }

  /// Passes an event to the handlers, except the answer to a request and what an earlier run already knew.
  ///
  /// An event that is kept waits for the next handler if no handler listens: it comes only once.
  private func receive(_ event: MonitorEvent, isKept: Bool = false) -> Bool {
    switch event.reason {
    case .requested, .restored, .registeredAgain, .notMonitored: return false
    case .assumed:
      state.withLock { $0.handled[event.identifier] = event }
      return false
    default: break
    }
    let buffers = state.withLock { state -> [DeliveryBuffer<MonitorEvent>] in
      let last =
        state.unhandled.last { $0.identifier == event.identifier }
        ?? state.handled[event.identifier]
      let isKnown = event.reason.isWithholding && last?.reason == event.reason
      guard !isKnown else { return [] }
      let handlers = state.handlers.filter { $0.isWanted(event.identifier) }
      // Without a handler the event counts as handled immediately.
      if handlers.isEmpty, !isKept {
        state.handled[event.identifier] = event
      } else {
        state.unhandled.append(event)
        if state.unhandled.count > ListenerList.crossingLimit { state.unhandled.removeFirst() }
      }
      return handlers.map(\.buffer)
    }
    var hasDropped = false
    for buffer in buffers where buffer.put(event) { hasDropped = true }
    return hasDropped
  }

  func finish() {
    let buffers = state.withLock { state in
      state.isFinished = true
      return state.handlers.map(\.buffer)
    }
    for buffer in buffers { buffer.finish() }
  }

  // MARK: Handlers

  /// Connects a handler, which first receives the events that an earlier one left.
  func connect(
    _ buffer: DeliveryBuffer<MonitorEvent>,
    for isWanted: @escaping @Sendable (RegionIdentifier) -> Bool
  ) -> UInt64 {
    let (number, missed, isFinished) = state.withLock { state in
      state.nextNumber += 1
      state.handlers.append(
        Handler(number: state.nextNumber, buffer: buffer, isWanted: isWanted)
      )
      let missed = state.unhandled.filter { isWanted($0.identifier) }
      return (state.nextNumber, missed, state.isFinished)
    }
    for event in missed { buffer.put(event) }
    if isFinished { buffer.finish() }
    return number
  }

  /// Disconnects a handler.
  func cut(_ number: UInt64) {
    state.withLock { state in state.handlers.removeAll { $0.number == number } }
  }

  /// Marks an event as handled: it becomes the last event in the condition's record.
  func handled(_ event: MonitorEvent) {
    state.withLock { state in
      guard let index = state.unhandled.firstIndex(of: event) else { return }
      state.unhandled.remove(at: index)
      state.handled[event.identifier] = event
    }
  }

  // MARK: Keeping

  /// The last handled event of each condition in the order of their identifiers, and the unhandled events in order.
  var records: (handled: [MonitorEvent], unhandled: [MonitorEvent]) {
    state.withLock { state in
      (state.handled.values.sorted { $0.identifier < $1.identifier }, state.unhandled)
    }
  }
}
