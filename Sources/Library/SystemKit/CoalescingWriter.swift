// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

/// A queue for work that waits for the disk; while some is scheduled, no more is scheduled.
///
/// The work writes everything that waits when it begins, so that many changes cost one write.
package final class CoalescingWriter: Sendable {
  private let queue: DispatchQueue
  private let isScheduled = Mutex(false)

  package init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  /// Schedules work, unless some is scheduled already, and returns immediately.
  package func schedule(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
    let isNew = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    guard isNew else { return }
    let begin: @Sendable () -> Void = { [self] in
      isScheduled.withLock { $0 = false }
      work()
    }
    if delay > .zero {
      let (seconds, attoseconds) = delay.components
      let wait = DispatchTimeInterval.nanoseconds(
        Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
      )
      queue.asyncAfter(deadline: .now() + wait, execute: begin)
    } else {
      queue.async(execute: begin)
    }
  }

  /// Performs work after everything that is scheduled without a delay, and waits for it.
  package func wait<Result>(_ work: () throws -> Result) rethrows -> Result {
    try queue.sync(execute: work)
  }

  /// Performs work after everything that is scheduled without a delay; the caller's thread does not wait.
  package func perform<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }
}
