// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

/// Performs writes on a separate thread: of several waiting writes only the newest is performed.
package final class CoalescingWriter: Sendable {
  private let queue = DispatchQueue(label: "beacons.writer")
  private let pending: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  package init() {}

  /// Submits a write and returns at once.
  package func submit(_ write: @escaping @Sendable () -> Void) {
    let isNew = pending.withLock { pending in
      defer { pending = write }
      return pending == nil
    }
    guard isNew else { return }
    queue.async {
      let write = self.pending.withLock { $0.take() }
      write?()
    }
  }

  /// Waits until everything submitted before has been performed.
  package func flush() { queue.sync {} }
}
