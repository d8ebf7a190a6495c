// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

extension BeaconSession {
  /// Reads the source to its end.
  ///
  /// To receive everything from the start, make a client's sequences before this call. On a replay, sequences made by
  /// the calling task keep all of their elements until it iterates them, and the session waits for the tasks of the
  /// other sequences.
  ///
  /// - Throws: Errors of the source; `SystemError` when a recording cannot be written; ``SessionError/alreadyRun``;
  ///   `CancellationError` when the task was cancelled, after everything has ended.
  public func run() async throws { try await run(holding: nil) }

  /// Reads the source to its end; a replay stays at its start by the rule of a hold.
  package func run(holding hold: StartHold?) async throws {
    let caller = LockStep.Owner.current
    resume(listeners.lockStep.changed { $0.ask(caller, isOfProgram: false) })
    defer { resume(listeners.lockStep.changed { $0.answered(caller, isOfProgram: false) }) }
    try await drive(holding: hold)
    try Task.checkCancellation()
  }

  /// Reads the source while a program runs, and ends with the program.
  ///
  /// On a replay the timeline stands still while no task of the program waits for a sequence. So a program of one task
  /// can set up, work between two events and start another loop without missing anything. Of several tasks one that waits
  /// is enough for the timeline to continue, also if another has not yet made its sequence. When the source ends, the
  /// program's sequences finish.
  ///
  /// - Parameter program: The program that listens. It runs in the caller's isolation.
  /// - Returns: The program's result.
  /// - Throws: Errors of the program, errors of the source, and ``SessionError/alreadyRun``.
  public nonisolated func run<Result>(
    _ program: () async throws -> Result
  ) async throws -> Result {
    // Before the program: it would wait for sequences of a session that has ended.
    try await reserve()
    resume(listeners.lockStep.changed { $0.programs += 1 })
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.drive(isReserved: true) }
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

  private nonisolated func resume(_ waiter: CheckedContinuation<Void, Never>?) {
    waiter?.resume()
  }

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
      try await beginRecording()
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let prompter { group.addTask { await self.serve(prompter) } }
        try await followSource(holding: hold)
        group.cancelAll()
        try await group.waitForAll()
      }
    } catch {
      shutDown()
      await settle(andStop: remote)
      throw error
    }
    if Task.isCancelled { shutDown() } else { end() }
    await settle(andStop: remote)
  }

  private func settle(andStop remote: RemoteFeed?) async {
    await settleStore()
    await remote?.connection.stop()
  }

  /// Runs until the source has ended or the task is cancelled.
  private func followSource(holding hold: StartHold?) async throws {
    await settle()
    if let hold, !listeners.isLive { try await stay(hold) }
    while !Task.isCancelled, let wait = try core?.advance() {
      handleMoments()
      try checkRecording()
      if hasSourceEnded { return }
      switch wait {
      case .programs: await settle()
      case .deliveries: try await receive()
      case .batch:
        if let batch = try await nextBatch() {
          try await nameReceivers()
          try core?.supply(batch, receivers: receivers)
        } else if !Task.isCancelled {
          try core?.end(.sourceEnded)
        }
      case .user, .draining: continue
      case .ended: return
      }
    }
  }

  /// Stays at the start of a replay until something was ranged or monitored, or until that has not happened for long.
  ///
  /// The time in which the prompter waits for the user does not count.
  private func stay(_ hold: StartHold) async throws {
    while !Task.isCancelled {
      await settle()
      // The effects of the user's answer are delivered now, and not with the first input.
      while case .programs? = try core?.advance() {
        handleMoments()
        try checkRecording()
        await settle()
      }
      let (isAsked, answered) = (hasAsked, answers)
      let isOver = await nothingChanges(within: isAsked ? hold.pause : hold.bound, hold)
      guard isOver else { continue }
      await settle()
      if isAsked || Task.isCancelled { return }
      guard hasAsked || answers > answered else { return hold.expired() }
    }
  }

  /// Waits for a request to range or monitor and for answers of the user.
  ///
  /// - Returns: Whether the time passed without any.
  private func nothingChanges(within time: Duration, _ hold: StartHold) async -> Bool {
    let (changes, change) = AsyncStream.makeStream(of: Bool.self)
    startChange = change
    let timer = Task {
      try await hold.sleep(time)
      change.yield(true)
    }
    defer {
      timer.cancel()
      startChange = nil
    }
    return await changes.first { _ in true } ?? true
  }

  private var hasAsked: Bool { unasked.count < clients.count }

  /// Notes that a client ranges or monitors something.
  func noteAsked(_ client: ClientID) {
    if unasked.remove(client) != nil { startChange?.yield(false) }
  }

  /// Notes that a user has answered a prompt.
  func noteAnswer() {
    answers += 1
    startChange?.yield(false)
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

  /// Waits until every listener asks for its next element, unless the source is live.
  ///
  /// Then performs the requests that the listeners deferred.
  private func settle() async {
    guard !listeners.isLive else { return runDeferredRequests() }
    isSettling = true
    defer { isSettling = false }
    await listeners.lockStep.quiet()
    // Stopping may itself cause deliveries, such as a change of the usage indicator.
    while !Task.isCancelled {
      runDeferredRequests()
      await listeners.lockStep.quiet()
      if !listeners.hasDeferredRequests { return }
    }
  }

  private func end() {
    keepSaved()
    if !listeners.isLive {
      endedUnasked = unasked
      for client in unasked { listeners.notify(.nothingRequested, to: client) }
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
      let answer = await prompter.answer(shown.prompt, for: shown.client)
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
