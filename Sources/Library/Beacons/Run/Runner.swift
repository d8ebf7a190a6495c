// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Waits for a ``RunCore``: for a source, a time of a paced replay, and a user.
///
/// It blocks its thread, so that a command gives it a thread of its own.
package struct Runner {
  /// What a run leaves behind.
  package struct Result {
    /// What the engine counted; `nil` when there was no input and so no time.
    package var statistics: EngineStatistics?
    /// Whether the user cut the run short.
    package var wasInterrupted = false
  }

  /// How long the run waits for a live source before it looks whether the user wants to stop.
  ///
  /// Half a second: SIGINT ends the run well within two seconds, at two wake-ups a second.
  package static let usualPatience = TimeSpan.milliseconds(500)

  private let source: any RunSource
  private let configure: ([String], TimeSpan?) -> Configuration
  private let participants: [any RunParticipant]
  private let isInterrupted: () -> Bool
  /// The program of the client; `nil` for one that makes its requests at the start only.
  package var program: (any RunParticipant)?
  /// The speed of a replay; `nil` for full speed.
  package var pace: Pace?
  /// How long the run waits for a live source at a time.
  package var patience = Self.usualPatience
  /// How long a live run listens; `nil` for until it is stopped.
  package var duration: TimeSpan?
  /// Whether to continue past the end of the source, without ranging, until all regions have settled.
  package var drains = false

  private var end: Timestamp?
  /// Inputs of a paced replay whose time has not come.
  private var upcoming: ScanBatch?
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
    _ source: any RunSource,
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
  /// The timeline starts at a capture's first input, and at once on a live source. A replay that is interrupted ends
  /// where it stands; a live run delivers what is still due.
  ///
  /// - Throws: The errors of the source and the participants; each participant gets the end nevertheless.
  package mutating func run() async throws -> Result {
    guard let start = try await source.begin() else { return Result() }
    utcOffset = source.utcOffset
    let receivers = source.receiverNames
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
      wasInterrupted: wasStopped || core.wasCutShort
    )
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
    if noteZone(&core) { return }
    let now = core.context.now
    if isInterrupted() { return try core.end(.interrupted) }
    if let end, now >= end { return try core.end(.done) }
    let deadline = [time, end].compactMap { $0 }.reduce(now + patience, min)
    guard let batch = try await source.next(until: deadline) else {
      return try core.end(.sourceEnded)
    }
    try supply(batch, &core)
  }

  private mutating func read(_ core: inout RunCore) async throws {
    var batch = upcoming.take()
    if batch == nil { batch = try await source.next(until: nil) }
    guard let batch else { return try core.end(.sourceEnded) }
    if try isEarly(batch, &core), !isInterrupted() {
      upcoming = batch
      return
    }
    if isInterrupted() { return try core.end(.interrupted) }
    try supply(batch, &core)
  }

  private mutating func supply(_ batch: ScanBatch, _ core: inout RunCore) throws {
    hasSupplied = true
    try core.supply(batch, receivers: source.receiverNames)
  }

  /// Performs a change of the time zone where a live source receives; returns whether there was one.
  private mutating func noteZone(_ core: inout RunCore) -> Bool {
    guard hasSupplied else { return false }
    hasSupplied = false
    guard let offset = source.utcOffset, offset != utcOffset else { return false }
    utcOffset = offset
    core.perform(.zone(utcOffset: offset))
    return true
  }

  /// Waits, but not longer than the run's patience, until the time of a batch; returns whether it has still not come.
  ///
  /// What a user does meanwhile is performed before the wait continues.
  private mutating func isEarly(_ batch: ScanBatch, _ core: inout RunCore) throws -> Bool {
    guard let time = batch.inputs.first?.time, let wait = pace?.wait(until: time) else {
      return false
    }
    if try core.wait(at: pace?.now.map { min($0, time) } ?? time) { return true }
    pace?.clock.sleep(for: min(wait, patience))
    return wait > patience
  }
}
