// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CMicroHTTPD
internal import Synchronization

/// One reader's stream of events: what waits to be sent, and whether its connection is suspended.
///
/// The server's thread pulls, publishers push. A connection is suspended and resumed under one lock, so that no event
/// is lost in between.
final class EventStream: Sendable {
  /// The result of a pull.
  enum Pull: Equatable {
    /// This many bytes were copied.
    case bytes(Int)
    /// There is nothing to send; the connection is suspended.
    case suspended
    /// The stream has ended.
    case ended
  }

  private struct State {
    var waiting: [UInt8] = []
    var sent = 0
    var hasEnded = false
    var isSuspended = false
  }

  /// The most bytes that wait for one reader: 64 KiB, a few hundred events.
  static let capacity = 65_536

  /// The topic of the events.
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
  /// - Returns: Whether the reader keeps up; a stream whose reader does not is ended.
  func push(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.hasEnded else { return true }
      let keepsUp = state.waiting.count - state.sent + bytes.count <= Self.capacity
      if keepsUp {
        // Sent bytes are removed when they are more than half, so that a byte is moved once on average.
        if state.sent > state.waiting.count / 2 {
          state.waiting.removeFirst(state.sent)
          state.sent = 0
        }
        state.waiting += bytes
      } else {
        state.hasEnded = true
        state.waiting = []
        state.sent = 0
      }
      resume(&state)
      return keepsUp
    }
  }

  /// Ends the stream after everything that waits was sent.
  func end() {
    state.withLock { state in
      state.hasEnded = true
      resume(&state)
    }
  }

  private func resume(_ state: inout State) {
    guard state.isSuspended else { return }
    state.isSuspended = false
    connection.resume()
  }

  /// Copies what waits into a buffer; with nothing to copy, the connection is suspended.
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
      if state.hasEnded { return .ended }
      state.isSuspended = true
      connection.suspend()
      return .suspended
    }
  }
}

/// A connection of the C library, which exists as long as the stream that answers on it.
@safe
struct ConnectionHandle: @unchecked Sendable {
  // The library allows any thread to resume a suspended connection; everything else is done on its own thread.
  private let raw: OpaquePointer
  private let library: MicroHTTPD

  init(_ raw: OpaquePointer, _ library: MicroHTTPD) {
    unsafe self.raw = raw
    self.library = library
  }

  func suspend() { unsafe library.functions.suspend_connection(raw) }
  func resume() { unsafe library.functions.resume_connection(raw) }
}
