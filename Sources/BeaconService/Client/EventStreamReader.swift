// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Glibc
internal import Synchronization

/// Reads a stream of the service on a thread of its own, since reading blocks.
final class EventStreamReader: Sendable {
  private struct State: Sendable {
    var isOpen = true
    var last: UInt64
  }

  private let descriptor: Int32
  private let state: Mutex<State>
  private let deliver: @Sendable (EventLineReader.Line) -> Void

  /// Takes over the reader's end of a stream.
  ///
  /// - Parameters:
  ///   - descriptor: The open descriptor.
  ///   - last: The number of the last crossing that was received before.
  ///   - deliver: Receives each line that is an event, in order.
  init(
    _ descriptor: Int32,
    after last: UInt64,
    deliver: @escaping @Sendable (EventLineReader.Line) -> Void
  ) {
    self.descriptor = descriptor
    self.deliver = deliver
    state = Mutex(State(last: last))
    let context = unsafe Unmanaged.passRetained(self)
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread,
      nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<EventStreamReader>.fromOpaque(context).takeRetainedValue().run()
        return nil
      },
      context.toOpaque()
    )
    guard status == 0 else {
      unsafe context.release()
      state.withLock { $0.isOpen = false }
      return
    }
    pthread_detach(thread)
  }

  deinit { _ = Glibc.close(descriptor) }

  /// Whether more may come.
  var isOpen: Bool { state.withLock(\.isOpen) }

  /// The number of the last crossing; 0 before the first.
  var last: UInt64 { state.withLock(\.last) }

  /// Ends reading; what was received is still delivered.
  func stop() {
    state.withLock { $0.isOpen = false }
    // Wakes the thread; the descriptor is closed when nobody uses it any more.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private func run() {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest += buffer.prefix(count)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        receive(Array(rest[..<end]))
        rest.removeSubrange(...end)
      }
      // A line that never ends is none of the service's.
      if rest.count > EventLineReader.longestLine { break }
    }
    state.withLock { $0.isOpen = false }
  }

  private func receive(_ bytes: [UInt8]) {
    guard let line = EventLineReader.read(bytes) else { return }
    if let number = line.sequence {
      // Given again by a service that was started again.
      let isNew = state.withLock { state in
        defer { state.last = max(state.last, number) }
        return number > state.last
      }
      guard isNew else { return }
    }
    deliver(line)
  }
}
