// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import Synchronization
internal import SystemKit

/// Writes streams to their readers; readers do not delay each other.
///
/// A line is written immediately, as far as its reader takes it without waiting. The rest is written by a
/// separate thread when the reader takes it. Descriptors are closed only on that thread, so that a number is never used for
/// another file.
package final class StreamPump: Sendable {
  private struct Stream: Sendable {
    let descriptor: Int32
    var queue = StreamQueue()
    /// Nothing more comes: it is closed when all is written.
    var isFinished = false

    /// Adds a line; returns whether the thread has to continue with it.
    mutating func put(_ bytes: [UInt8], _ kind: StreamLine) -> Bool {
      guard !isFinished else { return false }
      let wasEmpty = queue.isEmpty
      // Waiting lines come first.
      let written = wasEmpty ? send(bytes[...]) ?? 0 : 0
      guard written < bytes.count else { return false }
      if !queue.put(bytes, kind) { isFinished = true }
      if written > 0 { queue.wrote(written) }
      return wasEmpty || isFinished
    }

    /// Writes as much as the reader takes without waiting; returns the number of bytes, `nil` if the reader is gone.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return count }
      return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Writes the waiting lines, as far as the reader takes it without waiting; returns false if the reader is gone.
    mutating func writeWaiting() -> Bool {
      while !queue.isEmpty {
        guard let count = send(queue.next) else { return false }
        guard count > 0 else { break }
        queue.wrote(count)
      }
      return true
    }
  }

  private struct State: Sendable {
    var streams: [UInt32: Stream] = [:]
    var isStopped = false
  }

  private let state = Mutex(State())
  private let wakeUp: WakePipe
  private let ended: @Sendable (UInt32) -> Void
  private let reserve: Int

  /// Starts the thread; `nil` if the system has no thread or descriptor left.
  ///
  /// - Parameters:
  ///   - reserve: How many descriptors streams leave to the process.
  ///   - ended: Called with the number of a stream that ended by itself: its reader closed it, or was too slow.
  package init?(
    leaving reserve: Int = ServiceQuotas.reserve,
    _ ended: @escaping @Sendable (UInt32) -> Void
  ) {
    (self.ended, self.reserve) = (ended, reserve)
    guard let wakeUp = WakePipe() else { return nil }
    self.wakeUp = wakeUp
    guard SystemThread({ self.run() }) != nil else { return nil }
  }

  /// Opens a stream.
  ///
  /// - Returns: The reader's end, which the caller owns; `nil` if the system has no descriptor left for streams.
  package func open(_ number: UInt32) -> Int32? {
    guard FileDescriptor.hasRoom(leaving: reserve) else { return nil }
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    // The reader's end blocks as its program likes; ours never does.
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let isOpen = state.withLock { state in
      guard !state.isStopped else { return false }
      state.streams[number] = Stream(descriptor: ends[0])
      return true
    }
    guard isOpen else {
      for end in ends { _ = close(end) }
      return nil
    }
    wake()
    return ends[1]
  }

  /// Adds lines to a stream.
  package func put(_ bytes: [UInt8], _ kind: StreamLine, to number: UInt32) {
    let isWaiting = state.withLock { $0.streams[number]?.put(bytes, kind) ?? false }
    if isWaiting { wake() }
  }

  /// Drops the waiting lines of a stream that its client may no longer know.
  package func withdraw(regions: Bool, from number: UInt32) {
    state.withLock { $0.streams[number]?.queue.withdraw(regions: regions) }
  }

  /// Closes a stream when all is written that waits.
  package func finish(_ number: UInt32) {
    state.withLock { $0.streams[number]?.isFinished = true }
    wake()
  }

  /// Ends the thread and closes all streams.
  package func stop() {
    state.withLock { $0.isStopped = true }
    wake()
  }

  /// The numbers of the open streams.
  package var count: Int { state.withLock { $0.streams.count } }

  private func wake() { wakeUp.signal() }

  // MARK: The thread

  private func run() {
    while true {
      let (numbers, descriptors, isStopped) = state.withLock { state in
        let open = state.streams.sorted { $0.key < $1.key }
        let polled = open.map { entry in
          let events = entry.value.queue.isEmpty ? 0 : Int16(POLLOUT)
          return pollfd(fd: entry.value.descriptor, events: events, revents: 0)
        }
        return (open.map(\.key), polled, state.isStopped)
      }
      if isStopped { return closeAll(numbers) }
      var all = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)] + descriptors
      _ = unsafe poll(&all, nfds_t(all.count), -1)
      wakeUp.clear()
      for (number, polled) in zip(numbers, all.dropFirst()) {
        let isGone = polled.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
        serve(number, isGone: isGone)
      }
    }
  }

  /// Writes as much as a reader takes now.
  private func serve(_ number: UInt32, isGone: Bool) {
    let isEnded: Bool = state.withLock { state in
      let isBroken = isGone || state.streams[number]?.writeWaiting() == false
      guard let stream = state.streams[number] else { return false }
      // A reader that is too far behind loses the stream immediately; otherwise the waiting lines are written first.
      guard isBroken || (stream.isFinished && (stream.queue.isEmpty || stream.queue.isFull)) else {
        return false
      }
      state.streams[number] = nil
      _ = close(stream.descriptor)
      return true
    }
    if isEnded { ended(number) }
  }

  private func closeAll(_ numbers: [UInt32]) {
    state.withLock { state in
      for number in numbers {
        if let stream = state.streams.removeValue(forKey: number) { _ = close(stream.descriptor) }
      }
      // A stream that was opened in between.
      for stream in state.streams.values { _ = close(stream.descriptor) }
      state.streams = [:]
    }
  }
}
