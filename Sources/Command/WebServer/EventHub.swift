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
  }

  private let state = Mutex(State())

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

  /// Counts a connection that was closed although its reader had not closed it.
  func countCut() {
    state.withLock { $0.statistics.cut += 1 }
  }

  /// Opens a stream that starts with the topic's last event.
  func open(_ topic: String) -> EventStream {
    state.withLock { state in
      // A browser that lost the stream connects again after a second.
      let first = Array("retry: 1000\n\n".utf8) + (state.last[topic] ?? [])
      let stream = EventStream(topic, first: first)
      state.streams[ObjectIdentifier(stream)] = stream
      return stream
    }
  }

  /// Removes a stream whose connection is closed.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - isDropped: Whether its reader did not keep up.
  func close(_ stream: EventStream, isDropped: Bool = false) {
    state.withLock { state in
      state.streams[ObjectIdentifier(stream)] = nil
      if isDropped { state.statistics.dropped += 1 }
    }
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

  /// Ends all streams.
  func end() {
    state.withLock { state in
      for stream in state.streams.values { stream.end() }
    }
  }
}
