// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

/// Writes on a thread of its own: of several writes that wait, the newest is done and the others are dropped.
package final class CoalescingWriter: Sendable {
  private let queue = DispatchQueue(label: "beacons.writer")
  private let pending: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

  package init() {}

  /// Leaves a write to be done and returns at once.
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

  /// Returns when everything that was submitted before is done.
  package func flush() { queue.sync {} }
}
