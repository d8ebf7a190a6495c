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

  /// The smallest stack with which a process begins, in bytes: drawing and reports use some 100 KiB.
  package static let leastStack = 1 << 20

  /// Whether the stacks of the process's threads may have ``leastStack``.
  package static var hasStack: Bool {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_STACK.rawValue)
    #else
      let resource = RLIMIT_STACK
    #endif
    return unsafe getrlimit(resource, &limit) != 0 || limit.rlim_cur >= rlim_t(leastStack)
  }

  /// The threads of a command and of the system's libraries, which wait without an end for threads that they cannot start.
  package static let leastThreads = 8

  /// Whether the process may have ``leastThreads`` more threads now.
  package static var hasThreads: Bool {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return false }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, leastStack)
    var threads: [pthread_t] = []
    while threads.count < leastThreads, let thread = waiting(for: ends[0], &attributes) {
      threads.append(thread)
    }
    _ = close(ends[1])
    for thread in threads { _ = pthread_join(thread, nil) }
    _ = close(ends[0])
    _ = unsafe pthread_attr_destroy(&attributes)
    return threads.count == leastThreads
  }

  /// A thread that ends when the other end of a pipe is closed.
  private static func waiting(for end: Int32, _ attributes: inout pthread_attr_t) -> pthread_t? {
    let argument = unsafe UnsafeMutableRawPointer(bitPattern: Int(end) + 1)
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = unsafe pthread_create(&thread, &attributes, { unsafe waitForEnd($0) }, argument)
    #else
      var thread = pthread_t()
      let status = unsafe pthread_create(&thread, &attributes, { unsafe waitForEnd($0) }, argument)
    #endif
    return status == 0 ? thread : nil
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

private func waitForEnd(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var byte: UInt8 = 0
  _ = unsafe read(Int32(truncatingIfNeeded: Int(bitPattern: argument) - 1), &byte, 1)
  return nil
}

private func runStart(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start = unsafe start else { return nil }
  unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
  return nil
}
