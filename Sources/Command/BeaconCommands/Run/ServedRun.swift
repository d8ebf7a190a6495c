// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// Runs `range` or `monitor` for a client of the service: what the service delivers is written as in any other run.
struct ServedRun {
  typealias Kind = EventCSVWriter.Kind

  private enum Item: Sendable {
    case delivery(Delivery)
    case standing(ClientService.Standing)
    /// Time passed: the user may want to stop.
    case tick
  }

  private let options: RunOptions
  private let kind: Kind
  private let client: RunClient
  private let connection: ClientService.Connection
  private let io: CommandIO

  init(
    _ options: RunOptions,
    _ kind: Kind,
    _ client: RunClient,
    _ connection: ClientService.Connection,
    io: CommandIO
  ) {
    self.options = options
    self.kind = kind
    self.client = client
    self.connection = connection
    self.io = io
  }

  private func show(_ line: String) {
    if !options.output.isQuiet { io.show(line) }
  }

  func run() async throws -> ExitCode {
    try EngineSetup(options, kind).checkOutputs(io)
    let refusals = options.regions.compactMap { connection.engine.refusal(of: .monitor($0)) }
    if let reason = refusals.first { throw await refusal(reason) }
    let session = BeaconSession(remote: connection.engine)
    let member: BeaconClient
    do {
      member = try await session.connect(client.manifest, named: client.name)
    } catch {
      throw await refusal("\(error)")
    }
    let (items, continuation) = AsyncStream<Item>.makeStream()
    let deliveries = member.deliveries
    let taking = Task {
      for await delivery in deliveries { continuation.yield(.delivery(delivery)) }
    }
    defer { taking.cancel() }
    let running = Task {
      defer { continuation.finish() }
      try await session.run()
    }
    let watching = Task {
      while true {
        try await Task.sleep(for: .milliseconds(100))
        continuation.yield(.tick)
      }
    }
    let following = Task { [connection] in
      for await standing in connection.standings { continuation.yield(.standing(standing)) }
    }
    let own = await request(member)
    do {
      try await write(items, from: session)
    } catch {
      await end(member, own, [running, watching], following)
      throw error
    }
    await end(member, own, [running, watching], following)
    return Interruption.exitCode ?? .done
  }

  /// Ends the connection to a service that cannot do what the run asks for.
  private func refusal(_ reason: String) async -> CommandFailure {
    await connection.engine.stop()
    return CommandFailure(.unavailable, "\(reason); --direct receives without the service")
  }

  /// Makes the requests of the run; returns the regions that the service did not monitor before.
  private func request(_ member: BeaconClient) async -> [RegionIdentifier] {
    let known = await member.regions.map(\.identifier)
    for region in options.regions { await member.monitor(region) }
    for constraint in options.constraints where kind == .ranging {
      await member.request(.range(constraint, whileInside: options.whileInside))
    }
    await member.authorize(.whenInUse)
    return options.regions.map(\.identifier).filter { !known.contains($0) }
  }

  private func write(_ items: AsyncStream<Item>, from session: BeaconSession) async throws {
    let outputs = RunOutputs(options, kind, io: io, isLive: true, showsView: false)
    let hooks = RunHooks(options, io: io)
    try outputs.open([], start: try await session.now)
    var shown: ClientService.Standing?
    for await item in items {
      if io.isInterrupted() { break }
      switch item {
      case .tick: continue
      case .delivery(let delivery):
        try outputs.write([delivery])
        hooks?.add([delivery])
        try outputs.flush()
      case .standing(let standing):
        if shown?.key != standing.key {
          show("\(connection.name) serves \(standing.key); --direct receives without it")
        }
        if let limit = standing.limit, shown?.limit != limit { show(limit) }
        shown = standing
      }
    }
    try outputs.close(receivers: [])
    hooks?.end()
    await hooks?.close()
  }

  /// Ends the client: its ranging ends by itself, its regions when they were requested only for this run.
  private func end(
    _ member: BeaconClient,
    _ own: [RegionIdentifier],
    _ tasks: [Task<Void, any Error>],
    _ following: Task<Void, Never>
  ) async {
    for region in own { await member.stopMonitoring(region) }
    for task in tasks { task.cancel() }
    following.cancel()
    for task in tasks { _ = await task.result }
  }
}

// MARK: - Which runs are served

extension ClientService {
  /// Leaves the service aside.
  static let direct = CommandFlag(
    "direct",
    "Do not use the service of this machine: a client's run receives by itself"
  )

  /// The options that only a run with a source and an engine of its own has.
  private static let ownSource: [any DeclaredOption] = [
    Options.adapter, Options.via, Options.from, Options.answers, Options.record, Options.state,
    Options.profile, Options.set,
  ]

  /// The options that a repeated stream does not have: it is what the client got.
  private static let ownRun: [any DeclaredOption] = [
    Options.speed, Options.drain, Options.answers, Options.manifest, Options.record, Options.state,
    Options.output, Options.summary, Options.whileInside, Options.profile, Options.set,
  ]

  /// Repeats the stream of a client of the service, where a command line names a recording and the client's key, and asks
  /// for nothing itself.
  ///
  /// - Returns: How the replay ended; `nil` if the command line means a run of its own.
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

  /// Runs a client's command through the service where that is possible.
  ///
  /// - Returns: How the run ended; `nil` if it is to receive by itself.
  static func run(
    _ service: ClientService?,
    _ options: RunOptions,
    _ kind: ServedRun.Kind,
    _ arguments: ParsedArguments,
    _ io: CommandIO
  ) async throws -> ExitCode? {
    guard let service, options.isLive, let client = options.client, options.participants.isEmpty,
      !arguments.has(direct),
      !ownSource.contains(where: { arguments.has(named: $0.declaration.name) }),
      let connection = try await service.connect(io)
    else { return nil }
    let run = ServedRun(options, kind, client, connection, io: io)
    return try await run.run()
  }
}
