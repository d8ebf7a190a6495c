// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// A clock that advances only when a test advances it.
///
/// A test acts, waits with ``sleepers(atLeast:)``, advances the clock with ``advance(by:)`` and checks the result. It
/// never sleeps itself.
public final class ManualClock: Clock {
  /// An instant of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public let elapsed: Duration

    /// Returns the instant that is a duration later.
    public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }

    /// Returns the duration from this instant to another.
    public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

    /// Orders instants by time.
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.elapsed < rhs.elapsed }
  }

  private struct Sleeper {
    let number: UInt64
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(elapsed: .zero)
    var nextNumber: UInt64 = 0
    var sleepers: [Sleeper] = []
    var watchers: [Watcher] = []

    /// Removes and returns the watchers whose condition is fulfilled.
    mutating func satisfiedWatchers() -> [Watcher] {
      let satisfied = watchers.filter { $0.count <= sleepers.count }
      watchers.removeAll { $0.count <= sleepers.count }
      return satisfied
    }
  }

  private let state = Mutex(State())

  /// Creates a clock at time 0.
  public init() {}

  /// The current instant of the clock.
  public var now: Instant { state.withLock(\.now) }

  /// Zero: the clock is exact.
  public var minimumResolution: Duration { .zero }

  /// Waits until the clock has advanced to an instant.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        // The outcome is determined under the lock and acted on after it is released.
        let (result, satisfied) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
          if Task.isCancelled { return (.failure(CancellationError()), []) }
          if deadline <= state.now { return (.success(()), []) }
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline, continuation: continuation)
          )
          return (nil, state.satisfiedWatchers())
        }
        if let result { continuation.resume(with: result) }
        for watcher in satisfied { watcher.continuation.resume() }
      }
    } onCancel: {
      let cancelled = state.withLock { state in
        let index = state.sleepers.firstIndex { $0.number == number }
        return index.map { state.sleepers.remove(at: $0) }
      }
      cancelled?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock and wakes the tasks whose deadline has passed, the earliest first.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let woken = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return woken.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until at least this many tasks sleep on this clock.
  public func sleepers(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isSatisfied = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return false
      }
      if isSatisfied { continuation.resume() }
    }
  }
}
