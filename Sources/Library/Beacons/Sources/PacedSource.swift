// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A source that replays another source at a given speed: as recorded, faster or slower.
///
/// Only the waiting time differs. The inputs, and so the events, are those of the other source.
public actor PacedSource<C: Clock>: ScanSource where C.Duration == Duration {
  /// Whether the replayed source is live.
  public nonisolated let isLive: Bool

  private let source: any ScanSource
  private let speed: Double
  private let clock: C
  private var batch: ScanBatch?
  private var index = 0
  private var start: (instant: C.Instant, time: Timestamp)?

  /// Creates a paced source.
  ///
  /// - Parameters:
  ///   - source: The source to replay.
  ///   - speed: How many seconds of the timeline pass in one second of the clock; at least one millionth.
  ///   - clock: The clock to wait with.
  public init(_ source: any ScanSource, speed: Double, clock: C) {
    self.source = source
    self.speed = max(speed, 1e-6)
    self.clock = clock
    isLive = source.isLive
  }

  /// The current time of the source's timeline; it throws the source's errors.
  public var now: Timestamp { get async throws { try await source.now } }

  /// The names of the source's receivers.
  public var receiverNames: [String] { get async { await source.receiverNames } }

  /// How far local time is ahead of UTC, as the source knows it.
  public var utcOffset: TimeSpan? { get async { await source.utcOffset } }

  /// Returns the next input, after waiting for its time.
  ///
  /// - Parameter deadline: Passed on to the source.
  /// - Returns: A batch of one input, or of none if the source only reports the time; `nil` when the source has ended.
  /// - Throws: Errors of the source, and `CancellationError` when the task is cancelled.
  public func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    while batch.map({ index >= $0.inputs.count }) ?? true {
      guard let next = try await source.next(until: deadline) else { return nil }
      // A batch without inputs only reports the time. Pass it on.
      if next.inputs.isEmpty { return next }
      (batch, index) = (next, 0)
    }
    guard let batch else { return nil }
    let input = batch.inputs[index]
    index += 1
    try await wait(until: input.time)
    return ScanBatch(
      bytes: batch.bytes,
      inputs: [input],
      upTo: index == batch.inputs.count ? batch.upTo : nil
    )
  }

  private func wait(until time: Timestamp) async throws {
    guard let start else {
      start = (clock.now, time)
      return
    }
    let elapsed = TimeSpan(seconds: (time - start.time).seconds / speed)
    let due = start.instant.advanced(by: elapsed.duration)
    if due > clock.now { try await clock.sleep(until: due, tolerance: nil) }
  }
}

extension PacedSource: SimulatedSource {
  /// Whether the replayed source is simulated.
  package nonisolated var isSimulated: Bool { source.isLive && !source.usesAccountStore }
}

extension PacedSource where C == ContinuousClock {
  /// Creates a source that is paced by the machine's clock.
  ///
  /// - Parameters:
  ///   - source: The source to replay.
  ///   - speed: How many seconds of the timeline pass in one second; at least one millionth.
  public init(_ source: any ScanSource, speed: Double) {
    self.init(source, speed: speed, clock: ContinuousClock())
  }
}
