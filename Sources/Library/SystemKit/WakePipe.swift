// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A pipe that other threads make readable to wake the one that polls it.
package final class WakePipe: Sendable {
  /// The end to poll.
  package let descriptor: Int32
  private let writing: Int32
  private let hasStopped = Atomic(false)

  /// Creates a pipe; `nil` if the system has none left.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    _ = close(descriptor)
    _ = close(writing)
  }

  /// Wakes the thread; a full pipe wakes it as well.
  package func signal() {
    var byte: UInt8 = 0
    _ = unsafe write(writing, &byte, 1)
  }

  /// Wakes the thread to end it.
  package func stop() {
    hasStopped.store(true, ordering: .releasing)
    signal()
  }

  /// Whether the thread has to end.
  package var isStopped: Bool { hasStopped.load(ordering: .acquiring) }

  /// Makes the pipe unreadable again.
  package func clear() {
    var bytes = [UInt8](repeating: 0, count: 512)
    while unsafe read(descriptor, &bytes, bytes.count) == bytes.count {}
  }

  /// Waits for a signal since the last wait; a signal of the system may end the wait early.
  package func wait(milliseconds: Int32) {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if unsafe poll(&ready, 1, milliseconds) > 0 { clear() }
  }
}
