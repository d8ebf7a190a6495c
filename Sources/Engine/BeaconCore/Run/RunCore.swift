// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a run must wait for.
package enum RunWait: Sendable, Hashable {
  /// Inputs: ``RunCore/supply(_:receivers:)`` or ``RunCore/end(_:)``. Something is due at the time, if there is one.
  case batch(until: Timestamp?)
  /// Deliveries of another process's engine: ``RunCore/receive(_:at:to:)`` or ``RunCore/end(_:)``.
  case deliveries
  /// The programs of a session, which answer what was delivered; also once the source has ended.
  case programs
  /// The user: ``RunCore/waitForUser(within:)``.
  case user
  /// Nothing, but the source has ended and the run only drains, so the user may stop it here.
  case draining
  /// The run is over: ``RunCore/finish(isComplete:)``.
  case ended
}

/// The one loop around an ``EngineDriver``, or around what another process's engine delivers.
///
/// It passes what the engine gives to the program and the participants, and returns only what has to be waited for. It
/// never waits, and has no clock: a `Runner` waits for sources and users, a script answers at once.
///
/// At most one program answers a delivery before the participants see it; at every other moment it comes after them.
/// The participants then learn that it may have notices.
///
/// ```swift
/// try core.begin()
/// while true {
///   switch try core.advance() {
///   case .batch: // try core.supply(batch, receivers: names) or try core.end(.sourceEnded)
///   case .user: try core.waitForUser(within: patience)
///   case .programs, .deliveries, .draining: continue
///   case .ended: return try core.finish(isComplete: true)
///   }
/// }
/// ```
package struct RunCore: ~Copyable {
  /// The context that the participants share.
  package var context: RunContext
  private let participants: [any RunParticipant]
  private let program: (any RunParticipant)?
  /// Whether a batch is processed whose end was not yet seen.
  private var isProcessing = false
  /// Whether the participants look at the clients again, because a user action may have changed them.
  private var looksAgain = false
  private var isDraining = false
  /// Whether programs answer between two deliveries.
  private let waitsForPrograms: Bool
  /// Whether the source has ended, and what follows waits for programs.
  private var holdsEnd = false
  /// How the run ends, once it does.
  private var row: EndPolicy.Row?
  /// Whether the participants know that another process's engine delivers no more.
  private var hasLeftRemote = false

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - engine: The engine of the run.
  ///   - receivers: The names of the receivers.
  ///   - policy: How the run ends.
  ///   - participants: The participants, in order.
  ///   - program: The program that answers deliveries; `nil` for a client that makes its requests at the start only.
  ///   - waitsForPrograms: Whether ``RunWait/programs`` is given, for programs outside the run.
  package init(
    _ engine: consuming RunEngine,
    receivers: [String] = [],
    policy: EndPolicy = .replay,
    participants: [any RunParticipant] = [],
    program: (any RunParticipant)? = nil,
    waitsForPrograms: Bool = false
  ) {
    context = RunContext(engine, receivers: receivers, policy: policy)
    self.participants = participants
    self.program = program
    self.waitsForPrograms = waitsForPrograms
  }

  /// Whether the run ended before its source did.
  package var wasCutShort: Bool { row?.isCutShort ?? false }

  /// Begins the run: all participants prepare before any of them begins.
  package mutating func begin() throws {
    try tell(.willBegin)
    try tell(.begins)
    try showNotices()
    try show(context.engine.drainDeliveries())
  }

  /// Runs until something must be waited for.
  package mutating func advance() throws -> RunWait {
    while true {
      if context.needsUser { return .user }
      if let wait = try step() { return wait }
      if isDraining { return .draining }
    }
  }

  private mutating func step() throws -> RunWait? {
    context.hasActions = false
    if holdsEnd { leaveSource() }
    guard let step = context.driver?.next() else { return try followRemote() }
    return try handle(step)
  }

  /// Waits for another process's engine, which has no steps of its own, or ends.
  private mutating func followRemote() throws -> RunWait? {
    guard row == nil else {
      defer { hasLeftRemote = true }
      return hasLeftRemote ? .ended : try handle(.sourceEnded(at: context.now))
    }
    try tell(.willWait(at: context.now))
    return try pull(.deliveries)
  }

  private mutating func handle(_ step: EngineDriver.Step) throws -> RunWait? {
    if case .deliver(let deliveries) = step {
      try show(deliveries)
      return waitsForPrograms ? .programs : nil
    }
    if looksAgain {
      looksAgain = false
      try tell(.settled)
    }
    switch step {
    case .deliver: break
    case .record(let slice): try tell(.recorded(slice))
    case .willPerform: try tell(.settled)
    case .recordAction(let action):
      try tell(.recordedAction(action))
      looksAgain = true
      try showNotices()
    case .pull(let time): return try pull(until: time)
    case .sourceEnded:
      try tell(.sourceEnded)
      holdsEnd = true
      if waitsForPrograms { return .programs }
      leaveSource()
    case .ended: return .ended
    }
    return nil
  }

  private mutating func leaveSource() {
    holdsEnd = false
    guard let row else { return }
    if row.shutsDown { context.engine.shutDown() }
    if row.drains {
      context.driver?.drain()
      isDraining = true
    }
  }

  private mutating func pull(until time: Timestamp?) throws -> RunWait? {
    if isProcessing {
      isProcessing = false
      try tell(.settled)
      if context.policy.isLive { try tell(.willWait(at: context.now)) }
    }
    return try pull(.batch(until: time))
  }

  private mutating func pull(_ wait: RunWait) throws -> RunWait? {
    // What a user did meanwhile comes before what is received next.
    if context.hasActions { return nil }
    guard !context.wantsEnd else {
      try end(.done)
      return nil
    }
    return wait
  }

  private mutating func show(_ deliveries: [Delivery]) throws {
    try program?.handle(.delivered(deliveries), &context)
    for participant in participants { try participant.handle(.delivered(deliveries), &context) }
    try showNotices()
  }

  private mutating func showNotices() throws {
    if program != nil { try tell(.noticed) }
  }

  private mutating func tell(_ moment: RunMoment) throws {
    for participant in participants { try participant.handle(moment, &context) }
    try program?.handle(moment, &context)
  }

  // MARK: Waits

  /// Answers ``RunWait/batch(until:)`` with inputs.
  package mutating func supply(_ batch: consuming ScanBatch, receivers: [String]) throws {
    context.name(receivers: receivers)
    try tell(.received)
    context.driver?.supply(batch)
    isProcessing = true
  }

  /// Answers ``RunWait/deliveries`` with what another process's engine delivered to a client.
  ///
  /// - Parameters:
  ///   - event: What was delivered.
  ///   - time: When; `nil` for now.
  ///   - client: The client.
  /// - Throws: The error of a participant.
  package mutating func receive(_ event: Event, at time: Timestamp?, to client: ClientID) throws {
    let time = time ?? context.now
    if let delivery = context.engine.remote?.receive(event, at: time, to: client) {
      try show([delivery])
    }
  }

  /// Ends the inputs.
  package mutating func end(_ reason: EndPolicy.Reason) throws {
    if reason == .sourceEnded { try tell(.received) }
    endSource(reason)
  }

  private mutating func endSource(_ reason: EndPolicy.Reason) {
    let row = context.policy.row(reason)
    context.driver?.endSource(row.ending)
    self.row = row
    context.isCutShort = row.isCutShort
  }

  /// Lets the participants know that the run waits; their actions then are performed before it waits again.
  ///
  /// - Parameter time: The time of the timeline; `nil` for that of the engine.
  /// - Returns: Whether a participant performed a user action.
  /// - Throws: The error of a participant.
  package mutating func wait(at time: Timestamp? = nil) throws -> Bool {
    try tell(.willWait(at: time ?? context.now))
    return context.hasActions
  }

  /// Answers ``RunWait/user``.
  ///
  /// - Parameter span: How long the participant that asks the user may wait; `nil` to continue without an answer.
  /// - Throws: The error of a participant.
  package mutating func waitForUser(within span: Duration?) throws {
    context.needsUser = false
    guard let span else { return }
    _ = try wait()
    try tell(.user(within: span))
  }

  /// Performs a user action immediately while the timeline stands still, with every due deadline before it.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - client: The client concerned; `nil` concerns every client.
  /// - Throws: The error of a participant.
  package mutating func act(_ action: UserAction, by client: ClientID?) throws {
    context.engine.perform(action, by: client)
    while let step = context.driver?.nextBeforeInput() { _ = try handle(step) }
  }

  /// Delivers the rest of every due deadline at this very time, so that a replay of the run stops at the same point.
  package mutating func passInstant() throws {
    let now = context.now
    context.driver?.arrive(at: now + TimeSpan(microseconds: 1))
    while let step = context.driver?.nextBeforeInput() { _ = try handle(step) }
  }

  /// Lets the participants look at the clients again, after requests that were made between two steps.
  package mutating func settle() throws { try tell(.settled) }

  /// Performs a user action now, such as a change of the time zone.
  package mutating func perform(_ action: UserAction) { context.perform(action) }

  /// Ends the run for all participants, also those after one that throws.
  ///
  /// - Throws: The first error of a participant, if the run is complete; otherwise the reason is known already.
  package mutating func finish(isComplete: Bool) throws {
    var failure: (any Error)?
    for participant in participants {
      do {
        try participant.handle(.ended(isComplete: isComplete), &context)
      } catch {
        failure = failure ?? error
      }
    }
    if isComplete, let failure { throw failure }
  }
}

