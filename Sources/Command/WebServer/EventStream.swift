// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// One reader's stream of events: the events to send.
///
/// Publishers push, and the server's thread pulls.
final class EventStream: Sendable {
  /// The result of a pull.
  enum Pull: Equatable {
    /// These bytes are next.
    case bytes([UInt8])
    /// There is nothing to send now.
    case nothing
    /// The stream has ended.
    case ended
  }

  private struct State {
    var waiting: [UInt8] = []
    var sent = 0
    var hasEnded = false
    var wasDropped = false
  }

  /// The most bytes that wait for one reader: 64 KiB, a few hundred events, or two events if one is longer.
  static let capacity = 65_536

  /// The topic of the events.
  let topic: String
  private let state = Mutex(State())

  init(_ topic: String, first: [UInt8]) {
    self.topic = topic
    state.withLock { $0.waiting = first }
  }

  /// Adds bytes to send.
  ///
  /// - Returns: Whether the reader keeps up; a stream whose reader does not is ended.
  func push(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.hasEnded else { return true }
      let unsent = state.waiting.count - state.sent
      // An event that is longer than the capacity must not end the stream of a reader that has received all others.
      let keepsUp = unsent + bytes.count <= max(Self.capacity, 2 * bytes.count)
      if keepsUp {
        // Sent bytes are removed when they are more than half, so that a byte is moved once on average.
        if state.sent > state.waiting.count / 2 {
          state.waiting.removeFirst(state.sent)
          state.sent = 0
        }
        state.waiting += bytes
      } else {
        state.hasEnded = true
        state.wasDropped = true
        state.waiting = []
        state.sent = 0
      }
      return keepsUp
    }
  }

  /// Whether it was ended because its reader did not keep up.
  var wasDropped: Bool { state.withLock(\.wasDropped) }

  /// Ends the stream after everything that waits was sent.
  func end() {
    state.withLock { $0.hasEnded = true }
  }

  /// Removes and returns the bytes to send next.
  func pull(upTo most: Int) -> Pull {
    state.withLock { state in
      let count = min(most, state.waiting.count - state.sent)
      guard count > 0 else { return state.hasEnded ? .ended : .nothing }
      let next = Array(state.waiting[state.sent..<(state.sent + count)])
      state.sent += count
      if state.sent == state.waiting.count {
        state.waiting.removeAll(keepingCapacity: true)
        state.sent = 0
      }
      return .bytes(next)
    }
  }
}
