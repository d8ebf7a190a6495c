// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import BeaconTerminal
internal import SystemKit
internal import BeaconBlueZ
internal import BeaconCore
package import BeaconFormats
internal import Beacons

/// Runs an engine over what the adapters hear and writes what it tells.
package struct Live {
  private let options: RunOptions
  private let kind: EventTableWriter.Kind?
  private let io: CommandIO
  /// The view on the terminal; `nil` for plain output.
  private let screen: RangeScreen?

  /// Takes what to run, and what is asked of the engine; nothing is asked where the run only records.
  package init(_ options: RunOptions, _ kind: EventTableWriter.Kind?, io: CommandIO) {
    self.init(options, kind, io: io, on: nil)
  }

  private init(
    _ options: RunOptions,
    _ kind: EventTableWriter.Kind?,
    io: CommandIO,
    on screen: RangeScreen?
  ) {
    self.options = options
    self.kind = kind
    self.io = io
    self.screen = screen
  }

  /// Runs until the user stops it.
  package func run() throws -> ExitCode {
    try RangeScreen.around(options, kind, io: io) { io, screen in
      try Live(options, kind, io: io, on: screen).runPlainly()
    }
  }

  private func runPlainly() throws -> ExitCode {
    do {
      return try Blocking.run { try await listen() }
    } catch let error as BlueZUnavailable {
      throw CommandFailure(error.isPermission ? .notPermitted : .unavailable, "\(error)")
    } catch let error as SystemError where error.isClosedPipe {
      // Whoever read the output has read enough.
      return .done
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
  }

  /// The UUIDs that this run waits for; `nil` for any.
  private var uuids: Set<UInt128>? {
    let awaited = options.constraints + options.regions.map(\.constraint)
    return awaited.isEmpty ? nil : Set(awaited.map(\.uuid))
  }

  private func listen() async throws -> ExitCode {
    let started = io.clock.elapsed
    let status = StatusLine(io, isWanted: !options.output.isQuiet)
    let grants = grants(status)
    defer {
      status.clear()
      grants?.end()
    }
    try grants?.fetchGrants()
    let source = try await source()
    do {
      let summary = try await listen(to: source, grants, status)
      await source.stop()
      say(source, status)
      finish(summary, source.statistics, since: started)
      return .done
    } catch {
      await source.stop()
      throw error
    }
  }

  /// The desk of the client for whom the run is; `nil` where the operator asks.
  private func grants(_ status: StatusLine) -> ClientGrants? {
    options.client.map {
      ClientGrants(
        $0,
        io: io,
        ClientGrants.Ways(
          isLive: true,
          saysLimits: !options.output.isQuiet,
          beforeSaying: { status.clear() }
        )
      )
    }
  }

  private func source() async throws -> BlueZSource {
    var scan = BlueZScanOptions(
      adapters: options.adapter.map { $0 == "all" ? .all : .named($0) } ?? .all,
      path: options.via,
      deafness: DeafnessConfiguration(options.settings),
      timing: options.configuration.timing,
      uuids: uuids,
      interval: interval
    )
    scan.openChannel = io.openKernelChannel
    scan.prepareThread = SignalStack.provide
    return try await BlueZSource.start(scan)
  }

  /// How often what was heard is taken from the source.
  ///
  /// Only sightings and regions are told when a report comes. Ticks fall due by the clock, so a run that tells nothing else
  /// need not wake for each beacon.
  private var interval: TimeSpan {
    kind == .sightings || !options.regions.isEmpty
      ? BlueZScanOptions.shortestInterval : .milliseconds(250)
  }

  private func listen(
    to source: BlueZSource,
    _ grants: ClientGrants?,
    _ status: StatusLine
  ) async throws -> RunSummary {
    let names = source.receiverNames
    let run = EngineSetup(options, kind)
    var summary = RunSummary(isClients: options.client != nil)
    let outputs = try EventOutputs(
      options.output,
      run.names(receivers: names, start: source.now),
      kind: kind ?? .sightings,
      io: io,
      isLive: true,
      showsView: screen != nil
    )
    say(source, status)
    let userActions = grants?.userActions ?? RunUserActions()
    let keeper = RegionKeeper(options, isLive: true, io: io) { line in
      guard !options.output.isQuiet else { return }
      status.clear()
      io.say(line)
    }
    keeper?.attach(to: userActions)
    var live = LiveRun(source) { Interruption.exitCode != nil }
    live.received = screen.map { screen in
      { screen.received($0, receivers: $1 ?? names) }
    }
    let result = try await live.run(
      run.configuration(receivers: names),
      prepare: { driver in
        screen?.watch(&driver)
        run.prepare(&driver, grants, keeper: keeper)
      },
      recorder: { try run.recorder(receivers: names, startingAt: $0, grants) },
      userActions: userActions,
      deliver: { deliveries in
        let told = screen?.take(deliveries) ?? deliveries
        summary.count(told)
        try outputs.write(told)
      },
      between: {
        say(source, status)
        if let grants { status.show(grants.indicator, of: grants.name) }
      }
    )
    try outputs.end()
    summary.statistics = result.statistics ?? EngineStatistics()
    return summary
  }

  /// Says what the user wants to know of the run as a whole.
  private func finish(
    _ summary: RunSummary,
    _ heard: BlueZStatistics,
    since started: TimeSpan
  ) {
    if options.output.isVerbose {
      io.say("\(heard.deviceSignals) signals of devices, \(heard.reports) reports with a sample")
    }
    guard options.output.wantsSummary else { return }
    var summary = summary
    summary.statistics.dropped.count(.sourceOverflow, times: heard.dropped)
    summary.statistics.dropped.count(.kernelOverflow, times: heard.kernelDropped)
    summary.statistics.dropped.count(.addressEvicted, times: heard.addressesEvicted)
    try? io.errors.write(
      summary.line(wall: io.clock.elapsed - started, use: ResourceUse.now)
    )
  }

  private func say(_ source: BlueZSource, _ status: StatusLine) {
    for diagnostic in source.drainDiagnostics() where !options.output.isQuiet {
      status.clear()
      io.say(diagnostic.description)
    }
  }
}
