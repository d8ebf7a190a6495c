// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconService
internal import Beacons
internal import SystemKit

/// `run`: the service in the foreground.
package enum RunCommand {
  /// The folder of the service's state.
  private static let state = CommandOption(
    "state",
    .file("DIR"),
    "Keep clients, grants and states in this folder (default: $STATE_DIRECTORY, else /var/lib/beacons/service)"
  )
  /// The folder of grants that were laid down beforehand.
  private static let grants = CommandOption(
    "grants",
    .file("DIR"),
    "Use the grants in this folder (default: /etc/beacons/grants.d)"
  )

  /// `run`: serves other programs.
  package static let command = BeaconctlCommand(
    "run",
    "Serve other programs over D-Bus",
    discussion: [
      "One engine listens for all programs, each with its own permission. The unit beacond.service runs this command."
        + " A capture is replayed at its own speed unless --speed says otherwise."
    ],
    groups: [
      .source([Options.adapter, Options.via, Options.from, Options.speed]),
      OptionGroup("Service", [ServiceBus.option, state, grants]), .settings,
    ],
    exclusive: Exclusive.sources + Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl run --bus session --state ~/beacons",
        "Serve the programs of this login"
      )
    ]
  ) { arguments, io in try await run(arguments, io) }

  private static func run(_ arguments: ParsedArguments, _ io: CommandIO) async throws -> ExitCode {
    let options = try options(arguments, io.configurations)
    let captures = try arguments.captures()
    guard captures.count <= 1 else {
      throw CommandFailure(.usage, "the service replays one capture")
    }
    guard let capture = captures.first else {
      let scan = BlueZScanOptions(options, isPrompt: false, opening: io.openKernelChannel)
      return try await withLiveSource(scan, showing: { io.show("\($0)") }) { live in
        try await serve(live.radio, options, arguments, io)
      }
    }
    let source = try CaptureSource(path: capture, timing: options.configuration.timing)
    let paced = PacedSource(source, speed: options.speed ?? 1)
    return try await serve(paced, options, arguments, io)
  }

  private static func options(
    _ arguments: ParsedArguments,
    _ places: ConfigurationPlaces
  ) throws -> RunOptions {
    var options = RunOptions()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.speed = arguments[Options.speed]?.factor
    let loaded = try LoadedConfiguration(arguments, from: places)
    (options.configuration, options.settings) = (loaded.configuration, loaded.settings)
    return options
  }

  private static func serve(
    _ source: any ScanSource,
    _ options: RunOptions,
    _ arguments: ParsedArguments,
    _ io: CommandIO
  ) async throws -> ExitCode {
    let bus = arguments[ServiceBus.option] ?? .system
    let (events, continuation) = AsyncStream<ServiceEvent>.makeStream()
    let setup = ServiceSetup(
      bus: try bus.address(io.environment),
      store: ClientStore(directory: folder(arguments, bus, io.environment)),
      configuration: options.configuration,
      grantsFolder: arguments[grants] ?? (bus == .system ? "/etc/beacons/grants.d" : nil),
      show: { continuation.yield($0) }
    )
    let notifier = ServiceNotifier(environment: io.environment)
    let host = BeaconServiceHost(setup, source: source, notifier: notifier)
    let serving = Task {
      defer { continuation.finish() }
      try await host.run()
    }
    let watching = Task { try await endIfInterrupted(serving) }
    var failure: String?
    for await event in events {
      switch event {
      case .ready: io.show("serving \(ServiceName.bus) on the \(bus.rawValue) bus")
      case .lost: io.show("the bus has ended; connecting again")
      case .note(let text): io.show(text)
      case .failed(let text): failure = "\(bus.rawValue) bus: \(text)"
      }
    }
    watching.cancel()
    try await serving.value
    if let failure { throw CommandFailure(.unavailable, failure) }
    return Interruption.exitCode == .interrupted ? .interrupted : .done
  }

  /// Ends the service when a signal asked for it.
  private static func endIfInterrupted(_ serving: Task<Void, any Error>) async throws {
    while Interruption.cause == nil { try await Task.sleep(for: .milliseconds(200)) }
    serving.cancel()
  }

  private static func folder(
    _ arguments: ParsedArguments,
    _ bus: ServiceBus,
    _ environment: [String: String]
  ) -> String {
    if let folder = arguments[state] ?? environment["STATE_DIRECTORY"], !folder.isEmpty {
      return folder
    }
    return bus == .system
      ? "/var/lib/beacons/service" : ClientStore(environment: environment).directory + "/service"
  }
}