// MARK: - Scripts

/// An input of a script, at its exact time.
package enum ScriptedInput: Sendable {
  /// Inputs of the radio.
  case batch(ScanBatch)
  /// The timeline reaches a time, at which a request is then made.
  case arrival(Timestamp)
  /// Everything that is due before a time happens.
  case passing(before: Timestamp)
  /// A user acts at exactly this time; it is not recorded.
  case action(TimedUserAction)
  /// The script ends.
  case end(EndPolicy.Reason)
}

extension RunCore {
  /// Plays an input of a script, in a run without participants.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - next: The time of the next input of the radio, if it is known: it shows whether the script is in a gap.
  /// - Returns: The deliveries.
  package mutating func play(_ input: ScriptedInput, before next: Timestamp? = nil) -> [Delivery] {
    context.driver?.expectedInput = next
    switch input {
    case .batch(let batch): context.driver?.supply(batch)
    case .arrival(let time): context.driver?.arrive(at: time)
    case .passing(let time): context.driver?.advance(before: time)
    case .action(let action):
      context.driver?.perform(action.action, by: action.client, exactlyAt: action.time)
    case .end(let reason): endSource(reason)
    }
    var all = context.driver?.collectDeliveries() ?? []
    if row?.shutsDown ?? false {
      context.engine.shutDown()
      all += context.engine.drainDeliveries()
    }
    return all
  }
}

