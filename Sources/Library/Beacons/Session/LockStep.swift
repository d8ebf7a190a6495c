// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization
internal import SystemKit

/// Decides when a replay may continue: when every program that may still act has acted.
///
/// A listener is at work from the moment at which it asks for its first element until it asks for the next one, and so on
/// until it ends. A listener that was never asked holds nothing: its elements are kept until it is. The task that asked
/// last owns the listener. A task that asks one listener releases all those it owns, so a loop inside a loop, or one loop
/// after another, waits for new elements and not for itself. While a program runs, one of its tasks must ask.
///
/// A listener does not show a request of another task, but the process does: the replay also waits until no thread
/// runs or is ready to run (``ProcessRest``).
///
/// A listener at work may wait for the effect of a request that the program has made since, such as the first tick of ranging
/// in another task or a callback. If the process then does nothing for a second, it holds nothing until it asks again.
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

  /// Names a listener for which the replay waits.
  struct Label: Hashable, Sendable {
    /// The client whose elements they are; `nil` for prompts on their way to a prompter.
    var client: ClientID?
    /// The name of the client's sequence.
    var sequence: String

    /// Whether it may take long because a user thinks.
    var asksUser: Bool { client == nil || sequence == "prompts" }
  }

  /// The end of a wait.
  enum Rest: Sendable, Equatable {
    /// Every program has acted.
    case quiet
    /// Nothing has happened for long: the listeners that are at work, none if no task of a program asks.
    case stalled([Label])
  }

  /// A listener at work.
  private struct Hold {
    let owner: Owner?
    let label: Label
    /// Whether the program has made a request since.
    var hasRequested = false
  }

  struct State {
    private var held: [UInt64: Hold] = [:]
    private var asked: [Owner?: Int] = [:]
    private var askedByPrograms = 0
    fileprivate var nextNumber: UInt64 = 0
    /// Counts the acts of listeners and programs.
    fileprivate var activity: UInt64 = 0
    fileprivate var hasActed = false {
      didSet { if hasActed, !oldValue { startChange?.yield(false) } }
    }
    /// Wakes a replay that stays at its start.
    fileprivate var startChange: AsyncStream<Bool>.Continuation?
    /// Whether listeners at work no longer hold the replay, since one did not ask for long.
    fileprivate var isGivenUp = false
    var programs = 0
    fileprivate var waiter: CheckedContinuation<Rest, Never>?

    mutating func hold(_ number: UInt64, _ owner: Owner?, _ label: Label) {
      held[number] = Hold(owner: owner, label: label)
    }

    mutating func letGo(_ number: UInt64) { held[number] = nil }

    mutating func ask(_ owner: Owner?) {
      asked[owner, default: 0] += 1
      hasActed = hasActed || owner != nil
      if owner != nil { askedByPrograms += 1 }
    }

    mutating func answered(_ owner: Owner?) {
      let left = (asked[owner] ?? 1) - 1
      asked[owner] = left > 0 ? left : nil
      if owner != nil { askedByPrograms -= 1 }
    }

    fileprivate var isQuiet: Bool {
      if isGivenUp { return true }
      guard programs == 0 || askedByPrograms > 0 else { return false }
      return atWork.isEmpty
    }

    /// The listeners at work whose tasks ask for nothing.
    fileprivate var atWork: [Label] { held.values.filter(isAtWork).map(\.label) }

    private func isAtWork(_ hold: Hold) -> Bool { hold.owner == nil || asked[hold.owner] == nil }

    /// Notes a request, whose effect the listeners at work may wait for.
    fileprivate mutating func noteRequest() {
      for number in held.keys { held[number]?.hasRequested = true }
    }

    /// Lets go of the listeners that may wait for the effect of a request.
    fileprivate mutating func releaseWaiting() {
      held = held.filter { !$0.value.hasRequested || !isAtWork($0.value) }
    }
  }

  private let state = Mutex(State())

  /// A number for a listener.
  func nextNumber() -> UInt64 {
    state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
  }

  /// How much listeners and programs have done.
  var activity: UInt64 { state.withLock(\.activity) }

  /// Applies a change to the state.
  ///
  /// - Returns: The waiter to resume, if the state is now quiet; the caller resumes it when it holds no lock.
  func changed(_ change: (inout State) -> Void) -> CheckedContinuation<Rest, Never>? {
    state.withLock { state in
      state.activity += 1
      change(&state)
      return state.isQuiet ? state.waiter.take() : nil
    }
  }

  /// Notes that a program made a request.
  func note() {
    state.withLock { state in
      state.activity += 1
      state.hasActed = true
      state.noteRequest()
    }
  }

  /// Whether a program made a request, or asked for an element.
  var hasActed: Bool { state.withLock(\.hasActed) }

  /// Wakes a replay that stays at its start, now and when a program first acts.
  func wakeStart() { _ = state.withLock { $0.startChange?.yield(false) } }

  /// Sets the stream that wakes a replay at its start.
  func setStartChange(_ change: AsyncStream<Bool>.Continuation?) {
    state.withLock { $0.startChange = change }
  }

  /// Waits until every listener asks for its next element, or nothing happens for long, or the task is cancelled.
  func quiet() async -> Rest {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isQuiet || Task.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if goesOn { continuation.resume(returning: .quiet) }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume(returning: .quiet)
    }
  }

  /// The activity until a wait began; `nil` while a user thinks, or without a wait.
  var lastingWait: UInt64? {
    state.withLock { state in
      state.waiter == nil || state.atWork.contains(where: \.asksUser) ? nil : state.activity
    }
  }

  /// Ends a wait in which nothing happens.
  ///
  /// - Parameter activity: How much was done when the wait was last looked at; if more was done, it continues.
  func stall(since activity: UInt64) {
    var labels: [Label] = []
    let waiter = state.withLock { state -> CheckedContinuation<Rest, Never>? in
      guard state.activity == activity else { return nil }
      labels = state.atWork
      return state.waiter.take()
    }
    waiter?.resume(returning: .stalled(labels))
  }

  /// Ends a wait for listeners that do nothing but wait for the effect of a request.
  ///
  /// - Parameter activity: How much was done when the process began to rest; if more was done, nothing changes.
  func release(since activity: UInt64) {
    state.withLock { state -> CheckedContinuation<Rest, Never>? in
      guard state.activity == activity else { return nil }
      state.releaseWaiting()
      return state.isQuiet ? state.waiter.take() : nil
    }?.resume(returning: .quiet)
  }

  /// From now on no listener holds the replay.
  func giveUp() {
    state.withLock { state in
      state.isGivenUp = true
      return state.waiter.take()
    }?.resume(returning: .quiet)
  }
}
