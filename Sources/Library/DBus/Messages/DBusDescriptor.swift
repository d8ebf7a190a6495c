// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import Synchronization

/// A file descriptor in a message, `h` on the wire; it is closed with its last reference unless it was taken.
package final class DBusDescriptor: Sendable, Equatable {
  private let number: Mutex<Int32>

  /// Takes over an open descriptor.
  package init(owning number: Int32) {
    self.number = Mutex(number)
  }

  /// Calls a closure with the descriptor's number, -1 if it was taken; the closure does not close it.
  package func withNumber<Result>(_ body: (Int32) -> Result) -> Result {
    number.withLock { body($0) }
  }

  /// Hands over the descriptor, which the caller closes; `nil` if it was handed over before.
  package func take() -> Int32? {
    number.withLock { number in
      guard number >= 0 else { return nil }
      defer { number = -1 }
      return number
    }
  }

  deinit {
    if let number = take() { _ = close(number) }
  }

  /// Whether two values are the same descriptor.
  package static func == (one: DBusDescriptor, other: DBusDescriptor) -> Bool { one === other }
}
