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

/// Holds what other threads put in until one thread takes it, which can wait for it.
package final class Mailbox<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let wakeUp: WakePipe

  /// Creates an empty mailbox.
  ///
  /// - Throws: `SystemError` if the system has no pipe left.
  package init() throws(SystemError) {
    guard let wakeUp = WakePipe() else { throw SystemError(EMFILE, .make, "a pipe") }
    self.wakeUp = wakeUp
  }

  /// Adds an element, and wakes the thread that waits.
  package func put(_ element: Element) {
    elements.withLock { $0.append(element) }
    wakeUp.signal()
  }

  /// Returns the elements that came, in order, and forgets them.
  package func take() -> [Element] {
    elements.withLock { elements in
      defer { elements = [] }
      return elements
    }
  }

  /// Waits for an element, and returns those that came; a signal of the system may end the wait early.
  package func wait(milliseconds: Int32) -> [Element] {
    if elements.withLock(\.isEmpty) { wakeUp.wait(milliseconds: milliseconds) }
    return take()
  }
}
