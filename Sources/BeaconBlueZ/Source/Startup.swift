// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// How the start of a source ended, told once from the bus's thread to the task that waits for it.
final class Startup: Sendable {
  typealias Outcome = Result<Void, BlueZUnavailable>

  private struct State {
    var outcome: Outcome?
    var waiter: CheckedContinuation<Outcome, Never>?
  }

  private let state = Mutex(State())

  /// Whether it has ended.
  var isSettled: Bool { state.withLock { $0.outcome != nil } }

  /// Tells how it ended; only the first counts.
  func settle(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      guard state.outcome == nil else { return nil as CheckedContinuation<Outcome, Never>? }
      state.outcome = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }

  /// Returns how it ended.
  func outcome() async -> Outcome {
    await withCheckedContinuation { waiter in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiter = waiter }
        return state.outcome
      }
      if let outcome { waiter.resume(returning: outcome) }
    }
  }
}
