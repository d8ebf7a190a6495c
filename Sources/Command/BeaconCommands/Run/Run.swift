// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// One run of an engine: a source, at most one program, and participants in the order in which they are called.
///
/// The program answers a delivery first; then the participants see the delivery, then the program's notices.
package struct Run {
  /// What a run leaves behind.
  package struct Result {
    /// What the engine counted; `nil` when there was no input and so no time.
    package var statistics: EngineStatistics?
    /// Whether the run was cut short.
    package var wasInterrupted = false
  }

  /// How long the run waits for a live source before it looks whether the user wants to stop.
  ///
  /// Half a second: SIGINT ends the run well within two seconds, at two wake-ups a second.
  package static let usualPatience = TimeSpan.milliseconds(500)

  private let source: any RunSource
  private let setup: EngineSetup
  private let userActions: RunUserActions
  private let participants: [any RunParticipant]
  private let isInterrupted: () -> Bool
  /// The program that the client is; `nil` for one that makes its requests at the start and no more.
  package var program: (any HostedProgram)?
  /// How fast a replay goes; `nil` for as fast as it can.
  package var pace: Pace?
  /// How long the run waits for a live source at a time.
  package var patience = Self.usualPatience
  /// For how long a live run listens; `nil` for until it is stopped.
  package var duration: TimeSpan?
  /// Whether to run on behind the end, ranging stopped, until every region has settled.
  package var drains = false

  private var end: Timestamp?
  /// Whether a batch is processed whose end was not yet seen.
  private var isProcessing = false
  /// Whether participants look at the clients again, since a user action may have changed them.
  private var looksAgain = false
  private var wasInterrupted = false
  /// Whether the source has ended; what follows is not bounded by it.
  private var hasSourceEnded = false
  /// Inputs of a paced replay whose time has not come.
  private var upcoming: ScanBatch?
  /// How far local time is ahead of UTC, where it is known.
  private var utcOffset: TimeSpan?
  /// How many receivers have names that participants know.
  private var namedReceivers = 0

  /// - Parameters:
  ///   - source: Where the inputs come from.
  ///   - setup: How the engine works.
  ///   - userActions: What users do in the run.
  ///   - participants: Who takes part, in order.
  ///   - isInterrupted: Asked before each batch whether to stop.
  package init(
    _ source: any RunSource,
    _ setup: EngineSetup,
    userActions: RunUserActions = RunUserActions(),
    participants: [any RunParticipant],
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.source = source
    self.setup = setup
    self.userActions = userActions
    self.participants = participants
    self.isInterrupted = isInterrupted
  }

  /// Runs until the source ends or the user stops it.
  ///
  /// The timeline starts at a capture's first input, and at once on a live source. A replay that is interrupted ends where
  /// it stands; a live run delivers what is still due.
  ///
  /// - Throws: What the source and the participants throw; the participants end all the same.
  package mutating func run() async throws -> Result {
    guard let start = try await source.begin() else { return Result() }
    let receivers = source.receiverNames
    utcOffset = source.utcOffset
    let configuration = setup.configuration(receivers: receivers, utcOffset: utcOffset)
    var driver = EngineDriver(configuration, startingAt: start)
    end = duration.map { start + $0 }
    namedReceivers = receivers.count
    defer { for participant in participants { participant.end(at: driver.now) } }
    try begin(&driver, receivers)
    while try await proceed(&driver) {
      guard drains, hasSourceEnded, isInterrupted() else { continue }
      wasInterrupted = true
      break
    }
    for participant in participants { try participant.ended(driver) }
    return Result(statistics: driver.statistics, wasInterrupted: wasInterrupted)
  }

  private func begin(_ driver: inout EngineDriver, _ receivers: [String]) throws {
    for participant in participants { try participant.willBegin(at: driver.now) }
    for participant in participants { try participant.begin(&driver, receivers: receivers) }
    if participants.contains(where: \.wantsSlices) { driver.keepSlices() }
    if let program, let client = userActions.client?.id {
      let requests = program.begin(driver.snapshot(of: client), at: driver.now)
      for request in requests { driver.request(request, by: client) }
    }
    try showNotices()
    try show(driver.drainDeliveries(), &driver)
  }

  // MARK: Steps

  /// Does what the driver requests next; returns whether there is more to do.
  private mutating func proceed(_ driver: inout EngineDriver) async throws -> Bool {
    for action in userActions.drain() { driver.schedule(action) }
    let step = driver.next()
    if case .deliver(let deliveries) = step {
      try show(deliveries, &driver)
      return true
    }
    if looksAgain {
      looksAgain = false
      try settle(driver)
    }
    switch step {
    case .deliver: break
    case .record(let slice):
      for participant in participants where participant.wantsSlices {
        try participant.recorded(slice, receivers: source.receiverNames)
      }
    case .willPerform: try settle(driver)
    case .recordAction(let action): try perform(action, &driver)
    case .pull(let time):
      if try await supply(until: time, &driver) { isProcessing = true }
    case .sourceEnded:
      hasSourceEnded = true
      for participant in participants { try participant.sourceEnded(driver) }
      if drains, !wasInterrupted { driver.drain() }
    case .ended: return false
    }
    return true
  }

  /// Lets the program answer deliveries, then shows them, then what the program has to say.
  private func show(_ deliveries: [Delivery], _ driver: inout EngineDriver) throws {
    if let program, let client = userActions.client?.id {
      for delivery in deliveries {
        for request in program.answer(delivery) { driver.request(request, by: client) }
      }
    }
    for participant in participants { try participant.delivered(deliveries, driver) }
    try showNotices()
    try waitForUser(at: driver.now)
  }

  private func showNotices() throws {
    guard let program else { return }
    for participant in participants { try participant.noticed() }
    program.dropNotices()
  }

  private func waitForUser(at time: Timestamp) throws {
    while let asking = participants.first(where: \.needsUser), !isInterrupted(), !wantsEnd {
      try willWait(at: time)
      try asking.waitForUser(within: patience.duration)
    }
  }

  private var wantsEnd: Bool { participants.contains(where: \.wantsEnd) }

  private mutating func perform(_ action: TimedUserAction, _ driver: inout EngineDriver) throws {
    let name = action.client == nil ? nil : userActions.client?.name
    let record = RecordedUserAction(time: action.time, client: name, input: action.action)
    for participant in participants { try participant.recordedAction(record) }
    looksAgain = true
    let isStart = if case .start = action.action { true } else { false }
    if isStart { for participant in participants { participant.startedAgain(&driver) } }
    guard let program, let client = userActions.client?.id else { return }
    var requests = program.answer(action.action, at: driver.now)
    if isStart { requests += program.begin(driver.snapshot(of: client), at: driver.now) }
    for request in requests { driver.request(request, by: client) }
    try showNotices()
  }

  private func settle(_ driver: borrowing EngineDriver) throws {
    for participant in participants { try participant.settled(driver) }
  }

  // MARK: Inputs

  /// Gives the driver inputs or ends its source; returns whether it has a batch to process.
  private mutating func supply(
    until time: Timestamp?,
    _ driver: inout EngineDriver
  ) async throws -> Bool {
    if isProcessing {
      isProcessing = false
      try settle(driver)
      if source.isLive {
        try willWait(at: driver.now)
        noteZone()
      }
      // What a user did meanwhile comes before what is received next.
      if userActions.isWaiting { return false }
    }
    return try await source.isLive ? listen(until: time, &driver) : read(&driver)
  }

  private mutating func listen(until time: Timestamp?, _ driver: inout EngineDriver) async throws
    -> Bool
  {
    let isOver = end.map { driver.now >= $0 } ?? false
    let deadline = [time, end].compactMap { $0 }.reduce(driver.now + patience, min)
    guard !isOver, !isInterrupted(), !wantsEnd,
      let batch = try await source.next(until: deadline)
    else {
      driver.endSource(.atEnd(performingScheduled: false))
      return false
    }
    nameReceivers()
    driver.supply(batch)
    return true
  }

  private mutating func read(_ driver: inout EngineDriver) async throws -> Bool {
    var batch = upcoming.take()
    if batch == nil { batch = try await source.next(until: nil) }
    if let batch, try isEarly(batch), !isInterrupted() {
      upcoming = batch
      return false
    }
    if batch != nil, isInterrupted() {
      wasInterrupted = true
      driver.endSource(.interrupted)
      return false
    }
    for participant in participants { try participant.received() }
    guard let batch else {
      for action in userActions.drain() { driver.schedule(action) }
      driver.endSource(.atEnd(performingScheduled: userActions.areRecorded))
      return false
    }
    nameReceivers()
    driver.supply(batch)
    return true
  }

  /// Notes that the clocks were changed where a live source receives.
  private mutating func noteZone() {
    guard let offset = source.utcOffset, offset != utcOffset else { return }
    utcOffset = offset
    userActions.add(.zone(utcOffset: offset))
  }

  private mutating func nameReceivers() {
    let names = source.receiverNames
    guard names.count != namedReceivers else { return }
    namedReceivers = names.count
    for participant in participants { participant.named(receivers: names) }
  }

  /// Waits, but not longer than the run's patience, until the time of a batch; returns whether it has still not come.
  ///
  /// What a user does meanwhile is performed before the wait continues.
  private mutating func isEarly(_ batch: ScanBatch) throws -> Bool {
    guard let time = batch.inputs.first?.time, let wait = pace?.wait(until: time) else {
      return false
    }
    try willWait(at: pace?.now.map { min($0, time) } ?? time)
    if userActions.isWaiting { return true }
    pace?.clock.sleep(for: min(wait, patience))
    return wait > patience
  }

  private func willWait(at time: Timestamp) throws {
    for participant in participants {
      participant.timePassed(to: time)
      try participant.willWait()
    }
  }
}
