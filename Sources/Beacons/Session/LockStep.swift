// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Says when a session may go on: when every task that listens has taken what it was told and asks for its next.
///
/// A mailbox holds the timeline from its making until it is asked, and from what it gives until it is asked again; its
/// owner is the task that asked last, at first the one that made it. A task that asks one mailbox lets go of all it owns,
/// so that a loop within a loop, or one loop after another, waits for what comes and not for itself. While a program
/// runs, at least one of its mailboxes must be asked: between two loops the timeline stands.
final class LockStep: Sendable {
  /// A task, as far as one can be told from another.
  struct Owner: Hashable, Sendable {
    private let hash: Int

    /// The task that calls; `nil` outside of any.
    static var current: Owner? {
      // The task is only told apart from others, and not kept.
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

  /// Notes a change.
  ///
  /// - Returns: Who waits for quiet and now has it; the caller resumes it when it holds no lock.
  func changed(_ change: (inout State) -> Void) -> CheckedContinuation<Void, Never>? {
    state.withLock { state in
      change(&state)
      return state.isQuiet ? state.waiter.take() : nil
    }
  }

  /// Waits until every task that listens asks for its next, or this one is cancelled.
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
