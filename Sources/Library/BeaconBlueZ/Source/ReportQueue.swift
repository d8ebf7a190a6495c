// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Synchronization

/// Holds the inputs that were received and not yet pulled.
///
/// The bus's thread fills it, and one task empties it by pulling.
///
/// Waking a task costs as much as reading several signals, so batches are delivered at intervals.
package final class ReportQueue: Sendable {
  /// The longest time between two batches: a live source yields a mark at least every 10 s.
  static let longestInterval = TimeSpan.seconds(10)
  /// The most inputs that wait: half a minute's in a very busy place, in 4 MiB.
  package static let capacity = 1 << 16
  /// The most diagnostics that wait; no operator reads more.
  private static let diagnosticCapacity = 256

  private typealias Waiter = CheckedContinuation<ScanBatch?, Never>

  private struct State {
    let interval: TimeSpan
    var batch = ScanBatch()
    var upTo: Timestamp
    var lastDelivery: Timestamp
    var deadline: Timestamp?
    /// When the thread will call ``ReportQueue/deliver(_:upTo:_:)`` next; `nil` if no call is planned.
    var planned: Timestamp?
    var waiter: Waiter?
    var hasEnded = false
    var dropped = 0
    var statistics = BlueZStatistics()
    var receiverNames: [String] = []
    var diagnostics: [BlueZDiagnostic] = []

    /// When the next batch is due.
    var nextDelivery: Timestamp {
      let regular = lastDelivery + (batch.inputs.isEmpty ? ReportQueue.longestInterval : interval)
      return min(regular, deadline.map { $0 + TimeSpan(microseconds: 1) } ?? regular)
    }

    /// Whether a batch is due now.
    var isDue: Bool { upTo >= nextDelivery }

    mutating func drain() -> ScanBatch {
      var drained = ScanBatch()
      swap(&drained, &batch)
      drained.upTo = upTo
      lastDelivery = upTo
      return drained
    }
  }

  private let state: Mutex<State>

  /// Creates an empty outbox.
  ///
  /// - Parameters:
  ///   - start: The current time on the timeline.
  ///   - interval: The shortest time between two batches, except for one that is delivered at a deadline.
  package init(start: Timestamp, interval: TimeSpan) {
    state = Mutex(State(interval: interval, upTo: start, lastDelivery: start))
  }
}

// MARK: - The bus's thread

extension ReportQueue {
  /// Adds received inputs and notes the time up to which they are complete.
  ///
  /// Wakes the waiting task if a batch is due.
  package func deliver(_ received: inout ScanBatch, upTo: Timestamp, _ statistics: BlueZStatistics)
  {
    let (waiter, batch): (Waiter?, ScanBatch?) = state.withLock { state in
      if !received.inputs.isEmpty { Self.append(&received, to: &state) }
      state.upTo = max(state.upTo, upTo)
      state.statistics = statistics
      state.statistics.dropped = state.dropped
      guard let waiter = state.waiter, state.isDue else { return (nil, nil) }
      state.waiter = nil
      return (waiter, state.drain())
    }
    waiter?.resume(returning: batch)
  }

  private static func append(_ received: inout ScanBatch, to state: inout State) {
    if state.batch.inputs.isEmpty {
      swap(&received, &state.batch)
    } else {
      let start = state.batch.bytes.count
      // While no task pulls, the bytes of dropped reports must not accumulate either.
      var count = 0
      for input in received.inputs {
        if case .report = input, state.batch.inputs.count >= capacity {
          state.dropped += 1
          continue
        }
        let range = input.pointsTo
        count = max(count, range.upperBound)
        state.batch.inputs.append(input.pointing(to: start + range.lowerBound))
      }
      state.batch.bytes += received.bytes.prefix(count)
    }
    received.bytes.removeAll(keepingCapacity: true)
    received.inputs.removeAll(keepingCapacity: true)
  }

  /// When the thread must call ``deliver(_:upTo:_:)`` next; `nil` if a batch is due and no task waits for it.
  var nextDelivery: Timestamp? {
    state.withLock { state in
      state.planned = state.waiter == nil && state.isDue ? nil : state.nextDelivery
      return state.planned
    }
  }

  /// Ends the batches after the pending one.
  func end() {
    let (waiter, batch): (Waiter?, ScanBatch?) = state.withLock { state in
      state.hasEnded = true
      defer { state.waiter = nil }
      guard let waiter = state.waiter else { return (nil, nil) }
      return (waiter, state.batch.inputs.isEmpty ? nil : state.drain())
    }
    waiter?.resume(returning: batch)
  }

  /// Adds a warning for the operator.
  func add(_ diagnostic: BlueZDiagnostic) {
    state.withLock { state in
      if state.diagnostics.count < Self.diagnosticCapacity { state.diagnostics.append(diagnostic) }
    }
  }

  /// Adds the name of a new receiver.
  func add(receiver name: String) {
    state.withLock { $0.receiverNames.append(name) }
  }
}

// MARK: - The task that pulls

extension ReportQueue {
  /// Waits for the next batch; `nil` after the end.
  ///
  /// - Parameters:
  ///   - deadline: The time at which an empty batch is returned.
  ///   - wake: Called if the thread must run earlier than planned.
  /// - Returns: The reports since the last batch.
  package func next(until deadline: Timestamp?, wake: @Sendable () -> Void) async -> ScanBatch? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let (others, batch, mustWake) = state.withLock { state in
          wait(waiter, until: deadline, &state)
        }
        for other in others { other.resume(returning: batch) }
        if mustWake { wake() }
      }
    } onCancel: {
      end()
    }
  }

  /// Adds a waiter, and returns the waiters to resume immediately.
  private func wait(
    _ waiter: Waiter,
    until deadline: Timestamp?,
    _ state: inout State
  ) -> (resumed: [Waiter], with: ScanBatch?, mustWake: Bool) {
    if state.hasEnded {
      return ([waiter], state.batch.inputs.isEmpty ? nil : state.drain(), false)
    }
    state.deadline = deadline
    // Only one task may pull. If a second one does, the first gets an empty batch, so that neither waits for ever.
    let replaced = state.waiter
    if state.isDue, replaced == nil { return ([waiter], state.drain(), false) }
    state.waiter = waiter
    let mustWake = state.planned.map { state.nextDelivery < $0 } ?? true
    return (replaced.map { [$0] } ?? [], ScanBatch(upTo: state.upTo), mustWake)
  }

  package var statistics: BlueZStatistics { state.withLock { $0.statistics } }
  var receiverNames: [String] { state.withLock { $0.receiverNames } }

  func drainDiagnostics() -> [BlueZDiagnostic] {
    state.withLock { state in
      defer { state.diagnostics = [] }
      return state.diagnostics
    }
  }
}
