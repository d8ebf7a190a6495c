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
    var handlers: [Handler] = []
    var nextNumber: UInt64 = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  init(_ kept: ClientState) {
    var state = State()
    for event in kept.handled { state.handled[event.identifier] = event }
    state.unhandled = kept.unhandled
    self.state = Mutex(state)
  }

  /// The last handled event of a condition.
  func lastEvent(of identifier: RegionIdentifier) -> MonitorEvent? {
    state.withLock { $0.handled[identifier] }
  }

  /// Forgets a condition.
  func forget(_ identifier: RegionIdentifier) {
    state.withLock { state in
      state.handled[identifier] = nil
      state.unhandled.removeAll { $0.identifier == identifier }
    }
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
    default: return false
    }
  }

  /// Passes an event to the handlers, except the answer to a request and what an earlier run already knew.
  private func receive(_ event: MonitorEvent) -> Bool {
    switch event.reason {
    case .requested, .restored, .registeredAgain, .notMonitored: return false
    case .assumed:
      state.withLock { $0.handled[event.identifier] = event }
      return false
    default: break
    }
    let buffers = state.withLock { state in
      let handlers = state.handlers.filter { $0.isWanted(event.identifier) }
      // Without a handler the event counts as handled immediately.
      if handlers.isEmpty {
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
