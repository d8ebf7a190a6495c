// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Changes the batches of a source on their way: it corrects clocks, adds places or watches radios.
package protocol BatchTransform: Sendable {
  /// Returns a changed batch, given the names of the receivers by then.
  mutating func add(_ batch: ScanBatch, receivers: [String]) -> ScanBatch
  /// Returns the last inputs once the source has ended; `nil` for none.
  mutating func finish(receivers: [String]) -> ScanBatch?
}

/// A source whose batches a transform changes.
package final class TransformedSource<Transform: BatchTransform>: ScanSource {
  private struct State {
    var transform: Transform
    var hasEnded = false
  }

  package let isLive: Bool
  private let source: any ScanSource
  private let delay: TimeSpan
  private let state: Mutex<State>

  /// - Parameters:
  ///   - source: The source.
  ///   - isLive: Whether the source continues without waiting for its listeners; `nil` if that is as without the transform.
  ///   - delay: How much earlier the timeline may start than that of the source.
  ///   - transform: Changes the batches.
  package init(
    _ source: any ScanSource,
    isLive: Bool? = nil,
    delay: TimeSpan = .zero,
    by transform: Transform
  ) {
    self.source = source
    self.isLive = isLive ?? source.isLive
    self.delay = delay
    state = Mutex(State(transform: transform))
  }

  /// Reads or changes the transform.
  package func withTransform<Result: Sendable>(_ body: (inout Transform) -> Result) -> Result {
    state.withLock { body(&$0.transform) }
  }

  package var now: Timestamp { get async throws { try await source.now - delay } }
  package var receiverNames: [String] { get async { await source.receiverNames } }
  package var utcOffset: TimeSpan? { get async { await source.utcOffset } }
  package var drops: Tally<DropReason> { get async { await source.drops } }
  package var isSimulated: Bool { source.isSimulated }

  package func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    let batch = try await source.next(until: deadline)
    let receivers = await source.receiverNames
    return state.withLock { state in
      if let batch { return state.transform.add(batch, receivers: receivers) }
      guard !state.hasEnded else { return nil }
      state.hasEnded = true
      return state.transform.finish(receivers: receivers)
    }
  }
}
