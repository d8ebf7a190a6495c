// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// What one listener has been told and has not taken.
///
/// One task at a time takes from it. The lock is held for a few assignments and never while a continuation is resumed.
final class DeliveryBuffer<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    /// The first element not yet taken.
    var head = 0
    var waiter: CheckedContinuation<Element?, Never>?
    /// Nothing more is put in; what is there can be taken.
    var isFinished = false
    /// Nobody takes any more.
    var isEnded = false
    var stance = Stance.busy
    /// The task that holds the timeline, or lets it go, by it.
    var owner: LockStep.Owner?

    mutating func removeFirst() -> Element? {
      guard head < elements.count else { return nil }
      let element = elements[head]
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 64, head * 2 >= elements.count {
        // Moving what is left once for every so many taken keeps taking cheap.
        elements.removeFirst(head)
        head = 0
      }
      return element
    }
  }

  /// How the listener stands to the timeline.
  private enum Stance {
    /// It has not begun, and nobody waits for it.
    case detached
    /// It has something to take, or is at work on what it took.
    case busy
    /// It asks for its next.
    case asking
  }

  private let state = Mutex(State())
  private let lockStep: LockStep
  /// The most elements kept; `nil` where the session waits for the listener.
  private let limit: Int?
  /// Whether the listener's asking lets a program's timeline go on.
  private let isOfProgram: Bool

  /// Creates an empty mailbox.
  ///
  /// - Parameters:
  ///   - lockStep: The timeline that is held up.
  ///   - limit: The most elements kept; `nil` for any number.
  ///   - isOfProgram: Whether asking lets a program's timeline go on; one that is not is its maker's in no way.
  ///   - isDetached: Whether the timeline is not held up before the first element is asked for.
  init(_ lockStep: LockStep, limit: Int?, isOfProgram: Bool = true, isDetached: Bool = false) {
    self.lockStep = lockStep
    self.limit = limit
    self.isOfProgram = isOfProgram
    let owner = isOfProgram ? LockStep.Owner.current : nil
    state.withLock { state in
      state.stance = isDetached ? .detached : .busy
      state.owner = owner
    }
    if !isDetached { _ = lockStep.changed { $0.hold(owner) } }
  }

  /// Whether nobody takes any more.
  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Puts an element in.
  ///
  /// - Parameters:
  ///   - element: What the listener is to be told.
  ///   - supersedes: Whether it makes the last element that was not taken needless.
  /// - Returns: Whether the oldest element had to be dropped for it.
  @discardableResult
  func put(_ element: Element, supersedes: (Element) -> Bool = { _ in false }) -> Bool {
    var waiter: CheckedContinuation<Element?, Never>?
    let hasDropped = state.withLock { state in
      if state.isEnded || state.isFinished { return false }
      if let asking = state.waiter.take() {
        waiter = asking
        beBusy(&state)
        return false
      }
      if let last = state.elements.last, state.head < state.elements.count, supersedes(last) {
        state.elements[state.elements.count - 1] = element
        return false
      }
      state.elements.append(element)
      guard let limit, state.elements.count - state.head > limit else { return false }
      _ = state.removeFirst()
      return true
    }
    waiter?.resume(returning: element)
    return hasDropped
  }

  /// Takes the next element, waiting for it; `nil` when there will be none, or the task is cancelled.
  func next() async -> Element? {
    let owner = LockStep.Owner.current
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        var quiet: CheckedContinuation<Void, Never>?
        let outcome: Element?? = state.withLock { state in
          if state.isEnded || Task.isCancelled || state.waiter != nil { return .some(nil) }
          take(&state, as: owner)
          if let element = state.removeFirst() { return .some(element) }
          if state.isFinished { return .some(nil) }
          state.waiter = continuation
          state.stance = .asking
          quiet = lockStep.changed {
            $0.letGo(owner)
            $0.ask(owner, isOfProgram: isOfProgram)
          }
          return nil
        }
        quiet?.resume()
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      end()
    }
  }

  /// Says that nothing more will be put in.
  func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      let waiter = state.waiter.take()
      if waiter != nil {
        beBusy(&state)
      }
      return waiter
    }
    waiter?.resume(returning: nil)
  }

  /// Says that nobody will take any more, so that nobody waits for it.
  func end() {
    var quiet: CheckedContinuation<Void, Never>?
    let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      state.elements = []
      state.head = 0
      switch state.stance {
      case .detached: break
      case .busy: quiet = lockStep.changed { $0.letGo(state.owner) }
      case .asking:
        quiet = lockStep.changed { $0.answered(state.owner, isOfProgram: isOfProgram) }
      }
      return state.waiter.take()
    }
    quiet?.resume()
    waiter?.resume(returning: nil)
  }

  /// The task that asks has what it asked for, or its end.
  private func beBusy(_ state: inout State) {
    state.stance = .busy
    let owner = state.owner
    _ = lockStep.changed {
      $0.answered(owner, isOfProgram: isOfProgram)
      $0.hold(owner)
    }
  }

  /// Makes the task that asks the owner.
  private func take(_ state: inout State, as owner: LockStep.Owner?) {
    let former = state.owner
    let wasDetached = state.stance == .detached
    guard wasDetached || former != owner else { return }
    state.stance = .busy
    state.owner = owner
    _ = lockStep.changed {
      if !wasDetached { $0.letGo(former) }
      $0.hold(owner)
    }
  }
}
