// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// The requests of the bus's thread to the engine; done one after the other, in order.
enum EngineCommand: Sendable {
  case start(client: String, Manifest, isForeground: Bool)
  case end(client: String)
  case request(client: String, ClientRequest)
  case user(client: String, UserAction)
  /// Do what an administrator asked for with a number.
  case administer(UInt64, Administration)
  case sightings
  /// A second has passed: look at these clients, and save the changes.
  case second([String])
  case reconfigure(Configuration)
  /// Write what happened to a client's stream into the recording.
  case record(client: String, RequestLine.Content)

  /// The client whose program asked for it; `nil` for the service's own actions.
  var countedClient: String? {
    switch self {
    case .start(let client, _, _), .end(let client), .request(let client, _), .user(let client, _):
      client
    default: nil
    }
  }

  /// The client's request; `nil` for anything else.
  var request: ClientRequest? { if case .request(_, let request) = self { request } else { nil } }
}

/// What an administrator asks for.
enum Administration: Sendable {
  /// Which clients have grants, besides those that have had a program.
  case list
  case grant(client: String, SavedAuthorization.Grant?, AccuracyAuthorization?)
  /// A policy forbids a client location, and keeps its grant.
  case restrict(client: String)
  case reset(client: String)
  case services(on: Bool)
}

/// The messages of the engine's side to the bus's thread.
enum EngineNews: Sendable {
  /// A delivery, which the client's streams have; with the number of a crossing, and with the engine's knowledge of the
  /// client, where the delivery shows that it changed.
  case delivery(client: String, Delivery, sequence: UInt64?, ClientReading?)
  case readings([String: ClientReading])
  case radio(SessionLimit.Radio, [RadioReport], forEveryone: [RadioReport])
  case sighting(Sighting)
  case receivers([String])
  case time(Timestamp)
  /// What was asked of the engine for a client is done, and the engine's knowledge of the client then.
  case done(client: String, ClientRequest?, ClientReading?)
  case note(ServiceNote)
  /// The files of a client cannot be opened now, so that its permission is not known.
  case unserved(client: String, reason: String)
  /// What an administrator asked for is done.
  case administered(UInt64, Result<[String: SavedAuthorization], ServiceError>)
}

/// A receiver as the service shows it.
struct RadioReport: Sendable, Equatable {
  var name: String
  var state: RadioState
  var since: Timestamp
}

