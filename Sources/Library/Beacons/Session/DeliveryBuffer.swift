// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// A buffer of the elements that were delivered to one listener and not yet drained.
///
/// One task at a time drains it. The lock is held for a few assignments and never while a continuation is resumed.
final class DeliveryBuffer<Element: Sendable>: Sendable {
  private typealias Replay = CheckedContinuation<LockStep.Rest, Never>

  private struct State {
    var elements: [Element] = []
    /// The index of the first element that is not drained.
    var head = 0
    var waiter: CheckedContinuation<Element?, Never>?
    /// Nothing more is put in; the rest can be drained.
    var isFinished = false
    /// The buffer is not drained any more.
    var isEnded = false
    var listenerState = ListenerState.detached
    /// The task that holds or releases the timeline through this buffer.
    var owner: LockStep.Owner?

    mutating func removeFirst() -> Element? {
      guard head < elements.count else { return nil }
      let element = elements[head]
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 64, head * 2 >= elements.count {
        // The remaining elements move only once for many drained ones, which keeps draining cheap.
        elements.removeFirst(head)
        head = 0
      }
      return element
    }
  }

  /// The listener's effect on the timeline.
  private enum ListenerState {
    /// It has not asked for its first element.
    case detached
    /// It handles an element, or has elements to drain.
    case busy
    /// It asks for its next element.
    case asking
  }

  private let state = Mutex(State())
  private let lockStep: LockStep
  /// How many elements are kept for a listener that the session does not wait for.
  struct Limit: Sendable {
    /// With more elements than these the oldest tick is dropped.
    var ticks: Int
    /// With more elements than these the oldest one is dropped, whatever it is.
    var all: Int
  }

  /// The most elements kept; `nil` if the session waits for the listener.
  private let limit: Limit?
  private let label: LockStep.Label
  private let number: UInt64

  /// Creates an empty buffer.
  ///
  /// - Parameters:
  ///   - lockStep: Decides when the timeline may continue.
  ///   - limit: How many elements are kept; `nil` for any number.
  ///   - label: Names the listener while the timeline waits for it. That of a prompter is at work from the start.
  init(_ lockStep: LockStep, limit: Limit?, label: LockStep.Label) {
    self.lockStep = lockStep
    self.limit = limit
    self.label = label
    number = lockStep.nextNumber()
    guard label.client == nil else { return }
    state.withLock { $0.listenerState = .busy }
    _ = lockStep.changed { $0.hold(number, nil, label) }
  }

  /// Whether the buffer is not drained any more.
  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Puts an element in.
  ///
  /// - Parameters:
  ///   - element: The element to deliver to the listener.
  ///   - supersedes: Whether the new element replaces a given last one that was not drained.
  ///   - isTick: Whether an element is a tick of ranging, which the next one makes obsolete.
  /// - Returns: Whether an element was dropped to make room.
  @discardableResult
  func put(
    _ element: Element,
    supersedes: (Element) -> Bool = { _ in false },
    isTick: (Element) -> Bool = { _ in false }
  ) -> Bool {
    var waiter: CheckedContinuation<Element?, Never>?
    var quiet: Replay?
    let hasDropped = state.withLock { state in
      if state.isEnded || state.isFinished { return false }
      if let asking = state.waiter.take() {
        waiter = asking
        quiet = beBusy(&state)
        return false
      }
      if let last = state.elements.last, state.head < state.elements.count, supersedes(last) {
        state.elements[state.elements.count - 1] = element
        return false
      }
      state.elements.append(element)
      guard let limit else { return false }
      let count = state.elements.count - state.head
      if count > limit.ticks, let tick = state.elements[state.head...].firstIndex(where: isTick) {
        state.elements.remove(at: tick)
        return true
      }
      guard count > limit.all else { return false }
      _ = state.removeFirst()
      return true
    }
    quiet?.resume(returning: .quiet)
    waiter?.resume(returning: element)
    return hasDropped
  }

  /// Makes the calling task the owner: it is at work on the buffer's elements.
  func claim() {
    let owner = owner()
    let quiet = state.withLock { $0.isEnded ? nil : claim(&$0, as: owner) }
    quiet?.resume(returning: .quiet)
  }

  /// Drains the next element, waiting for it if necessary; `nil` when there will be none or the task is cancelled.
  func next() async -> Element? {
    let owner = owner()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        var quiet: (claimed: Replay?, asked: Replay?)
        let outcome: Element?? = state.withLock { state in
          if state.isEnded || Task.isCancelled || state.waiter != nil { return .some(nil) }
          quiet.claimed = claim(&state, as: owner)
          if let element = state.removeFirst() { return .some(element) }
          if state.isFinished { return .some(nil) }
          state.waiter = continuation
          state.listenerState = .asking
          quiet.asked = lockStep.changed {
            $0.letGo(number)
            $0.ask(owner)
          }
          return nil
        }
        quiet.claimed?.resume(returning: .quiet)
        quiet.asked?.resume(returning: .quiet)
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      end()
    }
  }

  /// Ends the input: nothing more will be put in.
  func finish() {
    let (waiter, quiet) = state.withLock { state in
      state.isFinished = true
      let waiter = state.waiter.take()
      return (waiter, waiter == nil ? nil : beBusy(&state))
    }
    quiet?.resume(returning: .quiet)
    waiter?.resume(returning: nil)
  }

  /// Ends the buffer: it will not be drained any more, so the timeline does not wait for it.
  func end() {
    var quiet: Replay?
    let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      state.elements = []
      state.head = 0
      switch state.listenerState {
      case .detached: break
      case .busy: quiet = lockStep.changed { $0.letGo(number) }
      case .asking: quiet = lockStep.changed { $0.answered(state.owner) }
      }
      return state.waiter.take()
    }
    quiet?.resume(returning: .quiet)
    waiter?.resume(returning: nil)
  }

  /// Notes that the asking task received its element, or the end.
  ///
  /// - Returns: The replay, if it may continue: the task may ask another listener. The caller resumes it outside of the lock.
  private func beBusy(_ state: inout State) -> Replay? {
    state.listenerState = .busy
    let owner = state.owner
    return lockStep.changed {
      $0.answered(owner)
      $0.hold(number, owner, label)
    }
  }

  /// Makes the asking task the owner.
  ///
  /// - Returns: The replay, if it may continue: the earlier owner held it, and this one may ask another listener.
  private func claim(_ state: inout State, as owner: LockStep.Owner?) -> Replay? {
    guard state.listenerState == .detached || state.owner != owner else { return nil }
    state.listenerState = .busy
    state.owner = owner
    return lockStep.changed { $0.hold(number, owner, label) }
  }

  /// The calling task; `nil` for a prompter, which belongs to the session.
  private func owner() -> LockStep.Owner? { label.client == nil ? nil : LockStep.Owner.current }
}
