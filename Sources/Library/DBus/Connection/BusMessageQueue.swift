// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CDBus
internal import Glibc
internal import Synchronization

/// Work that other threads and tasks post to the bus's thread.
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

  /// The descriptor that the bus's thread polls.
  var descriptor: Int32 { wakeUp.descriptor }

  /// Adds work and wakes the thread; returns false if the thread has ended.
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

  /// Returns all work posted since the last call.
  func drain() -> [Work] {
    wakeUp.clear()
    return state.withLock { state in
      defer { state.works.removeAll(keepingCapacity: true) }
      return state.works
    }
  }

  /// Returns the remaining work and accepts no more.
  func close() -> [Work] {
    state.withLock { state in
      state.isClosed = true
      defer { state.works = [] }
      return state.works
    }
  }

  /// Resumes the tasks that wait for the end of the thread.
  func finish() {
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

/// A descriptor that other threads make readable to wake the one that polls it (`eventfd(2)`).
private struct WakeUp: ~Copyable, Sendable {
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Wakes the thread, now or when it next polls.
  func signal() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Makes the descriptor unreadable again.
  func clear() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