/// The engine with all clients: one session over one source, whose store is the machine's.
actor EngineRoom {
  private let session: BeaconSession
  private let store: ClientStore
  private let streams: ClientStreams
  private let emit: @Sendable (EngineNews) -> Void
  private var monitors: [String: BeaconMonitor] = [:]
  private var watchesSightings = false
  /// Clients whose files could not be opened when they were last started.
  private var putOff: Set<String> = []
  /// Clients whose regions or states changed since they were saved; a killed service finds the changes in their journals.
  private var unsaved: Set<String> = []

  init(
    _ session: BeaconSession,
    _ store: ClientStore,
    _ streams: ClientStreams,
    emitting emit: @escaping @Sendable (EngineNews) -> Void
  ) {
    self.session = session
    self.store = store
    self.streams = streams
    self.emit = emit
  }

  /// Performs the requests until the end.
  func serve(_ commands: AsyncStream<EngineCommand>) async {
    for await command in commands { await perform(command) }
    await saveUnsaved()
  }

  func perform(_ command: EngineCommand) async {
    switch command {
    case .start(let key, let manifest, let isForeground):
      if let monitor = monitors[key] {
        await monitor.client.startProcess(isForeground: isForeground)
      } else {
        await connect(key, manifest, isForeground: isForeground)
      }
    case .end(let key):
      await monitors[key]?.client.endProcess()
      // Grants are kept when they change, so a client without regions has nothing to keep.
      if await reading(of: key)?.regions.isEmpty != true { await save(key) }
    case .request(let key, let request):
      await monitors[key]?.client.request(request)
      switch request {
      case .monitor, .stopMonitoring: unsaved.insert(key)
      default: break
      }
    case .user(let key, let action): await monitors[key]?.client.perform(action)
    case .administer(let number, let work): emit(.administered(number, await administer(work)))
    case .sightings: await watchSightings()
    case .reconfigure(let configuration): await reconfigure(configuration)
    case .second(let keys):
      await emitReadings(of: keys)
      await saveUnsaved()
    case .record(let key, let content): await session.record(content, ofClient: key)
    }
    if let client = command.countedClient {
      var reading = await reading(of: client)
      // A program must not wait for a client that cannot be served: it has no authorization.
      if case .start = command, putOff.remove(client) == nil { reading = reading ?? unserved }
      emit(.done(client: client, command.request, reading))
    }
    if let now = try? await session.now { emit(.time(now)) }
  }

  /// Connects a client, with the store's state of it.
  func connect(_ key: String, _ manifest: Manifest, isForeground: Bool) async {
    do {
      let (last, regions) = try streams.earlier(of: key)
      let monitor = try await session.openMonitor(
        key,
        for: manifest,
        unlessKnown: SavedClient(),
        keepingStateIn: store,
        isForeground: isForeground,
        numberedAfter: last,
        adjusting: { Self.adjust(&$0, regions) },
        passing: { [streams, emit] delivery, reading in
          // Waiting lines are older than the delivery that shows a change.
          if let reading { streams.judge(reading, of: key) }
          let sequence = streams.deliver(delivery, to: key)
          emit(.delivery(client: key, delivery, sequence: sequence, reading))
        }
      )
      monitors[key] = monitor
    } catch SessionError.storeUnavailable(_, let reason) {
      putOff(key, reason)
    } catch let error as SystemError {
      putOff(key, "\(error)")
    } catch {
      emit(.note(ServiceNote(.refused, "\(key) cannot be served: \(error)", client: key)))
    }
  }

  /// Refuses a client of which nothing is known, until a program of it comes again.
  private func putOff(_ key: String, _ reason: String) {
    putOff.insert(key)
    emit(.note(ServiceNote(.refused, "\(key) cannot be served now: \(reason)", client: key)))
    emit(.unserved(client: key, reason: reason))
  }

  /// Brings regions up to the journal's entries after their state was last kept.
  static func adjust(
    _ saved: inout SavedClient,
    _ journal: [RegionIdentifier: CrossingJournal.LastOfRegion]
  ) {
    saved.regions.removeAll { journal[$0.region.identifier]?.isStopped == true }
    for (identifier, last) in journal.sorted(by: { $0.key < $1.key }) {
      guard let registered = last.registered,
        !saved.regions.contains(where: { $0.region == registered.region })
      else { continue }
      saved.regions.removeAll { $0.region.identifier == identifier }
      saved.regions.append(registered)
    }
    for index in saved.regions.indices {
      let region = saved.regions[index]
      guard let crossing = journal[region.region.identifier]?.crossing,
        // A region's first crossing can be as early as the request to monitor it.
        crossing.time >= region.savedAt,
        crossing.state != region.state
      else { continue }
      // Inside without a holder: its exit time runs in full, from the start of the service.
      saved.regions[index] = SavedRegion(
        region.region,
        state: crossing.state,
        savedAt: crossing.time,
        intervals: region.intervals,
        clock: region.clock,
        receivedBy: region.receivedBy
      )
    }
  }

  /// The state of a client that cannot be served.
  private var unserved: ClientReading {
    var notes: [ClientDiagnostic] = []
    let areServicesOn = (try? store.readSwitches(notes: &notes)) ?? true
    return ClientReading(
      effective: SavedAuthorization(servicesOn: areServicesOn).effective
    )
  }

  /// Keeps a client's regions and states now: a killed service knows where its clients were.
  func save(_ key: String) async {
    unsaved.remove(key)
    if let monitor = monitors[key] { await session.saveNow(monitor) }
  }

  private func saveUnsaved() async {
    unsaved.formUnion(streams.drainCrossed())
    for key in unsaved.sorted() { await save(key) }
  }

  /// Reads the engine's state of a client, and applies it to its streams; `nil` if the client is not connected.
  private func reading(of key: String) async -> ClientReading? {
    guard let monitor = monitors[key] else { return nil }
    let reading = await session.readings(of: [monitor.client.id]).first ?? nil
    if let reading { streams.judge(reading, of: key) }
    return reading
  }

  /// Emits the engine's knowledge of clients: it may change by time alone.
  private func emitReadings(of keys: [String]) async {
    let clients = keys.compactMap { key in monitors[key].map { (key: key, id: $0.client.id) } }
    let readings = await session.readings(of: clients.map(\.id))
    var known: [String: ClientReading] = [:]
    for (client, reading) in zip(clients, readings) {
      known[client.key] = reading
      if let reading { streams.judge(reading, of: client.key) }
    }
    if !known.isEmpty { emit(.readings(known)) }
  }

  private func reconfigure(_ configuration: Configuration) async {
    do {
      let inEffect = try await session.reconfigure(configuration)
      let rest =
        inEffect == configuration
        ? "" : "; the profile, the times of authorization and the number of tracks wait for a start"
      emit(.note(ServiceNote(.reloaded, "the configuration was read again\(rest)")))
    } catch {
      emit(.note(ServiceNote(.reloadFailed, "the configuration is as before: \(error)")))
    }
  }

  private func watchSightings() async {
    guard !watchesSightings else { return }
    watchesSightings = true
    let emit = emit
    try? await session.watchSightings { emit(.sighting($0)) }
  }
}

