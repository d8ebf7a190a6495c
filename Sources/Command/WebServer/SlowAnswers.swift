// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization
internal import SystemKit

/// Makes answers that take time, on a separate thread, so that the server's loop does not wait for them.
///
/// Peers take turns: a reader with many requests does not delay the others. Each connection has at most one request
/// here, so the connections bound how many wait.
final class SlowAnswers: Sendable {
  /// A request that waits.
  private struct Job {
    let connection: Int32
    /// Tells the request from another one of a later connection with the same number.
    let serial: UInt64
    let head: RequestHead
    let peer: SocketPeer
  }

  /// An answer that was made.
  struct Made {
    let connection: Int32
    let serial: UInt64
    let answer: RequestAnswer
    let isRefused: Bool
  }

  private struct State {
    /// The requests of each peer, in their order.
    var waiting: [SocketPeer: [Job]] = [:]
    /// The peers with requests, the one whose turn is next first.
    var turns: [SocketPeer] = []
    var made: [Made] = []
    var serial: UInt64 = 0

    /// Removes and returns the next request.
    mutating func next() -> Job? {
      guard !turns.isEmpty else { return nil }
      let peer = turns.removeFirst()
      let job = waiting[peer]?.removeFirst()
      if waiting[peer]?.isEmpty ?? true {
        waiting[peer] = nil
      } else {
        turns.append(peer)
      }
      return job
    }
  }

  private let state = Mutex(State())
  private let service: RequestService
  /// Wakes this thread.
  private let work: WakePipe
  private let thread = Mutex<SystemThread?>(nil)

  /// Starts the thread; `nil` if the system has no pipe or no thread left.
  ///
  /// - Parameters:
  ///   - service: Makes the answers.
  ///   - loop: Wakes the server's loop, which drains them.
  init?(_ service: RequestService, waking loop: WakePipe) {
    guard let work = WakePipe() else { return nil }
    (self.service, self.work) = (service, work)
    let started = SystemThread { [self] in run(waking: loop) }
    guard let started else { return nil }
    thread.withLock { $0 = started }
  }

  private func run(waking loop: WakePipe) {
    while !work.isStopped {
      guard let job = state.withLock({ $0.next() }) else {
        work.wait(milliseconds: -1)
        continue
      }
      let (answer, isRefused) = service.answer(to: job.head, from: job.peer)
      state.withLock {
        $0.made.append(
          Made(
            connection: job.connection,
            serial: job.serial,
            answer: answer,
            isRefused: isRefused
          )
        )
      }
      loop.signal()
    }
  }

  /// Adds a request, and returns the number of its answer.
  func add(_ head: RequestHead, from peer: SocketPeer, on connection: Int32) -> UInt64 {
    defer { work.signal() }
    return state.withLock { state in
      state.serial += 1
      let job = Job(connection: connection, serial: state.serial, head: head, peer: peer)
      if state.waiting[peer] == nil { state.turns.append(peer) }
      state.waiting[peer, default: []].append(job)
      return state.serial
    }
  }

  /// Removes the request of a connection that was closed.
  func remove(_ connection: Int32) {
    state.withLock { state in
      for (peer, jobs) in state.waiting
      where jobs.contains(where: { $0.connection == connection }) {
        state.waiting[peer]?.removeAll { $0.connection == connection }
        guard state.waiting[peer]?.isEmpty ?? true else { continue }
        state.waiting[peer] = nil
        state.turns.removeAll { $0 == peer }
      }
    }
  }

  /// Returns and removes the answers made so far.
  func drain() -> [Made] {
    state.withLock { state in
      defer { state.made = [] }
      return state.made
    }
  }

  /// Ends the thread, after the answer that it makes.
  func stop() {
    work.stop()
    thread.withLock { $0.take() }?.join()
  }
}
