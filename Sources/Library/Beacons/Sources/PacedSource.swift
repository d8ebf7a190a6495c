// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A source that replays another source at a given speed: as recorded, faster or slower.
///
/// Only the waiting time differs. The inputs, and so the events, are those of the other source.
public actor PacedSource: ScanSource {
  /// Inputs nearer together than this come at once: the user sees no difference, and waiting costs more than they do.
  private static let grain = TimeSpan.milliseconds(20)

  /// Whether the replayed source is live.
  public nonisolated let isLive: Bool

  private let source: any ScanSource
  private let speed: Double
  /// The time that has passed by the clock.
  private let elapsed: @Sendable () -> TimeSpan
  private let sleep: @Sendable (TimeSpan) async throws -> Void
  /// How long a call waits; `nil` for until the next input is due.
  private let patience: TimeSpan?
  /// Inputs before this time are due immediately.
  private let begin: Timestamp
  private var batch: ScanBatch?
  private var index = 0
  private var start: (elapsed: TimeSpan, time: Timestamp)?
  /// Whether the caller knows that the next input is not due.
  private var isAwaited = false

  /// Creates a paced source.
  ///
  /// - Parameters:
  ///   - source: The source to replay.
  ///   - speed: How many seconds of the timeline pass in one second of the clock; at least one millionth.
  ///   - clock: The clock to wait with; the machine's, unless a test has its own.
  public init(
    _ source: any ScanSource,
    speed: Double,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    let origin = clock.now
    self.init(
      source,
      speed: speed,
      elapsed: { TimeSpan(origin.duration(to: clock.now)) },
      sleep: { try await clock.sleep(for: $0.duration) }
    )
  }

  /// Creates a paced source that returns to its caller while no input is due.
  ///
  /// - Parameters:
  ///   - source: The source to replay.
  ///   - speed: How many seconds of the timeline pass in one second of the clock.
  ///   - patience: How long a call waits. Then it returns an empty batch, and so does the first call for an input that is
  ///     not due. `nil` waits until it is due.
  ///   - begin: Inputs before this time are due immediately.
  ///   - first: A batch that was read from the source.
  ///   - elapsed: The time that has passed by the clock.
  ///   - sleep: Waits.
  package init(
    _ source: any ScanSource,
    speed: Double,
    patience: TimeSpan? = nil,
    from begin: Timestamp = .earliest,
    after first: ScanBatch? = nil,
    elapsed: @escaping @Sendable () -> TimeSpan,
    sleep: @escaping @Sendable (TimeSpan) async throws -> Void
  ) {
    self.source = source
    self.speed = max(speed, 1e-6)
    self.patience = patience
    self.begin = begin
    batch = first
    self.elapsed = elapsed
    self.sleep = sleep
    isLive = source.isLive
  }

  /// The current time of the source's timeline, by the clock once it has begun; it throws the source's errors.
  public var now: Timestamp {
    get async throws {
      guard let start else { return try await source.now }
      let now = start.time + TimeSpan(seconds: (elapsed() - start.elapsed).seconds * speed)
      return nextTime.map { min($0, now) } ?? now
    }
  }

  /// The names of the source's receivers.
  public var receiverNames: [String] { get async { await source.receiverNames } }

  /// How far local time is ahead of UTC, as the source knows it.
  public var utcOffset: TimeSpan? { get async { await source.utcOffset } }

  /// The inputs that the source dropped.
  public var drops: Tally<DropReason> { get async { await source.drops } }

  /// Whether the replayed source is simulated.
  public nonisolated var isSimulated: Bool { source.isSimulated }

  /// The time of the next input that was read.
  private var nextTime: Timestamp? {
    batch.flatMap { index < $0.inputs.count ? $0.inputs[index].time : nil }
  }

  /// Returns the next input, after waiting for its time, with those that come at most 20 ms later.
  ///
  /// - Parameter deadline: Passed on to the source.
  /// - Returns: A batch; one without inputs only reports the time, as the source does. `nil` when the source has ended.
  /// - Throws: Errors of the source, and `CancellationError` when the task is cancelled.
  public func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    while nextTime == nil {
      guard let next = try await source.next(until: deadline) else { return nil }
      // A batch without inputs only reports the time. Pass it on.
      if next.inputs.isEmpty { return next }
      (batch, index) = (next, 0)
    }
    guard let batch, let time = nextTime, try await isDue(time) else { return ScanBatch() }
    let first = index
    while let next = nextTime, next - time < Self.grain { index += 1 }
    return ScanBatch(
      bytes: batch.bytes,
      inputs: Array(batch.inputs[first..<index]),
      upTo: index == batch.inputs.count ? batch.upTo : nil
    )
  }

  /// Waits for a time, but not longer than the caller's patience; returns whether it has come.
  private func isDue(_ time: Timestamp) async throws -> Bool {
    guard let start else {
      if time >= begin { start = (elapsed(), time) }
      return true
    }
    let due = start.elapsed + TimeSpan(seconds: (time - start.time).seconds / speed)
    let wait = due - elapsed()
    guard wait > .zero else { return true }
    guard let patience else {
      try await sleep(wait)
      return true
    }
    guard isAwaited else {
      isAwaited = true
      return false
    }
    try await sleep(min(wait, patience))
    isAwaited = wait > patience
    return !isAwaited
  }
}

/// The time that a paced replay of a run waits by; the thread of the run waits.
package protocol PlaybackClock: Sendable {
  /// Time since some start, never going back.
  var elapsed: TimeSpan { get }
  /// Waits.
  func sleep(for span: TimeSpan)
}
