// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
package import BeaconFormats
internal import Beacons

/// Runs an engine over captures and writes what it tells.
package struct Replay {
  private let options: RunOptions
  private let kind: EventTableWriter.Kind
  private let io: CommandIO
  /// The view on the terminal; `nil` for plain output.
  private let screen: RangeScreen?

  /// Takes what to run, and what is asked of the engine: sightings or ranging.
  package init(_ options: RunOptions, _ kind: EventTableWriter.Kind, io: CommandIO) {
    self.init(options, kind, io: io, on: nil)
  }

  private init(
    _ options: RunOptions,
    _ kind: EventTableWriter.Kind,
    io: CommandIO,
    on screen: RangeScreen?
  ) {
    self.options = options
    self.kind = kind
    self.io = io
    self.screen = screen
  }

  /// Runs to the end of the captures, or until the user stops it.
  package func run() throws -> ExitCode {
    try RangeScreen.around(options, kind, io: io) { io, screen in
      let code = try Replay(options, kind, io: io, on: screen).runPlainly()
      guard let screen else { return code }
      // The last rows stay to be read until the user leaves them.
      if !io.isInterrupted() { screen.stay() }
      return Interruption.exitCode ?? code
    }
  }

  private func runPlainly() throws -> ExitCode {
    do {
      return try play()
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private func play() throws -> ExitCode {
    let started = io.clock.elapsed
    let setup = EngineSetup(options, kind)
    var outputs: EventOutputs?
    let captures = try Captures(options.captures) { try outputs?.flush() }
    let status = StatusLine(io, isWanted: options.speed == nil && !options.output.isQuiet)
    let grants = grants(status) { try outputs?.flush() }
    defer {
      status.clear()
      grants?.end()
    }
    let userActions = grants?.userActions ?? RunUserActions()
    let keeper = RegionKeeper(options, isLive: false, io: io) { line in
      try? outputs?.flush()
      io.say(line)
    }
    keeper?.attach(to: userActions)
    let recorded = grants.map {
      RecordedUserActions(captures, $0, hasAnswers: options.client?.answers != nil)
    }
    var summary = RunSummary(
      tellsBeacons: options.output.wantsSummary,
      isClients: options.client != nil
    )
    var run = run(over: captures, status, grants) { try outputs?.flush() }
    let result = try run.run(
      { setup.configuration(receivers: captures.receiverNames) },
      prepare: { driver in
        try recorded?.begin()
        outputs = try self.outputs(for: captures, setup, start: driver.now)
        screen?.watch(&driver)
        setup.prepare(&driver, grants, keeper: keeper)
      },
      recorder: { start in
        try setup.recorder(receivers: captures.receiverNames, startingAt: start, grants)
      },
      userActions: userActions,
      deliver: { deliveries in
        let told = screen?.take(deliveries) ?? deliveries
        if options.output.wantsSummary { summary.count(told) }
        try outputs?.write(told)
      }
    )
    status.clear()
    // Captures in which nothing was heard have an end too: an empty table says so.
    try (outputs ?? self.outputs(for: captures, setup, start: .earliest)).end()
    summary.statistics = result.statistics ?? EngineStatistics()
    finish(&summary, captures, since: started)
    return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
  }

  /// The desk of the client for whom the run is; `nil` where the operator asks.
  private func grants(_ status: StatusLine, flush: @escaping () throws -> Void) -> ClientGrants? {
    options.client.map { client in
      ClientGrants(
        client,
        io: io,
        ClientGrants.Ways(
          isLive: false,
          saysLimits: !options.output.isQuiet,
          keepingStateIn: options.stateDirectory
        ) {
          try flush()
          status.clear()
        }
      )
    }
  }

  /// The run of an engine over the captures, at the speed the user wants.
  private func run(
    over captures: Captures,
    _ status: StatusLine,
    _ grants: ClientGrants?,
    flush: @escaping () throws -> Void
  ) -> EngineRun {
    var run = EngineRun(paced(captures, beforeWaiting: flush), drains: options.drains) {
      status.show(captures.progress, grants)
      return io.isInterrupted()
    }
    run.received = screen.map { screen in
      { slice, _ in screen.received(slice, receivers: captures.receiverNames) }
    }
    return run
  }

  /// Where what is told goes.
  ///
  /// The receivers of a capture have names once its first batch is read, and not before.
  private func outputs(
    for captures: Captures,
    _ setup: EngineSetup,
    start: Timestamp
  ) throws -> EventOutputs {
    try EventOutputs(
      options.output,
      setup.names(receivers: captures.receiverNames, start: start),
      kind: kind,
      io: io,
      isLive: options.speed != nil,
      showsView: screen != nil
    )
  }

  private func paced(
    _ captures: Captures,
    beforeWaiting: @escaping () throws -> Void
  ) -> any ScanReader {
    guard let speed = options.speed else { return captures }
    return PacedReader(captures, speed: speed, clock: io.clock, beforeWaiting: beforeWaiting)
  }

  private func finish(_ summary: inout RunSummary, _ captures: Captures, since started: TimeSpan) {
    if options.output.isVerbose { captures.files.map(\.summary).forEach(io.say) }
    if !options.output.isQuiet { captures.remarks.forEach(io.say) }
    guard options.output.wantsSummary else { return }
    summary.statistics.dropped.add(captures.drops)
    try? io.errors.write(
      summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
    )
  }
}
