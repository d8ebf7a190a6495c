// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Synchronization

/// What has been heard and not yet been taken: filled on the bus's thread, taken by the one task that pulls.
///
/// A wake-up of a task costs as much as the reading of several signals, so batches are handed over at intervals.
package final class Outbox: Sendable {
  /// The longest time between two batches: a live source gives a mark every 10 s.
  static let longestInterval = TimeSpan.seconds(10)
  /// The most inputs that wait: half a minute of a very busy place, and 4 MiB.
  package static let capacity = 1 << 16
  /// The most diagnostics that wait; nobody reads the two hundredth.
  private static let diagnosticCapacity = 256

  private typealias Waiter = CheckedContinuation<ScanBatch?, Never>

  private struct State {
    let interval: TimeSpan
    var batch = ScanBatch()
    var upTo: Timestamp
    var lastTaken: Timestamp
    var deadline: Timestamp?
    /// When the thread means to look next; `nil` when it does not.
    var planned: Timestamp?
    var waiter: Waiter?
    var hasEnded = false
    var dropped = 0
    var statistics = BlueZStatistics()
    var receiverNames: [String] = []
    var diagnostics: [BlueZDiagnostic] = []

    /// When the thread is to hand over next.
    var nextHandOver: Timestamp {
      let regular = lastTaken + (batch.inputs.isEmpty ? Outbox.longestInterval : interval)
      return min(regular, deadline.map { $0 + TimeSpan(microseconds: 1) } ?? regular)
    }

    /// Whether there is something to hand over.
    var isDue: Bool { upTo >= nextHandOver }

    mutating func take() -> ScanBatch {
      var taken = ScanBatch()
      swap(&taken, &batch)
      taken.upTo = upTo
      lastTaken = upTo
      return taken
    }
  }

  private let state: Mutex<State>

  /// Creates an empty outbox.
  ///
  /// - Parameters:
  ///   - start: Where the timeline stands.
  ///   - interval: The shortest time between two batches, but for one that is handed over at a deadline.
  package init(start: Timestamp, interval: TimeSpan) {
    state = Mutex(State(interval: interval, upTo: start, lastTaken: start))
  }
}

// MARK: - The bus's thread

extension Outbox {
  /// Adds what was heard and says how far the source has come; wakes the task that waits, when it is time.
  package func deliver(_ heard: inout ScanBatch, upTo: Timestamp, _ statistics: BlueZStatistics) {
    let (waiter, batch): (Waiter?, ScanBatch?) = state.withLock { state in
      if !heard.inputs.isEmpty { Self.append(&heard, to: &state) }
      state.upTo = max(state.upTo, upTo)
      state.statistics = statistics
      state.statistics.dropped = state.dropped
      guard let waiter = state.waiter, state.isDue else { return (nil, nil) }
      state.waiter = nil
      return (waiter, state.take())
    }
    waiter?.resume(returning: batch)
  }

  private static func append(_ heard: inout ScanBatch, to state: inout State) {
    if state.batch.inputs.isEmpty {
      swap(&heard, &state.batch)
    } else {
      let start = UInt32(truncatingIfNeeded: state.batch.bytes.count)
      // Bytes of reports that are given up must not pile up either, for as long as nobody pulls.
      var count = 0
      for input in heard.inputs {
        switch input {
        case .report(var report):
          guard state.batch.inputs.count < capacity else {
            state.dropped += 1
            continue
          }
          count = max(count, Int(report.payloadStart) + Int(report.payloadCount))
          report.payloadStart += start
          state.batch.inputs.append(.report(report))
        case .radio, .mark:
          state.batch.inputs.append(input)
        }
      }
      state.batch.bytes += heard.bytes.prefix(count)
    }
    heard.bytes.removeAll(keepingCapacity: true)
    heard.inputs.removeAll(keepingCapacity: true)
  }

  /// When the thread is to call ``deliver(_:upTo:_:)`` next; `nil` when nobody waits for what is due.
  var nextHandOver: Timestamp? {
    state.withLock { state in
      state.planned = state.waiter == nil && state.isDue ? nil : state.nextHandOver
      return state.planned
    }
  }

  /// Ends the stream of batches behind what is there.
  func end() {
    let (waiter, batch): (Waiter?, ScanBatch?) = state.withLock { state in
      state.hasEnded = true
      defer { state.waiter = nil }
      guard let waiter = state.waiter else { return (nil, nil) }
      return (waiter, state.batch.inputs.isEmpty ? nil : state.take())
    }
    waiter?.resume(returning: batch)
  }

  func add(_ diagnostic: BlueZDiagnostic) {
    state.withLock { state in
      if state.diagnostics.count < Self.diagnosticCapacity { state.diagnostics.append(diagnostic) }
    }
  }

  func add(receiver name: String) {
    state.withLock { $0.receiverNames.append(name) }
  }
}

// MARK: - The task that pulls

extension Outbox {
  /// Hands over the next batch; `nil` after the end.
  ///
  /// - Parameters:
  ///   - deadline: When an empty batch will do.
  ///   - wake: Called when the thread must look at the clock earlier than it meant to.
  /// - Returns: What was heard since the last.
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

  /// Takes a waiter in; whoever is to be resumed at once comes back.
  private func wait(
    _ waiter: Waiter,
    until deadline: Timestamp?,
    _ state: inout State
  ) -> (resumed: [Waiter], with: ScanBatch?, mustWake: Bool) {
    if state.hasEnded {
      return ([waiter], state.batch.inputs.isEmpty ? nil : state.take(), false)
    }
    state.deadline = deadline
    // Only one task pulls; another's turn ends with an empty batch rather than never.
    let replaced = state.waiter
    if state.isDue, replaced == nil { return ([waiter], state.take(), false) }
    state.waiter = waiter
    let mustWake = state.planned.map { state.nextHandOver < $0 } ?? true
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
