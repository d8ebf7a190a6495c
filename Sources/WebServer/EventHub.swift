// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// The streams that are open, by topic, and the last event of each topic.
final class EventHub: Sendable {
  private struct State {
    var streams: [ObjectIdentifier: EventStream] = [:]
    /// The last event of each topic, as it is sent.
    var last: [String: [UInt8]] = [:]
    var statistics = WebServerStatistics()
    var isOver = false
  }

  private let state = Mutex(State())
  private let most: Int

  /// - Parameter most: How many streams there may be at once.
  init(most: Int) {
    self.most = most
  }

  var statistics: WebServerStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.streams = state.streams.count
      return statistics
    }
  }

  /// Counts a request.
  func count(refused: Bool) {
    state.withLock { state in
      state.statistics.requests += 1
      if refused { state.statistics.refused += 1 }
    }
  }

  /// Opens a stream that starts with the topic's last event; `nil` where there are too many.
  func open(_ topic: String, on connection: ConnectionHandle) -> EventStream? {
    state.withLock { state in
      guard !state.isOver, state.streams.count < most else { return nil }
      // A browser that lost the stream connects again after a second.
      let first = Array("retry: 1000\n\n".utf8) + (state.last[topic] ?? [])
      let stream = EventStream(topic, connection: connection, first: first)
      state.streams[ObjectIdentifier(stream)] = stream
      return stream
    }
  }

  /// Removes a stream whose connection is closed.
  func close(_ stream: EventStream) {
    _ = state.withLock { $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
  }

  /// Sends an event to all streams of a topic, and as the first event to later ones.
  func publish(_ bytes: [UInt8], to topic: String) {
    state.withLock { state in
      state.last[topic] = bytes
      for stream in state.streams.values where stream.topic == topic {
        if !stream.push(bytes) { state.statistics.dropped += 1 }
      }
    }
  }

  /// Sends a comment to all streams, so that a reader that is gone is noticed.
  func keepAlive() {
    state.withLock { state in
      for stream in state.streams.values where !stream.push(Array(":\n\n".utf8)) {
        state.statistics.dropped += 1
      }
    }
  }

  /// Ends all streams, for good.
  func end() {
    state.withLock { state in
      state.isOver = true
      for stream in state.streams.values { stream.end() }
    }
  }
}