// MARK: - Programs

/// Keeps the program of a run's client, and its notices until every participant has seen them.
package final class ProgramHost<Program: ClientProgram>: RunParticipant {
  /// The program as it is after its last answer.
  package private(set) var program: Program
  /// The notices that the participants have not seen yet, with the times of their causes.
  package private(set) var notices: [(notice: Program.Notice, time: Timestamp)] = []
  /// Whether the program has ranged or monitored anything.
  package private(set) var hasAsked = false

  package init(_ program: Program) {
    self.program = program
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    guard run.client != nil else { return }
    switch moment {
    case .begins: request(program.begin(run.snapshot), at: run.now, &run)
    case .delivered(let deliveries):
      for delivery in deliveries { request(program.answer(delivery), at: delivery.time, &run) }
    case .recordedAction(let action):
      // A tap on a notification that is not shown opens nothing.
      if case .tapNotification = action.action, let client = run.client,
        run.driver?.isForeground(client) == false
      {
        return
      }
      var answer = program.answer(action.action)
      if case .start = action.action {
        let begun = program.begin(run.snapshot)
        answer.requests += begun.requests
        answer.notices += begun.notices
      }
      request(answer, at: run.now, &run)
    case .noticed: notices = []
    default: break
    }
  }

  private func request(
    _ answer: ProgramAnswer<Program.Notice>,
    at time: Timestamp,
    _ run: inout RunContext
  ) {
    notices += answer.notices.map { ($0, time) }
    hasAsked = hasAsked || answer.requests.contains(where: \.asksForBeacons)
    for request in answer.requests { run.engine.request(request, by: run.client) }
  }
}
