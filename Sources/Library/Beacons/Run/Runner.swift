// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Waits for a ``RunCore``: for a source, a time of a paced replay, and a user.
///
/// It blocks its thread, so that a command gives it a separate thread.
package struct Runner {
  /// The result of a run.
  package struct Result {
    /// The engine's counts; `nil` when there was no input and so no time.
    package var statistics: EngineStatistics?
    /// Whether the user cut the run short.
    package var wasInterrupted = false
    /// The inputs that did not reach the engine, by reason.
    package var dropped = Tally<DropReason>()
  }

  /// How long the run waits for a live source before it looks whether the user wants to stop.
  ///
  /// Half a second: SIGINT ends the run well within two seconds, at two wake-ups a second.
  package static let usualPatience = TimeSpan.milliseconds(500)

  private var source: any ScanSource
  private let configure: ([String], TimeSpan?) -> Configuration
  private let participants: [any RunParticipant]
  private let isInterrupted: () -> Bool
  /// The program of the client; `nil` for one that makes its requests at the start only.
  package var program: (any RunParticipant)?
  /// The speed of a replay, and the clock to wait with; `nil` for full speed.
  package var pace: (speed: Double, clock: any PlaybackClock)?
  /// Returns, for the start of a replay, the time before which it is not paced.
  package var paceStart: ((Timestamp) throws -> Timestamp)?
  /// How long the run waits for a live source at a time.
  package var patience = Self.usualPatience
  /// How long a live run listens; `nil` for until it is stopped.
  package var duration: TimeSpan?
  /// Whether to continue past the end of the source, without ranging, until all regions have settled.
  package var drains = false

  private var end: Timestamp?
  /// The first inputs of a replay.
  private var first: ScanBatch?
  /// Whether the next input of a paced replay is not due.
  private var isEarly = false
  /// How far local time is ahead of UTC, where it is known.
  private var utcOffset: TimeSpan?
  /// Whether a batch was supplied since the time zone was last read.
  private var hasSupplied = false

  /// - Parameters:
  ///   - source: Where the inputs come from.
  ///   - participants: Who takes part, in order.
  ///   - isInterrupted: Asked before each batch whether to stop.
  ///   - configure: Returns the engine's configuration for the names of the receivers and the source's time zone.
  package init(
    _ source: any ScanSource,
    participants: [any RunParticipant],
    isInterrupted: @escaping () -> Bool,
    configure: @escaping (_ receivers: [String], _ utcOffset: TimeSpan?) -> Configuration
  ) {
    self.source = source
    self.participants = participants
    self.isInterrupted = isInterrupted
    self.configure = configure
  }

  /// Runs until the source ends or the user stops it.
  ///
  /// The timeline starts at a capture's first input, and immediately on a live source. A replay that is interrupted ends
  /// at its current point; a live run delivers everything that is still due.
  ///
  /// - Throws: The errors of the source and the participants; each participant gets the end nevertheless.
  package mutating func run() async throws -> Result {
    guard let start = try await start() else {
      return Result(dropped: await source.drops)
    }
    utcOffset = await source.utcOffset
    let receivers = await source.receiverNames
    end = duration.map { start + $0 }
    var policy = source.isLive ? EndPolicy.live : .replay
    policy.drains = drains
    var core = RunCore(
      RunEngine(EngineDriver(configure(receivers, utcOffset), startingAt: start)),
      receivers: receivers,
      policy: policy,
      participants: participants,
      program: program
    )
    let wasStopped: Bool
    do {
      wasStopped = try await follow(&core)
    } catch {
      try core.finish(isComplete: false)
      throw error
    }
    try core.finish(isComplete: true)
    return Result(
      statistics: core.context.engine.statistics,
      wasInterrupted: wasStopped || core.wasCutShort,
      dropped: await source.drops
    )
  }

  /// Returns where the timeline starts; `nil` for a replay without inputs.
  private mutating func start() async throws -> Timestamp? {
    let start = try await source.now
    guard !source.isLive else { return start }
    repeat { first = try await source.next(until: nil) } while first?.inputs.isEmpty ?? false
    guard let batch = first else { return nil }
    if let pace {
      source = PacedSource(
        source,
        speed: pace.speed,
        patience: patience,
        from: try paceStart?(start) ?? .earliest,
        after: batch,
        elapsed: { pace.clock.elapsed },
        sleep: { pace.clock.sleep(for: $0) }
      )
      first = nil
    }
    return start
  }

  /// Performs the waits of a run until it is over; returns whether the user stopped it while it drained.
  private mutating func follow(_ core: inout RunCore) async throws -> Bool {
    try core.begin()
    while true {
      switch try core.advance() {
      case .batch(let time):
        if source.isLive { try await listen(until: time, &core) } else { try await read(&core) }
      case .user:
        let goesOn = isInterrupted() || core.context.wantsEnd
        try core.waitForUser(within: goesOn ? nil : patience.duration)
      case .programs, .deliveries: continue
      case .draining: if isInterrupted() { return true }
      case .ended: return false
      }
    }
  }

  private mutating func listen(until time: Timestamp?, _ core: inout RunCore) async throws {
    if await noteZone(&core) { return }
    let now = core.context.now
    if isInterrupted() { return try interrupt(&core) }
    if let end, now >= end { return try core.end(.done) }
    let deadline = [time, end].compactMap { $0 }.reduce(now + patience, min)
    guard let batch = try await source.next(until: deadline) else {
      return try core.end(.sourceEnded)
    }
    try await supply(batch, &core)
  }

  /// Reads the next inputs of a replay.
  ///
  /// While none is due, a user's action is performed before the run waits again.
  private mutating func read(_ core: inout RunCore) async throws {
    if isEarly, try core.wait(at: try await source.now), !isInterrupted() { return }
    var batch = first.take()
    if batch == nil { batch = try await source.next(until: nil) }
    guard let batch else { return try core.end(.sourceEnded) }
    if isInterrupted() { return try interrupt(&core) }
    isEarly = pace != nil && batch.inputs.isEmpty
    if !isEarly { try await supply(batch, &core) }
  }

  /// Ends a run that was interrupted, once every action is performed that was accepted before.
  private func interrupt(_ core: inout RunCore) throws {
    guard try !core.wait() else { return }
    try core.end(.interrupted)
  }

  private mutating func supply(_ batch: ScanBatch, _ core: inout RunCore) async throws {
    hasSupplied = true
    try core.supply(batch, receivers: await source.receiverNames)
  }

  /// Performs a change of the time zone where a live source receives; returns whether there was one.
  private mutating func noteZone(_ core: inout RunCore) async -> Bool {
    guard hasSupplied else { return false }
    hasSupplied = false
    guard let offset = await source.utcOffset, offset != utcOffset else { return false }
    utcOffset = offset
    core.perform(.zone(utcOffset: offset))
    return true
  }
}