// MARK: - Administration

extension EngineRoom {
  /// Does what an administrator asks for; it has failed if it is not kept.
  private func administer(_ work: Administration) async -> Result<
    [String: SavedAuthorization], ServiceError
  > {
    do throws(ServiceError) {
      switch work {
      case .list: return .success(try knownGrants())
      case .grant(let key, let grant, let accuracy): try await change(key, grant, accuracy)
      case .restrict(let key): try await change(key) { $0.isRestricted = true }
      case .reset(let key): try await reset(key)
      case .services(let isOn): try await setServices(on: isOn)
      }
      return .success([:])
    } catch {
      return .failure(error)
    }
  }

  /// The grants of the clients of which no program has come yet.
  private func knownGrants() throws(ServiceError) -> [String: SavedAuthorization] {
    let clients: [String]
    do throws(SystemError) {
      clients = try store.knownClients()
    } catch {
      throw .notKnown("\(error)")
    }
    return clients.filter { monitors[$0] == nil }.reduce(into: [:]) { known, client in
      var notes: [ClientDiagnostic] = []
      known[client] = store.grants(of: client, notes: &notes)
    }
  }

  private func change(
    _ key: String,
    _ grant: SavedAuthorization.Grant?,
    _ accuracy: AccuracyAuthorization?
  ) async throws(ServiceError) {
    try await change(key) { grants in
      if let grant {
        (grants.grant, grants.until, grants.confirmationDue) = (grant, nil, false)
        grants.isRestricted = false
      }
      grants.accuracy = accuracy ?? grants.accuracy
    }
  }

  private func change(
    _ key: String,
    _ change: @escaping @Sendable (inout SavedAuthorization) -> Void
  ) async throws(ServiceError) {
    var failure: (any Error)?
    if let monitor = monitors[key] {
      failure = await session.change(monitor.client.id, change)
      // It is in effect also if it cannot be kept.
      await emitReadings(of: [key])
    }
    try keep("the grants of \(key) cannot be kept", of: key) {
      if let failure { throw failure }
      var notes: [ClientDiagnostic] = []
      if monitors[key] == nil { try store.change(key, notes: &notes, change) }
    }
  }

  private func reset(_ key: String) async throws(ServiceError) {
    if monitors[key] != nil { return try await change(key, .notDetermined, .full) }
    guard store.hasGrants(key) else { throw .unknownClient }
    try keep("\(key) cannot be forgotten", of: key) { try store.reset(key) }
  }

  private func setServices(on isOn: Bool) async throws(ServiceError) {
    await session.perform(.services(on: isOn))
    await emitReadings(of: Array(monitors.keys))
    try keep("the switch of location services cannot be kept", of: nil) {
      try store.setServices(on: isOn)
    }
  }

  /// Writes to the store, or shows the operator why it cannot be written.
  private func keep(
    _ failure: String,
    of client: String?,
    _ work: () throws -> Void
  ) throws(ServiceError) {
    do {
      try work()
    } catch {
      emit(.note(ServiceNote(.storage, "\(failure): \(error)", client: client)))
      throw .notKept
    }
  }
}
