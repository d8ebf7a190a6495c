// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Work that other threads and tasks hand to the bus's thread.
final class BusMessageQueue: Sendable {
  typealias Work = @Sendable (BusLoop) -> Void

  private struct State {
    var works: [Work] = []
    var isClosed = false
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let wakeUp = WakeUp()

  /// What the bus's thread polls.
  var descriptor: Int32 { wakeUp.descriptor }

  /// Adds work and wakes the thread; false when it has ended.
  func post(_ work: @escaping Work) -> Bool {
    let isFirst: Bool? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.works.append(work)
      return state.works.count == 1
    }
    if isFirst == true { wakeUp.signal() }
    return isFirst != nil
  }

  /// Wakes the thread without work.
  func wake() {
    wakeUp.signal()
  }

  /// Takes all work there is.
  func take() -> [Work] {
    wakeUp.clear()
    return state.withLock { state in
      defer { state.works.removeAll(keepingCapacity: true) }
      return state.works
    }
  }

  /// Takes the last work and lets no more come.
  func close() -> [Work] {
    state.withLock { state in
      state.isClosed = true
      defer { state.works = [] }
      return state.works
    }
  }

  /// Tells those who wait that the thread has ended.
  func tellEnded() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when the thread has ended.
  func ended() async {
    await withCheckedContinuation { waiter in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(waiter) }
        return state.hasEnded
      }
      if hasEnded { waiter.resume() }
    }
  }
}
