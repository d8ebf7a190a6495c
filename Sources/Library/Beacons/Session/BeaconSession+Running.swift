// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import SystemKit

extension BeaconSession {
  /// Reads the source to its end.
  ///
  /// To receive everything from the start, make a client's sequences before this call. On a replay they keep their
  /// elements until they are iterated, and the session waits for every task that iterates one.
  ///
  /// - Parameter drains: Whether a replay continues after the end of its source, without ranging, until every region has
  ///   settled: the last exits are then delivered.
  /// - Throws: Errors of the source; `SystemError` when a recording cannot be written; ``SessionError/alreadyRun``;
  ///   ``SessionError/stalled(waitingFor:)``; `CancellationError` when the task was cancelled, after everything has ended.
  public func run(draining drains: Bool = false) async throws {
    drain(drains)
    try await drive(holding: StartHold())
    try Task.checkCancellation()
  }

  /// Reads the source to its end; a replay stays at its start by the rule of a hold.
  package func run(holding hold: StartHold?) async throws {
    try await drive(holding: hold)
    try Task.checkCancellation()
  }

  /// Reads the source while a program runs, and ends with the program.
  ///
  /// On a replay the timeline stands still while no task of the program waits for a sequence. So a program can set up,
  /// work between two events and start another loop without missing anything, and the tasks of a group need not be ready
  /// at the same time. When the source ends, the program's sequences finish.
  ///
  /// - Parameters:
  ///   - drains: Whether a replay continues after the end of its source, without ranging, until every region has settled:
  ///     the last exits are then delivered.
  ///   - program: The program that listens. It runs in the caller's isolation.
  /// - Returns: The program's result.
  /// - Throws: Errors of the program, errors of the source, ``SessionError/alreadyRun``,
  ///   ``SessionError/stalled(waitingFor:)``, and `CancellationError` when the task was cancelled, after everything has
  ///   ended.
  public nonisolated func run<Result>(
    draining drains: Bool = false,
    _ program: () async throws -> Result
  ) async throws -> Result {
    await drain(drains)
    let result = try await run(holding: StartHold(), program)
    try Task.checkCancellation()
    return result
  }

