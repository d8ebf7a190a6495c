// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

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
    self.options = options
    self.kind = kind
    self.io = io
    screen = nil
  }

  private init(_ replay: Replay, on screen: RangeScreen) {
    options = replay.options
    kind = replay.kind
    var io = replay.io
    io.errors = HeldMessages(screen)
    self.io = io
    self.screen = screen
  }

  /// Runs to the end of the captures, or until the user stops it.
  package func run() throws -> ExitCode {
    guard kind == .ranging, screen == nil, let screen = RangeScreen.open(options, io: io) else {
      return try runPlainly()
    }
    // What was said while the view had the terminal is for its reader's scrollback.
    defer { screen.leave().forEach { try? io.errors.write(Array("\($0)\n".utf8)) } }
    let code = try Replay(self, on: screen).runPlainly()
    if !io.isInterrupted() { screen.stay() }
    return Interruption.exitCode ?? code
  }

  private func runPlainly() throws -> ExitCode {
    let started = io.clock.elapsed
    let setup = EngineSetup(options, kind)
    var outputs: EventOutputs?
    let captures = try Captures(options.captures) { try outputs?.flush() }
    let status = StatusLine(io, isWanted: options.speed == nil && !options.output.isQuiet)
    let desk = options.client.map { client in
      ClientDesk(
        client,
        io: io,
        ClientDesk.Ways(isLive: false, saysLimits: !options.output.isQuiet) {
          try outputs?.flush()
          status.clear()
        }
      )
    }
    let persons = desk?.persons ?? RunPersons()
    let keeper = RegionKeeper(options, isLive: false, io: io) { line in
      try? outputs?.flush()
      io.say(line)
    }
    keeper?.attach(to: persons)
    let recorded = desk.map {
      RecordedPersons(captures, $0, hasAnswers: options.client?.answers != nil)
    }
    defer {
      status.clear()
      desk?.end()
    }
    var summary = RunSummary(
      tellsBeacons: options.output.wantsSummary,
      isClients: options.client != nil
    )
    let reader = paced(captures) { try outputs?.flush() }
    var run = EngineRun(reader, drains: options.drains) {
      status.show(captures.progress, desk)
      return io.isInterrupted()
    }
    run.heard = screen.map { screen in
      { batch, times, _ in
        screen.heard(batch, admittedAt: times, receivers: captures.receiverNames)
      }
    }
    do {
      let result = try run.run(
        { setup.configuration(receivers: captures.receiverNames) },
        prepare: { engine in
          try recorded?.begin()
          // The receivers of a capture have names once its first batch is read, and not before.
          let names = setup.names(receivers: captures.receiverNames, start: engine.now)
          outputs = try EventOutputs(
            options.output,
            names,
            kind: kind,
            io: io,
            isLive: options.speed != nil,
            showsView: screen != nil
          )
          screen?.watch(&engine)
          return setup.prepare(&engine, desk, keeper: keeper)
        },
        recorder: { start in
          try setup.recorder(receivers: captures.receiverNames, startingAt: start, desk)
        },
        persons: persons,
        deliver: { deliveries in
          let told = screen?.take(deliveries) ?? deliveries
          if options.output.wantsSummary { summary.count(told) }
          try outputs?.write(told)
        }
      )
      status.clear()
      try
        (outputs
        ?? EventOutputs(
          options.output,
          setup.names(receivers: captures.receiverNames, start: .earliest),
          kind: kind,
          io: io,
          isLive: false,
          showsView: screen != nil
        )).end()
      summary.statistics = result.statistics ?? EngineStatistics()
      finish(&summary, captures, since: started)
      return result.wasInterrupted ? Interruption.exitCode ?? .interrupted : .done
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  private func paced(
    _ captures: Captures,
    beforeWaiting: @escaping () throws -> Void
  ) -> any AirReader {
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
