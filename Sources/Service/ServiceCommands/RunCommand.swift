// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconService
internal import Beacons
internal import SystemKit

/// `service run`: the service in the foreground.
package enum RunCommand {
  /// The folder of the service's state.
  private static let state = CommandOption(
    "state",
    .file("DIR"),
    "Keep clients, grants and states in this folder (default: $STATE_DIRECTORY; without it /var/lib/beacons/service,"
      + " or on the session bus the folder 'service' of this account's state)"
  )
  /// The folder of grants that were laid down beforehand.
  private static let grants = CommandOption(
    "grants",
    .file("DIR"),
    "Use the grants in this folder (default: \(ServiceSetup.usualGrantsFolder); none on the session bus)"
  )

  /// How grave a message must be to be shown.
  private static let level = CommandOption(
    "log",
    .choice(of: LogLevel.self),
    "Show messages of this level and graver ones (default: notice)"
  )

  /// The recording of the service.
  private static let record = CommandOption(
    "record",
    .output("FILE"),
    "Record what is received, what users do, and what each client asks for"
  )

  private enum LogLevel: String, CaseIterable {
    case error, warning, notice, info

    var level: ServiceNote.Level {
      switch self {
      case .error: .error
      case .warning: .warning
      case .notice: .notice
      case .info: .info
      }
    }
  }

  /// Returns `service run`, which serves other programs.
  ///
  /// - Parameter sources: What `--from` can name other than a capture.
  /// - Returns: The command.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "run",
      "Serve other programs over D-Bus",
      discussion: [
        "One engine listens for all programs, each with its own permission. The unit beacond.service runs this command."
          + " A capture is replayed at its own speed unless --speed says otherwise, and the service ends with it."
          + " --from esphome://HOST and --from mqtt://HOST/SITE are live, as adapters are.",
        "SIGHUP reads the configuration and the grants folder again; nothing that is known is lost, and a configuration"
          + " with a fault changes nothing. Under systemd messages go to the journal with fields.",
        "--record keeps what is received, what users do and what each client asks for. 'beaconctl range --from FILE"
          + " --client KEY' repeats what a client got, byte for byte. A full disk ends the recording, not the service.",
      ],
      groups: [
        .source([Options.adapter, Options.via, Options.from, Options.steadySpeed]),
        OptionGroup("Service", [ServiceBusOption.option, state, grants, level]),
        OptionGroup(
          "Recording",
          [
            record, RecordCommand.rotate.needing(["record"]), RecordCommand.keep, Options.mode,
            Options.force, Options.includeAddresses,
          ]
        ),
        .settings,
      ],
      exclusive: Exclusive.sources + Exclusive.verbosity,
      examples: [
        CommandExample(
          "beaconctl service run --bus session --state ~/beacons",
          "Serve the programs of this login"
        )
      ]
    ) { arguments, io in try await run(arguments, sources, io) }
  }

  private static func run(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ io: CommandIO
  ) async throws -> ExitCode {
    let options = try options(arguments, sources, io.configurations)
    if let place = place(options) { try RecordingFile.check(place, opening: io.files) }
    let bus = arguments[ServiceBusOption.option] ?? .system
    try io.files.announceFolder(
      folder(arguments, bus, io.environment),
      makingParents: true,
      owning: ClientStore.keeps
    )
    _ = FileDescriptor.allow(ServiceQuotas.wantedDescriptors)
    guard FileDescriptor.limit >= ServiceQuotas.leastDescriptors else {
      let least = "fewer than \(ServiceQuotas.leastDescriptors) files may be open (ulimit -n)"
      throw CommandFailure(.unavailable, "the service does not begin: \(least)")
    }
    guard options.captures.count <= 1 else {
      throw CommandFailure(.usage, "the service replays one capture")
    }
    if let opener = options.opener {
      let connection = try await opener(io)
      defer { connection.close() }
      return try await serve(connection.source, options, arguments, io) {
        connection.drainRemarks().forEach(io.show)
      }
    }
    guard let capture = options.captures.first else {
      let scan = BlueZScanOptions(options, isPrompt: false, opening: io.openKernelChannel)
      return try await withLiveSource(scan, showing: { io.show("\($0)") }) { radio, _ in
        try await serve(radio, options, arguments, io)
      }
    }
    let source = try CaptureSource(path: capture, timing: options.configuration.timing)
    let played: any ScanSource = options.speed.map { PacedSource(source, speed: $0) } ?? source
    return try await serve(played, options, arguments, io)
  }

  private static func options(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource],
    _ places: ConfigurationPlaces
  ) throws -> RunOptions {
    var options = RunOptions()
    options.adapter = arguments[Options.adapter]
    options.via = arguments.reportPath
    options.speed = arguments[Options.steadySpeed].map(\.factor) ?? 1
    options.recording = arguments[record]
    options.rotation = arguments[RecordCommand.rotate]
    options.keptFiles = arguments[RecordCommand.keep] ?? options.keptFiles
    options.recordingMode = arguments[Options.mode] ?? options.recordingMode
    options.output.showsAddresses = arguments.has(Options.includeAddresses)
    options.captures = try arguments.captures()
    options.opener = try AdditionalSource.network(of: options.captures, arguments, sources)
    if options.opener != nil { options.captures = [] }
    let loaded = try LoadedConfiguration(arguments, from: places)
    (options.configuration, options.settings) = (loaded.configuration, loaded.settings)
    return options
  }

  private static func serve(
    _ source: any ScanSource,
    _ options: RunOptions,
    _ arguments: ParsedArguments,
    _ io: CommandIO,
    showingRemarks showRemarks: () -> Void = {}
  ) async throws -> ExitCode {
    let bus = arguments[ServiceBusOption.option] ?? .system
    // Without an event it is time to show the source's remarks.
    let (events, continuation) = AsyncStream<ServiceEvent?>.makeStream()
    var setup = ServiceSetup(
      bus: try bus.address(io.environment),
      store: ClientStore(directory: folder(arguments, bus, io.environment)),
      configuration: options.configuration,
      grantsFolder: arguments[grants] ?? (bus == .system ? ServiceSetup.usualGrantsFolder : nil),
      show: { continuation.yield($0) }
    )
    setup.recording = place(options).map { place in
      ServiceRecording(
        place,
        opening: io.files,
        includesAddresses: options.output.showsAddresses
      )
    }
    let notifier = ServiceNotifier(environment: io.environment)
    Interruption.begin()
    let host = BeaconServiceHost(setup, source: source, notifier: notifier)
    Hangup.install()
    let serving = Task {
      defer { continuation.finish() }
      try await host.run()
    }
    var log = ServiceLog(io, bus, arguments[level]?.level ?? .notice)
    let places = io.configurations
    let watching = Task {
      try await watch(serving) {
        if let fault = reload(host, arguments, places) { continuation.yield(.note(fault)) }
      } turned: {
        continuation.yield(nil)
      }
    }
    var failure: String?
    for await event in events {
      switch event {
      case nil:
        showRemarks()
        log.showCounted()
      case .ready:
        log.show(ServiceNote(.ready, "serving \(ServiceName.bus) on the \(bus.rawValue) bus"))
      case .lost: log.show(ServiceNote(.busLost, "the bus has ended; connecting again"))
      case .note(let note): log.show(note)
      case .failed(let text): failure = "\(bus.rawValue) bus: \(text)"
      }
    }
    watching.cancel()
    try await serving.value
    if let failure { throw CommandFailure(.unavailable, failure) }
    return .done
  }

  /// The path of the recording; `nil` for none.
  ///
  /// A replay does not continue one, which would mix two times.
  private static func place(_ options: RunOptions) -> RecordingFile.Place? {
    guard let path = options.recording?.path else { return nil }
    var place = RecordingFile.Place(path: path, format: .lines, continues: options.isLive)
    // Only a replay as fast as it can waits for the disk; neither beacons nor a clock wait.
    place.waits = !options.isLive && options.speed == nil
    place.rotation = options.rotation
    place.kept = options.keptFiles
    place.mode = options.recordingMode
    place.synchronizeInterval = RecordingConfiguration(options.settings).synchronizeInterval
    return place
  }

  /// Ends the service when a signal asked for it, and reloads it at each SIGHUP.
  private static func watch(
    _ serving: Task<Void, any Error>,
    _ reload: () -> Void,
    turned: () -> Void
  ) async throws {
    var hangups = Hangup.count
    while Interruption.cause == nil {
      try await Task.sleep(for: .milliseconds(200))
      turned()
      guard Hangup.count != hangups else { continue }
      hangups = Hangup.count
      reload()
    }
    serving.cancel()
  }

  /// Reads the configuration again; one with a fault changes nothing, and is returned as a message.
  private static func reload(
    _ host: BeaconServiceHost,
    _ arguments: ParsedArguments,
    _ places: ConfigurationPlaces
  ) -> ServiceNote? {
    do {
      host.reload(try LoadedConfiguration(arguments, from: places).configuration)
      return nil
    } catch {
      let reason = (error as? CommandFailure)?.lines.joined(separator: "\n") ?? "\(error)"
      let text = "the configuration is as before, since it cannot be read again: \(reason)"
      return ServiceNote(.reloadFailed, text)
    }
  }

  private static func folder(
    _ arguments: ParsedArguments,
    _ bus: ServiceBusOption,
    _ environment: [String: String]
  ) -> String {
    if let folder = arguments[state] ?? environment["STATE_DIRECTORY"], !folder.isEmpty {
      return folder
    }
    return bus == .system
      ? "/var/lib/beacons/service" : ClientStore(environment: environment).directory + "/service"
  }
}

/// The destination of the service's messages: the journal if there is one, else standard error.
private struct ServiceLog {
  private let io: CommandIO
  private let journal: JournalWriter?
  private let level: ServiceNote.Level
  private var limit = NoteLimit()
  /// Whether an operator looks on, and must see that the service can be called.
  private let isAttended: Bool

  init(_ io: CommandIO, _ bus: ServiceBusOption, _ level: ServiceNote.Level) {
    self.io = io
    self.level = level
    journal = JournalWriter(environment: io.environment)
    isAttended = journal == nil
  }

  /// Shows how many messages were left out.
  mutating func showCounted() { limit.due(at: .now).forEach(write) }

  mutating func show(_ note: ServiceNote) { if limit.shows(note, at: .now) { write(note) } }

  private func write(_ note: ServiceNote) {
    guard note.kind.level <= level || (isAttended && note.kind == .ready) else { return }
    if let journal, journal.write(note) { return }
    io.show(note.text)
  }
}
