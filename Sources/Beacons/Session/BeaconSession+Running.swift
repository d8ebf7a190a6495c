// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconSession {
  /// Hears the source to its end.
  ///
  /// Clients that are to hear from the beginning have made their sequences before. Those of the task that calls this
  /// are kept for it, however much is told; those of other tasks are waited for.
  ///
  /// - Throws: What the source throws; ``SystemError`` where a recording cannot be written; ``SessionError/alreadyRun``; `CancellationError` when the task was cancelled,
  ///   after everything has ended.
  public func run() async throws {
    let caller = LockStep.Owner.current
    resume(listeners.lockStep.changed { $0.ask(caller, isOfProgram: false) })
    defer { resume(listeners.lockStep.changed { $0.answered(caller, isOfProgram: false) }) }
    try await drive()
    try Task.checkCancellation()
  }

  /// Hears the source while a program runs, and ends with the program.
  ///
  /// On a replay the timeline stands whenever no sequence is being waited for: the program sets up, listens, stops to
  /// think and listens again without missing anything. When the source ends, the program's sequences finish.
  ///
  /// - Parameter program: What listens. It runs where the caller does.
  /// - Returns: What the program returns.
  /// - Throws: What the program throws, what the source throws, and ``SessionError/alreadyRun``.
  public nonisolated func run<Result>(
    _ program: () async throws -> Result
  ) async throws -> Result {
    resume(listeners.lockStep.changed { $0.programs += 1 })
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.drive() }
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

  /// Reads the source until it ends or fails or the task is cancelled, and ends everything.
  private func drive() async throws {
    guard phase == .ready else { throw SessionError.alreadyRun }
    phase = .running
    do {
      try await start()
      try await beginRecording()
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let prompter { group.addTask { await self.serve(prompter) } }
        try await followSource()
        group.cancelAll()
        try await group.waitForAll()
      }
    } catch {
      shutDown()
      await settleStore()
      throw error
    }
    if Task.isCancelled { shutDown() } else { end() }
    await settleStore()
  }

  /// Does what the driver says until the source has ended or the task is cancelled.
  private func followSource() async throws {
    await settle()
    while !Task.isCancelled, let step = driver?.next() {
      handle(step)
      switch step {
      case .deliver: await settle()
      case .record, .willPerform, .recordAction: if let recordingFailure { throw recordingFailure }
      case .pull:
        if let batch = try await nextBatch() {
          try await nameReceivers()
          driver?.supply(batch)
        } else if !Task.isCancelled {
          driver?.endSource(.atEnd(performingScheduled: true))
        }
      case .sourceEnded(let time):
        endRecording(at: time)
        if let recordingFailure { throw recordingFailure }
        return
      case .ended: return
      }
    }
  }

  private func nextBatch() async throws -> ScanBatch? {
    // What these set going may fall due earlier than the driver has said.
    runDeferredRequests()
    let deadline = driver?.nextDeadline
    guard listeners.isLive, let now = driver?.now else {
      return try await source.next(until: deadline)
    }
    let patience = min(now + Self.livePatience, now.nextWholeSecond)
    do {
      return try await source.next(until: min(deadline ?? patience, patience))
    } catch is CancellationError {
      return nil
    }
  }

  /// Waits until every listener asks for its next, unless the source is live; then does what they left to be done.
  private func settle() async {
    guard !listeners.isLive else { return runDeferredRequests() }
    isSettling = true
    defer { isSettling = false }
    await listeners.lockStep.quiet()
    // Stopping may tell something in its turn, such as the usage indicator.
    while !Task.isCancelled {
      runDeferredRequests()
      await listeners.lockStep.quiet()
      if !listeners.hasDeferredRequests { return }
    }
  }

  private func end() {
    keepSaved()
    finish()
  }

  /// Ends the session while its source could go on: what was admitted is recorded, then regions become unknown.
  private func shutDown() {
    guard phase != .ended else { return }
    driver?.endSource(.interrupted)
    steps: while let step = driver?.next() {
      handle(step)
      switch step {
      case .deliver, .record, .willPerform, .recordAction, .pull: continue
      case .sourceEnded(let time):
        // Whatever ended the run is known already; a recording that cannot be written to its end reads up to there.
        endRecording(at: time)
        break steps
      case .ended: break steps
      }
    }
    keepSaved()
    driver?.shutDown()
    deliverAll()
    finish()
  }

  /// Keeps what each client leaves to a later run, before anything of it is taken down.
  private func keepSaved() {
    runDeferredRequests()
    for client in clients { lastSaved[client] = driver?.saved(client) }
    saveMonitors()
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
      // It may have been withdrawn, or answered by the client's own hand, meanwhile.
      guard !Task.isCancelled, driver?.snapshot(of: shown.client)?.prompt == shown.prompt else {
        continue
      }
      guard let answer else {
        listeners.notify(.promptUnanswered(shown.prompt), to: shown.client)
        continue
      }
      let action = UserAction.answer(answer.choice, precise: answer.precise)
      if isSettling {
        // The run goes on when this asks for the next prompt; what falls due before the answer can then be answered first.
        driver?.perform(action, by: shown.client)
      } else {
        user(action, of: shown.client)
      }
    }
  }
}
