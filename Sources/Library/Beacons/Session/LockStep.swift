// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Decides when a session may continue: when every task that listens has handled its elements and asks for the next
/// one.
///
/// A delivery buffer holds the timeline from its creation until a task asks it for an element, and from each element
/// until it is asked again. Its owner is the task that asked last, at first the task that created it. A task that asks
/// one buffer releases all the buffers it owns. So a loop inside a loop, or one loop after another, waits for new
/// elements and not for itself. While a program runs, a task must be waiting at one of its buffers: between two loops
/// the timeline stands still.
final class LockStep: Sendable {
  /// The identity of a task.
  struct Owner: Hashable, Sendable {
    private let hash: Int

    /// The calling task; `nil` outside of any task.
    static var current: Owner? {
      // The hash only distinguishes the task from others; the task itself is not kept.
      unsafe withUnsafeCurrentTask { task in unsafe (task?.hashValue).map(Owner.init(hash:)) }
    }

    private init(hash: Int) {
      self.hash = hash
    }
  }

  struct State {
    private var held: [Owner?: Int] = [:]
    private var asked: [Owner?: Int] = [:]
    private var askedByPrograms = 0
    var programs = 0
    fileprivate var waiter: CheckedContinuation<Void, Never>?

    mutating func hold(_ owner: Owner?) { held[owner, default: 0] += 1 }

    mutating func letGo(_ owner: Owner?) {
      let left = (held[owner] ?? 1) - 1
      held[owner] = left > 0 ? left : nil
    }

    mutating func ask(_ owner: Owner?, isOfProgram: Bool) {
      asked[owner, default: 0] += 1
      if isOfProgram { askedByPrograms += 1 }
    }

    mutating func answered(_ owner: Owner?, isOfProgram: Bool) {
      let left = (asked[owner] ?? 1) - 1
      asked[owner] = left > 0 ? left : nil
      if isOfProgram { askedByPrograms -= 1 }
    }

    fileprivate var isQuiet: Bool {
      guard programs == 0 || askedByPrograms > 0 else { return false }
      return held.keys.allSatisfy { $0 != nil && asked[$0] != nil }
    }
  }

  private let state = Mutex(State())

  /// Applies a change to the state.
  ///
  /// - Returns: The waiter to resume, if the state is now quiet; the caller resumes it when it holds no lock.
  func changed(_ change: (inout State) -> Void) -> CheckedContinuation<Void, Never>? {
    state.withLock { state in
      change(&state)
      return state.isQuiet ? state.waiter.take() : nil
    }
  }

  /// Waits until every task that listens asks for its next element, or the calling task is cancelled.
  func quiet() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isQuiet || Task.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume()
    }
  }
}
