// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import Synchronization

/// A thread of the system, for calls that wait.
enum LinkThread {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread that nobody waits for; returns whether the system had one.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let start = unsafe Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread,
      nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
      },
      start.toOpaque()
    )
    guard status == 0 else {
      unsafe start.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}

/// A pipe that other threads make readable to wake the one that polls it.
final class WakePipe: Sendable {
  /// The end to poll.
  let descriptor: Int32
  private let writing: Int32

  /// Creates a pipe; `nil` if the system has none left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// Wakes the thread; a full pipe wakes it, too.
  func signal() {
    var byte: UInt8 = 0
    _ = unsafe write(writing, &byte, 1)
  }

  /// Makes the pipe unreadable again.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 512)
    while unsafe read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
