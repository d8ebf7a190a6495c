// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A queue for work that waits for the disk; while some is scheduled, no more is scheduled.
///
/// The work writes everything that waits when it begins, so that many changes cost one write.
package final class CoalescingWriter: Sendable {
  private let queue: DispatchQueue
  private let isScheduled = Mutex(false)

  /// - Parameters:
  ///   - label: The name of the queue, for a debugger.
  ///   - isOneOfMany: Whether others choose how many such writers there are, as a service's clients do. All of those together
  ///     have ``mostThreads`` threads: libdispatch starts a thread for each queue that waits for the disk, and waits without an
  ///     end for a thread that the system does not give.
  package init(_ label: String, isOneOfMany: Bool = false) {
    queue = DispatchQueue(label: label, target: isOneOfMany ? Self.nextShared() : nil)
  }

  /// The most threads of all writers of many.
  ///
  /// A disk writes for several at a time: one thread would take longer.
  private static let mostThreads = 4
  private static let shared = (1...mostThreads).map { DispatchQueue(label: "beacons.shared.\($0)") }
  private static let count = Mutex(0)

  /// The shared queues in turn.
  private static func nextShared() -> DispatchQueue {
    count.withLock { count in
      count = (count + 1) % mostThreads
      return shared[count]
    }
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

  /// Performs work after everything that is scheduled without a delay, and waits for it, but not for a disk that stalls.
  ///
  /// - Parameters:
  ///   - limit: How long it waits; `nil` for as long as it takes.
  ///   - patience: How long it waits after the program was asked to stop, if other parts leave as much of the time.
  ///   - work: What to do.
  /// - Returns: Whether the work is done; otherwise it may be done later.
  package func finish(
    within limit: Duration?,
    afterSignal patience: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> Bool {
    let isDone = Done()
    queue.async {
      work()
      isDone.value.withLock { $0 = true }
      isDone.wakeUp?.signal()
    }
    let start = ContinuousClock.now
    var stop = limit.map { start + $0 }
    var isAsked = false
    while !isDone.value.withLock({ $0 }) {
      if let wakeUp = isDone.wakeUp {
        wakeUp.wait(milliseconds: Self.interval)
      } else {
        usleep(1_000)
      }
      let now = ContinuousClock.now
      if !isAsked, Interruption.cause != nil {
        isAsked = true
        let share = Interruption.share(upTo: patience)
        stop = min(stop ?? now + share, now + share)
      }
      if let stop, now >= stop { return false }
    }
    return true
  }

  /// How often ``finish(within:afterSignal:_:)`` looks whether the program was asked to stop.
  private static let interval: Int32 = 50

  private final class Done: Sendable {
    let value = Mutex(false)
    let wakeUp = WakePipe()
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
