// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// Makes the requests of a run that is a client of the service, and shows how it is served.
private final class ServedClient: RunParticipant {
  private let options: RunOptions
  private let isRanging: Bool
  private let connection: ClientService.Connection
  private let io: CommandIO
  private var shown: ClientService.Standing?
  /// The regions that the service did not monitor before: they end with the run.
  private var own: [RegionIdentifier] = []

  init(
    _ options: RunOptions,
    _ kind: EventCSVWriter.Kind,
    _ connection: ClientService.Connection,
    io: CommandIO
  ) {
    self.options = options
    isRanging = kind == .ranging
    self.connection = connection
    self.io = io
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    guard let client = run.client else { return }
    switch moment {
    case .begins: request(client, &run)
    case .willWait: showStandings()
    case .ended:
      for region in own { run.engine.request(.stopMonitoring(region), by: client) }
      run.engine.terminate(client)
    default: break
    }
  }

  private func request(_ client: ClientID, _ run: inout RunContext) {
    let known = run.engine.regions(of: client).map(\.identifier)
    own = options.regions.map(\.identifier).filter { !known.contains($0) }
    for region in options.regions { run.engine.request(.monitor(region), by: client) }
    for constraint in options.constraints where isRanging {
      run.engine.request(.range(constraint, whileInside: options.whileInside), by: client)
    }
    run.engine.request(.authorize(options.client?.request ?? .whenInUse), by: client)
  }

  private func showStandings() {
    for standing in connection.standings.take() {
      if shown?.key != standing.key {
        show("\(connection.name) serves \(standing.key); --direct receives without it")
      }
      if let limit = standing.limit, shown?.limit != limit { show(limit) }
      shown = standing
    }
  }

  private func show(_ line: String) {
    if !options.output.isQuiet { io.show(line) }
  }
}

extension ClientService.Connection {
  /// Runs `range` or `monitor` for a client: what the service delivers is written as in any other run.
  fileprivate func run(
    _ options: RunOptions,
    _ kind: EventCSVWriter.Kind,
    _ client: RunClient,
    _ io: CommandIO
  ) async throws -> ExitCode {
    try EngineSetup(options, kind).checkOutputs(io)
    let refusals = options.regions.compactMap { engine.refusal(.monitor($0)) }
    if let reason = refusals.first { throw await refusal(reason) }
    let run: RemoteRun
    do {
      run = try await RemoteRun(engine, named: client.name, client.manifest)
    } catch {
      throw await refusal("\(error)")
    }
    let outputs = RunOutputs(options, kind, io: io, isLive: true, showsView: false)
    let hooks = RunHooks(options, io: io)
    let served = ServedClient(options, kind, self, io: io)
    let participants: [(any RunParticipant)?] = [served, outputs, hooks]
    do {
      try run.run(participants: participants.compactMap(\.self), isInterrupted: io.isInterrupted)
      try outputs.close(receivers: [])
    } catch {
      await hooks?.close()
      await engine.stop()
      throw error
    }
    await hooks?.close()
    await engine.stop()
    return Interruption.exitCode ?? .done
  }

  /// Ends the connection to a service that cannot perform the run's requests.
  private func refusal(_ reason: String) async -> CommandFailure {
    await engine.stop()
    return CommandFailure(.unavailable, "\(reason); --direct receives without the service")
  }
}

// MARK: - Which runs are served

extension ClientService {
  /// Leaves the service aside.
  static let direct = CommandFlag(
    "direct",
    "Do not use the service of this machine: a client's run receives by itself"
  )

  /// The options that only a run with a source and a separate engine has.
  private static let ownSource: [any DeclaredOption] = [
    Options.adapter, Options.via, Options.from, Options.answers, Options.record, Options.state,
    Options.profile, Options.set,
  ]

  /// The options that a repeated stream does not have: it is the client's stream.
  private static let ownRun: [any DeclaredOption] = [
    Options.speed, Options.drain, Options.answers, Options.manifest, Options.record, Options.state,
    Options.output, Options.summary, Options.whileInside, Options.profile, Options.set,
    Options.since, Options.until,
  ]

  /// Repeats the stream of a client of the service, if a command line names a recording and the client's key, and asks
  /// for nothing itself.
  ///
  /// - Returns: How the replay ended; `nil` if the command line means a separate run.
  static func replay(
    _ service: ClientService?,
    _ arguments: ParsedArguments,
    _ io: CommandIO
  ) throws -> ExitCode? {
    guard let service, let key = arguments[Options.client],
      key.hasPrefix("unit:") || key.hasPrefix("user:"),
      !arguments.has(Options.beacons), !arguments.has(Options.region)
    else { return nil }
    let names = arguments.all(Options.from)
    let isNetwork = names.contains { $0.hasPrefix("service:") || $0.includes("://") }
    guard !names.isEmpty, !isNetwork else { return nil }
    if let option = ownRun.first(where: { arguments.has(named: $0.declaration.name) }) {
      throw UsageError(
        "a stream is repeated as the client got it, without --\(option.declaration.name);"
          + " to run as the client, name what it asks for"
      )
    }
    if let format = arguments[Options.format], format != .jsonl {
      throw UsageError("a stream is repeated as JSON Lines, byte for byte; leave --format out")
    }
    if names.contains("-") {
      throw UsageError("a recording of a service is read twice; name its files in place of '-'")
    }
    return try service.replay(key, arguments.captures(), io)
  }

  /// Runs a client's command through the service if that is possible.
  ///
  /// - Returns: How the run ended; `nil` if it is to receive by itself.
  static func run(
    _ service: ClientService?,
    _ options: RunOptions,
    _ kind: EventCSVWriter.Kind,
    _ arguments: ParsedArguments,
    _ io: CommandIO
  ) async throws -> ExitCode? {
    guard let service, options.isLive, let client = options.client, options.participants.isEmpty,
      !arguments.has(direct),
      !ownSource.contains(where: { arguments.has(named: $0.declaration.name) }),
      let connection = try await service.connect(io)
    else { return nil }
    return try await connection.run(options, kind, client, io)
  }
}