  /// Reads the source while a program runs; a replay stays at its start by the rule of a hold.
  package nonisolated func run<Result>(
    holding hold: StartHold,
    _ program: () async throws -> Result
  ) async throws -> Result {
    // Before the program: it would wait for sequences of a session that has ended.
    try await reserve()
    resume(listeners.lockStep.changed { $0.programs += 1 })
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.drive(isReserved: true, holding: hold) }
      let result: Result
      do {
        result = try await program()
      } catch {
        resume(listeners.lockStep.changed { $0.programs -= 1 })
        group.cancelAll()
        try? await group.waitForAll()
        throw error
      }
      resume(listeners.lockStep.changed { $0.programs -= 1 })
      group.cancelAll()
      try await group.waitForAll()
      return result
    }
  }

  /// Ends the run before its source ends, for example when the program is asked to terminate.
  ///
  /// Regions become unknown with the reason `shutdown`, which every sequence still delivers before it finishes. Then the
  /// run returns; nothing is thrown. Before and after a run this has no effect.
  public func stop() {
    guard phase == .running else { return }
    shutDown()
    listeners.lockStep.giveUp()
    // Wakes a session that waits for another process.
    remote?.arrive(.request)
  }

  private nonisolated func resume(_ waiter: CheckedContinuation<LockStep.Rest, Never>?) {
    waiter?.resume(returning: .quiet)
  }

  private func drain(_ drains: Bool) { if phase == .ready { self.drains = drains } }

  /// Claims the session for a run, of which it has one.
  private func reserve() throws(SessionError) {
    guard phase == .ready else { throw .alreadyRun }
    phase = .running
  }

  /// Reads the source until it ends or fails or the task is cancelled, and ends everything.
  private func drive(isReserved: Bool = false, holding hold: StartHold? = nil) async throws {
    if !isReserved { try reserve() }
    do {
      try await start()
      core?.context.policy.drains = drains && !listeners.isLive
      try await beginRecording()
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let prompter { group.addTask { await self.serve(prompter) } }
        if !listeners.isLive {
          group.addTask { await self.watchForStall(hold?.stallLimit ?? StartHold.stallLimit) }
        }
        try await followSource(holding: hold)
        group.cancelAll()
        try await group.waitForAll()
      }
    } catch  where !(error is CancellationError) {
      listeners.log?(.error, "the run ended: \(error)")
      shutDown()
      await settle(andStop: remote)
      throw error
    } catch {}
    listeners.log?(.info, "the run ended")
    if Task.isCancelled { shutDown() } else if phase == .running { end() }
    await settle(andStop: remote)
  }

  private func settle(andStop remote: RemoteFeed?) async {
    await settleStore()
    await remote?.connection.stop()
  }

  /// Runs until the source has ended or the task is cancelled.
  private func followSource(holding hold: StartHold?) async throws {
    try await settle()
    if let hold, !listeners.isLive, !isOfService { try await stay(hold) }
    while !Task.isCancelled, phase == .running, let wait = try core?.advance() {
      handleMoments()
      try checkRecording()
      if hasSourceEnded {
        if drains, wait != .ended {
          if wait == .programs { try await settle() }
          continue
        }
        // Nothing more comes that a program which does nothing could miss.
        try? await settle()
        return
      }
      switch wait {
      case .programs: try await settle()
      case .deliveries: try await receive()
      case .batch:
        if let batch = try await nextBatch() {
          guard phase == .running else { return }
          try await nameReceivers()
          try core?.supply(batch, receivers: receivers)
        } else if !Task.isCancelled, phase == .running {
          try core?.end(.sourceEnded)
        }
      case .user, .draining: continue
      case .ended: return
      }
    }
  }

  /// Stays at the start of a replay until its programs have made their first requests, or do nothing for long.
  ///
  /// The time in which the prompter waits for the user does not count.
  private func stay(_ hold: StartHold) async throws {
    while !Task.isCancelled {
      try await settle()
      // The effects of the user's answer are delivered now, and not with the first input.
      while case .programs? = try core?.advance() {
        handleMoments()
        try checkRecording()
        try await settle()
      }
      let (progress, answered) = (progress, answers)
      guard !clients.isEmpty, let time = hold.wait(progress) else { return }
      guard await nothingChanges(within: time, hold) else { continue }
      try await settle()
      if progress == .someClients || progress == .everyClient || Task.isCancelled { return }
      guard self.progress == progress, answers == answered else { continue }
      if let expired = hold.expired { return expired() }
      if progress == .noBeacons { return }
      return try goOn(without: "a first request or loop of \(listed(clients))")
    }
  }

  /// Waits for a request to range or monitor and for answers of the user.
  ///
  /// - Returns: Whether the time passed without any.
  private func nothingChanges(within time: Duration, _ hold: StartHold) async -> Bool {
    let (changes, change) = AsyncStream.makeStream(of: Bool.self)
    listeners.lockStep.setStartChange(change)
    let timer = Task {
      try await hold.sleep(time)
      change.yield(true)
    }
    defer {
      timer.cancel()
      listeners.lockStep.setStartChange(nil)
    }
    return await changes.first { _ in true } ?? true
  }

  private var progress: StartHold.Progress {
    if unasked.isEmpty { return .everyClient }
    if unasked.count < clients.count { return .someClients }
    return listeners.lockStep.hasActed ? .noBeacons : .nothing
  }

  /// Notes that a client ranges or monitors something.
  func noteAsked(_ client: ClientID) {
    if unasked.remove(client) != nil { listeners.lockStep.wakeStart() }
  }

  /// Notes that a user has answered a prompt.
  func noteAnswer() {
    answers += 1
    listeners.lockStep.wakeStart()
  }

  /// Notes the regions that a client monitors since an earlier run.
  func noteRestored(_ regions: [SavedRegion], by client: ClientID) {
    if !regions.isEmpty { noteAsked(client) }
  }

  private func nextBatch() async throws -> ScanBatch? {
    // These requests may cause something that is due earlier than the driver's last deadline.
    runDeferredRequests()
    let deadline = core?.context.engine.nextDeadline
    guard listeners.isLive, let now = core?.context.now else {
      return try await source?.next(until: deadline)
    }
    let patience = min(now + Self.livePatience, now.nextWholeSecond)
    do {
      return try await source?.next(until: min(deadline ?? patience, patience))
    } catch is CancellationError {
      return nil
    }
  }

  /// Waits until every program that may still act has acted, unless the source is live.
  ///
  /// Then performs the requests that the listeners deferred.
  private func settle() async throws {
    guard !listeners.isLive else { return runDeferredRequests() }
    isSettling = true
    defer { isSettling = false }
    let lockStep = listeners.lockStep
    while !Task.isCancelled {
      // Stopping may itself cause deliveries, such as a change of the usage indicator.
      runDeferredRequests()
      if case .stalled(let labels) = await lockStep.quiet() {
        try goOn(without: described(labels))
        continue
      }
      let activity = lockStep.activity
      // In a process that never rests, each ready task has begun when this one continues.
      if activity != restedAt, !Task.isCancelled { _ = await ProcessRest.shared.begins() }
      guard lockStep.activity == activity, !listeners.hasDeferredRequests else { continue }
      restedAt = activity
      return
    }
  }

  /// Ends a wait in which no program does anything for long.
  ///
  /// - Throws: ``SessionError/stalled(waitingFor:)``, unless the session continues then.
  private func goOn(without waited: String) throws(SessionError) {
    guard continuesWhenStalled else { throw .stalled(waitingFor: waited) }
    listeners.lockStep.giveUp()
    for client in clients { listeners.notify(.replayContinued(without: waited), to: client) }
  }

  /// Names listeners for a user.
  private func described(_ labels: [LockStep.Label]) -> String {
    guard !labels.isEmpty else { return "any loop of the program" }
    return labels.compactMap { label in
      label.client.map { "the loop over '\(label.sequence)' of \(listed([$0]))" }
    }.sorted().joined(separator: " and ")
  }

  private func listed(_ clients: [ClientID]) -> String {
    clients.map { "'\(names[$0] ?? "client\($0.number)")'" }.joined(separator: ", ")
  }

  /// Ends each wait in which nothing happens for so many seconds.
  private nonisolated func watchForStall(_ limit: Int) async {
    let lockStep = listeners.lockStep
    var (activity, seconds, computed) = (lockStep.lastingWait, 0, ResourceUse.now.cpu)
    // Each second counts only if the process runs in it, so that one that is stopped by a debugger does not stall.
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let now = (lockStep.lastingWait, ResourceUse.now.cpu)
      // A program that computes may still ask.
      let isStill = now.0 != nil && now.0 == activity && now.1 - computed < Self.computing
      seconds = isStill ? seconds + 1 : 0
      if isStill, now.1 - computed < Self.resting, await ProcessRest.shared.begins(),
        let activity
      {
        lockStep.release(since: activity)
      }
      (activity, computed) = now
      if let activity, seconds >= limit { lockStep.stall(since: activity) }
    }
  }

  /// A process that uses more seconds of a processor in a second than this computes, and does not only wait.
  private static let computing = 0.5
  /// A process that uses fewer seconds of a processor in a second than this only waits: to look after itself takes less.
  private static let resting = 0.02

  private func end() {
    keepSaved()
    if !listeners.isLive {
      endedUnasked = unasked
      for client in unasked { listeners.notify(.nothingRequested, to: client) }
      if clients.isEmpty { listeners.log?(.warning, "\(ClientDiagnostic.nothingRequested)") }
    }
    finish()
  }

  /// Whether a replay ended before a client ranged or monitored anything.
  package func hasEndedUnasked(_ client: ClientID) -> Bool { endedUnasked.contains(client) }

  /// Ends the session before its source has ended: records the admitted inputs, then sets regions to unknown.
  private func shutDown() {
    guard phase != .ended else { return }
    if isOfService {
      try? core?.passInstant()
      handleMoments()
    }
    try? core?.end(.shutDown)
    // The error that ended the run is already known. A recording that cannot be finished is readable up to this point.
    while !hasSourceEnded, (try? core?.advance()) == .programs { handleMoments() }
    keepSaved()
    while (try? core?.advance()) == .programs { handleMoments() }
    finish()
  }

  /// Saves each client's state for a later run, before any of it is discarded.
  private func keepSaved() {
    runDeferredRequests()
    for client in clients { lastSaved[client] = core?.context.engine.saved(client) }
    saveStates()
  }

  private func finish() {
    phase = .ended
    prompts.end()
    listeners.finish()
  }

  // MARK: Prompts

  private func serve(_ prompter: any Prompter) async {
    while let shown = await prompts.next() {
      let answer = await prompter.answer(shown.prompt, for: client(shown.client))
      // The prompt may have been withdrawn by now, or answered through the client.
      guard !Task.isCancelled,
        core?.context.driver?.snapshot(of: shown.client)?.prompt == shown.prompt
      else {
        continue
      }
      guard let answer else {
        listeners.notify(.promptUnanswered(shown.prompt), to: shown.client)
        continue
      }
      let action = UserAction.answer(answer.choice, precise: answer.precise)
      if isSettling {
        // The run continues when this loop asks for the next prompt. Clients can then respond to every due deadline before the
        // answer first.
        core?.context.driver?.perform(action, by: shown.client)
        noteAnswer()
      } else {
        perform(action, of: shown.client)
      }
    }
  }
}
