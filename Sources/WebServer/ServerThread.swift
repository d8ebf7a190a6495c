// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import Synchronization

/// The thread of a server.
final class ServerThread: Sendable {
  private let wakeUp: WakePipe
  private let thread: Mutex<pthread_t?>

  /// Starts the thread, which owns the socket from now on.
  init(
    _ socket: ListeningSocket,
    _ service: RequestService,
    _ hub: EventHub,
    _ limits: WebLimits
  ) throws(WebServerError) {
    guard let wakeUp = WakePipe() else {
      close(socket.descriptor)
      throw .failed("the system has no pipe left")
    }
    self.wakeUp = wakeUp
    let start = unsafe Unmanaged.passRetained(
      Start { ServerLoop(socket, wakeUp, service, hub, limits).run() }
    )
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
      close(socket.descriptor)
      throw .failed("the system has no thread left")
    }
    self.thread = Mutex(thread)
  }

  /// Lets the thread send the events that wait.
  func wake() { wakeUp.signal() }

  /// Ends the thread; no request is answered after this returns.
  func stop() {
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let running else { return }
    wakeUp.stop()
    pthread_join(running, nil)
  }

  /// The work of the new thread.
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// A pipe that other threads make readable to wake the one that polls it.
final class WakePipe: Sendable {
  /// The end to poll.
  let descriptor: Int32
  private let writing: Int32
  private let hasStopped = Atomic(false)

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

  /// Whether the thread has to end.
  var isStopped: Bool { hasStopped.load(ordering: .acquiring) }

  /// Wakes the thread; a full pipe wakes it, too.
  func signal() {
    var byte: UInt8 = 0
    _ = unsafe write(writing, &byte, 1)
  }

  /// Wakes the thread to end it.
  func stop() {
    hasStopped.store(true, ordering: .releasing)
    signal()
  }

  /// Makes the pipe unreadable again.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 512)
    while unsafe read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
