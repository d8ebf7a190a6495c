// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import Beacons
package import DBus
internal import BeaconFormats
internal import Synchronization
internal import SystemKit

/// An event of the service, for the program that runs it.
package enum ServiceEvent: Sendable, Equatable {
  /// It has its name, and programs can call it.
  case ready
  /// The bus ended; the service connects again if it is configured to.
  case lost
  /// It cannot serve.
  case failed(String)
  /// Something that the operator should know.
  case note(ServiceNote)
}

/// How the service runs.
package struct ServiceSetup: Sendable {
  /// The bus.
  package var bus: BusAddress
  /// The store of all clients, in a folder of the service.
  package var store: ClientStore
  /// The folder of grants that were laid down beforehand; `nil` for none.
  package var grantsFolder: String?
  /// The folder of grants of the system bus, which need not exist.
  package static let usualGrantsFolder = "/etc/beacons/grants.d"
  /// The engine's configuration.
  package var configuration: Configuration
  /// How much programs may use.
  package var quotas = ServiceQuotas()
  /// Finds out who calls.
  package var probe = CallerProbe.standard
  /// Whether to connect again when the bus ends.
  package var reconnects = true
  /// How inputs, user actions and the clients' requests are recorded; `nil` for no recording.
  package var recording: ServiceRecording?
  /// Identifies a run of the machine.
  package var boot: String
  /// Receives events; called on the bus's thread.
  package var show: @Sendable (ServiceEvent) -> Void
  /// Called once a second on the bus's thread.
  var turned: @Sendable () -> Void = {}

  /// Creates a setup.
  package init(
    bus: BusAddress,
    store: ClientStore,
    configuration: Configuration = Configuration(),
    grantsFolder: String? = nil,
    show: @escaping @Sendable (ServiceEvent) -> Void
  ) {
    self.bus = bus
    self.store = store
    self.configuration = configuration
    self.grantsFolder = grantsFolder
    self.show = show
    let text = (try? WholeFile.read("/proc/sys/kernel/random/boot_id")) ?? []
    boot = String(decoding: text.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  /// Whether location services are on; `nil` if the switch cannot be read now for want of descriptors.
  func areServicesOn() -> Bool? {
    var notes: [ClientDiagnostic] = []
    return try? store.readSwitches(notes: &notes)
  }
}

/// The service: one engine over one source, for the programs of a bus.
package final class BeaconServiceHost: Sendable {
  private let setup: ServiceSetup
  private let source: any ScanSource
  private let notifier: ServiceNotifier
  /// The requests to the engine; `nil` while the service does not run.
  private let commands = Mutex<AsyncStream<EngineCommand>.Continuation?>(nil)

  /// Creates a service that does not run yet.
  package init(
    _ setup: ServiceSetup,
    source: any ScanSource,
    notifier: ServiceNotifier = ServiceNotifier(environment: [:])
  ) {
    var setup = setup
    _ = FileDescriptor.allow(ServiceQuotas.wantedDescriptors)
    setup.quotas.fit(descriptors: FileDescriptor.limit)
    self.setup = setup
    self.source = source
    self.notifier = notifier
  }

  /// Serves until the task is cancelled, the source ends, or the bus refuses the service.
  ///
  /// - Throws: Errors of the source, and ``BusFailure`` without a thread for the bus.
  package func run() async throws {
    let (commands, continuation) = AsyncStream<EngineCommand>.makeStream()
    self.commands.withLock { $0 = continuation }
    defer { self.commands.withLock { $0 = nil } }
    let link = BusLink()
    // Until the end of the run: another process can run as the clients then.
    let store = setup.store.leased()
    guard let pump = StreamPump({ id in link.post { handler, _ in handler.ended(stream: id) } })
    else { throw BusFailure.cannotConnect("no thread or descriptor is left") }
    defer { pump.stop() }
    let streams = ClientStreams(pump, store, boot: setup.boot) { link.deliver(.note($0)) }
    let emit: @Sendable (EngineNews) -> Void = { news in
      if case .receivers(let names) = news { streams.name(receivers: names) }
      link.deliver(news)
    }
    // A service cannot wait for its clients, also if it replays a capture.
    let watched = TransformedSource(source, isLive: true, by: RadioWatch(emitting: emit))
    let session = BeaconSession(
      watched,
      configuration: setup.configuration,
      followingSwitchOf: setup.store,
      recordingRequests: recording(emit)
    )
    let room = EngineRoom(session, store, streams, emitting: emit)
    applyGrants()
    try await restore(room)
    let watchdog = Watchdog(notifier, watched)
    var own = setup
    own.turned = { watchdog.turned() }
    own.show = { [setup, notifier] event in
      // Ready means that programs can call, so that a unit that needs the service can start after it.
      if event == .ready { notifier.send("READY=1", "STATUS=serving \(ServiceName.bus)") }
      if case .note(let note) = event, note.kind == .reloaded {
        notifier.send("READY=1", "STATUS=serving \(ServiceName.bus)")
      }
      if event == .lost { notifier.send("STATUS=the bus has ended; connecting again") }
      setup.show(event)
    }
    let prepared = own
    let bus = try BusThread(
      setup.bus,
      answersAnyone: true,
      gathering: .zero,
      takesDescriptors: true
    ) { ServiceHandler(prepared, continuation, pump, streams) }
    link.connect(to: bus)
    let serving = Task { await room.serve(commands) }
    let ending = Task {
      await bus.ended()
      continuation.finish()
    }
    let outcome = await Self.run(session, until: bus)
    notifier.send("STOPPING=1")
    await bus.stop()
    continuation.finish()
    await serving.value
    await ending.value
    try outcome.get()
  }

  /// The recording, whose remarks become notes.
  private func recording(_ emit: @escaping @Sendable (EngineNews) -> Void) -> ServiceRecording? {
    guard var recording = setup.recording else { return nil }
    let path = recording.place.path
    recording.show = { remark in
      switch remark {
      case .notice(let notice): emit(.note(ServiceNote(.recording, "\(notice)")))
      case .failed(let reason):
        let text = "the service goes on, but nothing more is recorded to \(path): \(reason)"
        emit(.note(ServiceNote(.storage, text)))
      }
    }
    return recording
  }

  /// Continues with another configuration and with the grants that are laid down now; nothing that is known is lost.
  package func reload(_ configuration: Configuration) {
    notifier.reloading()
    applyGrants()
    _ = commands.withLock { $0?.yield(.reconfigure(configuration)) }
  }

  /// Runs the engine until it ends or the bus's thread does.
  private static func run(_ session: BeaconSession, until bus: BusThread) async -> Result<
    Void, any Error
  > {
    let running = Task { try await session.run() }
    let watching = Task {
      await bus.ended()
      running.cancel()
    }
    let outcome = await withTaskCancellationHandler {
      await running.result
    } onCancel: {
      running.cancel()
    }
    watching.cancel()
    if case .failure(is CancellationError) = outcome { return .success(()) }
    return outcome
  }

  /// Monitors the regions of clients of earlier runs, whose programs do not run yet.
  private func restore(_ room: EngineRoom) async throws {
    var notes: [ClientDiagnostic] = []
    _ = setup.store.areServicesOn(notes: &notes)
    for note in notes { setup.show(.note(ServiceNote(.storage, "\(note)"))) }
    do throws(SystemError) {
      _ = try setup.store.knownClients()
    } catch {
      let text = "the clients of earlier runs cannot be read: \(error)"
      setup.show(.note(ServiceNote(.storage, text)))
    }
    for record in ClientRecords(setup.store).all() {
      await room.connect(record.client, record.manifest, isForeground: false)
      for kept in record.notifications where !kept.isDone {
        await room.perform(.request(client: record.client, .notify(kept.notification)))
      }
      await room.perform(.end(client: record.client))
    }
  }

  // MARK: Grants laid down beforehand

  /// Gives the grants of the folder to clients without a decision.
  private func applyGrants() {
    guard let folder = setup.grantsFolder else { return }
    for name in grantFiles(in: folder) {
      let path = "\(folder)/\(name)"
      guard let status = FileStatus(path), status.isRegular else {
        setup.show(.note(ServiceNote(.grantFile, "\(path) is not used: it is no regular file")))
        continue
      }
      guard !status.isForeign, status.mode & 0o022 == 0 else {
        let text = "\(path) is not used: root must own it, and nobody else may write it"
        setup.show(.note(ServiceNote(.grantFile, text)))
        continue
      }
      do {
        let file = try GrantFile(try WholeFile.read(path))
        guard CallerOrigin.isKey(file.client) else {
          let text = "\(path) is not used: its client is neither unit:NAME.service nor"
          setup.show(.note(ServiceNote(.grantFile, text + " user:ACCOUNT/LABEL")))
          continue
        }
        var notes: [ClientDiagnostic] = []
        let expected = SavedAuthorization()
        try setup.store.change(file.client, from: expected, notes: &notes) { grants in
          grants.grant = file.grant
          grants.accuracy = file.accuracy
        }
      } catch {
        setup.show(.note(ServiceNote(.grantFile, "\(path) is not used: \(error)")))
      }
    }
  }

  private func grantFiles(in folder: String) -> [String] {
    if let reason = Folder.distrust(folder) {
      setup.show(.note(ServiceNote(.grantFile, "no grants are used: \(reason)")))
      return []
    }
    do throws(SystemError) {
      let names = try Folder.names(in: folder)
      return names.filter { $0.hasSuffix(".json5") && !$0.hasPrefix(".") }.sorted()
    } catch {
      if !error.isNoSuchFile || folder != ServiceSetup.usualGrantsFolder {
        setup.show(.note(ServiceNote(.grantFile, "no grants of \(folder) are used: \(error)")))
      }
      return []
    }
  }
}

/// Passes news from other threads to the bus's thread, and keeps news from before the start of that thread.
private final class BusLink: Sendable {
  private struct State: Sendable {
    var bus: BusThread?
    var early: [EngineNews] = []
  }

  private let state = Mutex(State())

  func connect(to bus: BusThread) {
    let early = state.withLock { state in
      state.bus = bus
      defer { state.early = [] }
      return state.early
    }
    for news in early { deliver(news) }
  }

  func deliver(_ news: EngineNews) {
    let bus = state.withLock { state in
      if state.bus == nil { state.early.append(news) }
      return state.bus
    }
    bus?.post { loop in (loop.handler as? ServiceHandler)?.engine(news, loop) }
  }

  func post(_ work: @escaping @Sendable (ServiceHandler, BusLoop) -> Void) {
    state.withLock(\.bus)?.post { loop in
      if let handler = loop.handler as? ServiceHandler { work(handler, loop) }
    }
  }
}

/// Feeds systemd's watchdog while the bus's thread and the engine's loop both move.
private final class Watchdog: Sendable {
  private let notifier: ServiceNotifier
  private let source: TransformedSource<RadioWatch>
  private let fed = Mutex<(moves: UInt64, time: Uptime)>((0, Uptime(nanoseconds: 0)))

  init(_ notifier: ServiceNotifier, _ source: TransformedSource<RadioWatch>) {
    self.notifier = notifier
    self.source = source
  }

  /// Called once a second on the bus's thread, which shows that it moves.
  func turned() {
    guard let interval = notifier.watchdogInterval else { return }
    let (moves, now) = (source.withTransform(\.moves), Uptime.now)
    let isDue = fed.withLock { fed in
      guard moves != fed.moves, now - fed.time >= .seconds(interval / 4) else { return false }
      fed = (moves, now)
      return true
    }
    if isDue { notifier.send("WATCHDOG=1") }
  }
}
