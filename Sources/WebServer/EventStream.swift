// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD
internal import Synchronization

/// One reader's stream of events: what waits to be sent, and whether its connection sleeps meanwhile.
///
/// The server's thread pulls, publishers push. Falling asleep and waking are decided under one lock, so that no event is
/// left behind in between.
final class EventStream: Sendable {
  /// What a pull came to.
  enum Pull: Equatable {
    /// So many bytes were copied.
    case bytes(Int)
    /// There is nothing to send; the connection sleeps.
    case asleep
    /// The stream is over.
    case ended
  }

  private struct State {
    var waiting: [UInt8] = []
    var sent = 0
    var isOver = false
    var isAsleep = false
  }

  /// The most bytes that wait for one reader: 64 KiB, a few hundred events.
  static let capacity = 65_536

  /// What the stream is of.
  let topic: String
  private let state = Mutex(State())
  private let connection: ConnectionHandle

  init(_ topic: String, connection: ConnectionHandle, first: [UInt8]) {
    self.topic = topic
    self.connection = connection
    state.withLock { $0.waiting = first }
  }

  /// Adds bytes to send.
  ///
  /// - Returns: Whether the reader keeps up; one that does not is sent nothing more.
  func push(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return true }
      let keepsUp = state.waiting.count - state.sent + bytes.count <= Self.capacity
      if keepsUp {
        // What was sent goes when it is most of what is kept, so that a byte is moved once on average.
        if state.sent > state.waiting.count / 2 {
          state.waiting.removeFirst(state.sent)
          state.sent = 0
        }
        state.waiting += bytes
      } else {
        state.isOver = true
        state.waiting = []
        state.sent = 0
      }
      wake(&state)
      return keepsUp
    }
  }

  /// Ends the stream when what waits was sent.
  func end() {
    state.withLock { state in
      state.isOver = true
      wake(&state)
    }
  }

  private func wake(_ state: inout State) {
    guard state.isAsleep else { return }
    state.isAsleep = false
    connection.resume()
  }

  /// Copies what waits into a buffer; with nothing to copy the connection falls asleep.
  func pull(into buffer: UnsafeMutablePointer<CChar>, upTo most: Int) -> Pull {
    state.withLock { state in
      let count = min(most, state.waiting.count - state.sent)
      if count > 0 {
        for index in 0..<count {
          unsafe buffer[index] = CChar(bitPattern: state.waiting[state.sent + index])
        }
        state.sent += count
        if state.sent == state.waiting.count {
          state.waiting.removeAll(keepingCapacity: true)
          state.sent = 0
        }
        return .bytes(count)
      }
      if state.isOver { return .ended }
      state.isAsleep = true
      connection.suspend()
      return .asleep
    }
  }
}

/// A connection of the C library, which lives as long as the stream that answers on it.
@safe
struct ConnectionHandle: @unchecked Sendable {
  // The library allows to resume a suspended connection from any thread; nothing else is done off its own.
  private let raw: OpaquePointer
  private let library: MicroHTTPD

  init(_ raw: OpaquePointer, _ library: MicroHTTPD) {
    unsafe self.raw = raw
    self.library = library
  }

  func suspend() { unsafe library.functions.suspend_connection(raw) }
  func resume() { unsafe library.functions.resume_connection(raw) }
}
