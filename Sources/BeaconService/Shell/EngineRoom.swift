// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// What the bus's thread asks of the engine; done one after the other, in order.
enum EngineCommand: Sendable {
  case start(client: String, Manifest, isForeground: Bool)
  case end(client: String)
  case request(client: String, ClientRequest)
  case user(client: String, UserAction)
  case grant(client: String, SavedAuthorization.Grant?, AccuracyAuthorization?)
  case reset(client: String)
  case services(on: Bool)
  case sightings
  case refresh([String])
  case refreshAll
  case save(String)
  case reconfigure(Configuration)
  /// Report with a number that everything before this is done.
  case done(UInt64)
}

/// What the engine's side sends to the bus's thread.
enum EngineNews: Sendable {
  case delivery(client: String, Delivery)
  case state(client: String, EngineClientState)
  case radio(SessionLimit.Radio, [RadioReport])
  case sighting(Sighting)
  case receivers([String])
  case time(Timestamp)
  case note(ServiceNote)
  case done(UInt64)
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
  private let boot: String
  private let emit: @Sendable (EngineNews) -> Void
  private var monitors: [String: BeaconMonitor] = [:]
  private var watchesSightings = false

  init(
    _ session: BeaconSession,
    _ store: ClientStore,
    boot: String,
    emitting emit: @escaping @Sendable (EngineNews) -> Void
  ) {
    self.session = session
    self.store = store
    self.boot = boot
    self.emit = emit
  }

  /// Does what is asked, until nothing more is.
  func serve(_ commands: AsyncStream<EngineCommand>) async {
    for await command in commands { await perform(command) }
  }

  func perform(_ command: EngineCommand) async {
    switch command {
    case .start(let key, let manifest, let isForeground):
      if let monitor = monitors[key] {
        await monitor.client.startProcess(isForeground: isForeground)
      } else {
        await connect(key, manifest, isForeground: isForeground)
      }
      // A program must not wait for a client that cannot be served: it has no authorization.
      if monitors[key] == nil { emit(.state(client: key, EngineClientState())) }
      await refresh(key)
    case .end(let key):
      await monitors[key]?.client.endProcess()
      await save(key)
      await refresh(key)
    case .request(let key, let request):
      await monitors[key]?.client.request(request)
      switch request {
      case .monitor, .stopMonitoring: await save(key)
      default: break
      }
      await refresh(key)
    case .user(let key, let action):
      await monitors[key]?.client.user(action)
      await refresh(key)
    case .grant(let key, let grant, let accuracy): await change(key, grant, accuracy)
    case .reset(let key): await reset(key)
    case .services(let isOn):
      await session.user(.services(on: isOn))
      do {
        try store.setServices(on: isOn)
      } catch {
        let text = "the switch of location services cannot be kept: \(error)"
        emit(.note(ServiceNote(.storage, text)))
      }
      for key in monitors.keys.sorted() { await refresh(key) }
    case .sightings: await watchSightings()
    case .refreshAll: for key in monitors.keys.sorted() { await refresh(key) }
    case .save(let key): await save(key)
    case .done(let number): emit(.done(number))
    case .reconfigure(let configuration): await reconfigure(configuration)
    case .refresh(let keys): for key in keys { await refresh(key) }
    }
    if let now = try? await session.now { emit(.time(now)) }
  }

  /// Connects a client, with what the store knows of it.
  func connect(_ key: String, _ manifest: Manifest, isForeground: Bool) async {
    do {
      let monitor = try await session.openMonitor(
        key,
        for: manifest,
        unlessKnown: SavedClient(),
        keepingStateIn: store,
        isForeground: isForeground,
        adjusting: { [store, boot] in
          let journal = CrossingJournal(of: key, in: store, boot: boot)
          Self.adjust(&$0, journal.lastCrossings)
        },
        passing: { [emit] in emit(.delivery(client: key, $0)) }
      )
      monitors[key] = monitor
    } catch {
      emit(.note(ServiceNote(.refused, "\(key) cannot be served: \(error)", client: key)))
    }
  }

  /// Brings regions up to crossings that were passed on after their state was last kept.
  static func adjust(
    _ saved: inout SavedClient,
    _ crossings: [RegionIdentifier: CrossingJournal.Crossing]
  ) {
    for index in saved.regions.indices {
      let region = saved.regions[index]
      guard let crossing = crossings[region.region.identifier], crossing.time > region.savedAt,
        crossing.state != region.state
      else { continue }
      // Inside without a holder: its exit time runs in full, from the start of the service.
      saved.regions[index] = SavedRegion(
        region.region,
        state: crossing.state,
        savedAt: crossing.time,
        intervals: region.intervals,
        clock: region.clock
      )
    }
  }

  /// Keeps a client's regions and states now: a killed service knows where its clients were.
  func save(_ key: String) async {
    if let monitor = monitors[key] { await session.saveNow(monitor) }
  }

  func refresh(_ key: String) async {
    guard let client = monitors[key]?.client, let snapshot = await client.snapshot else { return }
    let state = EngineClientState(
      status: snapshot.status,
      accuracy: snapshot.accuracy,
      isInUse: snapshot.isInUse,
      grants: await client.grants ?? SavedAuthorization(),
      regions: await client.regions
    )
    emit(.state(client: key, state))
  }

  private func change(
    _ key: String,
    _ grant: SavedAuthorization.Grant?,
    _ accuracy: AccuracyAuthorization?
  ) async {
    guard let client = monitors[key]?.client, let old = await client.grants else {
      var notes: [ClientDiagnostic] = []
      do {
        try store.change(key, notes: &notes) { grants in
          if let grant {
            grants.grant = grant
            grants.until = nil
            grants.confirmationDue = false
          }
          grants.accuracy = accuracy ?? grants.accuracy
        }
      } catch {
        let text = "the grants of \(key) cannot be kept: \(error)"
        emit(.note(ServiceNote(.storage, text, client: key)))
      }
      return
    }
    var new = old
    new.grant = grant ?? old.grant
    new.accuracy = accuracy ?? old.accuracy
    for action in GrantChange.inputs(from: old, to: new) { await client.user(action) }
    await refresh(key)
  }

  private func reset(_ key: String) async {
    if monitors[key] != nil { await change(key, .notDetermined, .full) }
    guard monitors[key] == nil else { return }
    do {
      try store.reset(key)
    } catch {
      emit(.note(ServiceNote(.storage, "\(key) cannot be forgotten: \(error)", client: key)))
    }
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
