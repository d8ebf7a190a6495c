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

/// A thread of the system, for work that waits in system calls.
///
/// In a task such work would take a thread from all other tasks.
package final class SystemThread: Sendable {
  private let thread: Mutex<pthread_t?>

  /// Starts a thread; `nil` if the system has none left.
  ///
  /// The thread runs on when nothing refers to this object any more.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let start = unsafe Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
      var started: pthread_t?
      let status = unsafe pthread_create(&started, nil, { unsafe runStart($0) }, start.toOpaque())
    #else
      var new = pthread_t()
      let status = unsafe pthread_create(&new, nil, { unsafe runStart($0) }, start.toOpaque())
      let started: pthread_t? = new
    #endif
    guard status == 0 else {
      unsafe start.release()
      return nil
    }
    thread = Mutex(started)
  }

  deinit {
    if let running = take() { pthread_detach(running) }
  }

  /// Waits for the end of the thread, once.
  package func join() {
    if let running = take() { _ = pthread_join(running, nil) }
  }

  private func take() -> pthread_t? {
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }
}

/// The function of a new thread.
private final class Start: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runStart(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start = unsafe start else { return nil }
  unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
  return nil
}
