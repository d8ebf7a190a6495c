// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

extension BeaconSession {
  /// Opens a monitor.
  ///
  /// A damaged file is renamed, a diagnostic of the monitor's client reports it, and the monitor starts without it. A
  /// state that is older than the configuration's limit is not restored; registrations, grants and records still are.
  ///
  /// On a live source the monitor watches the grants and the switch of location services. A change by another program
  /// of the account (`beaconctl auth`) takes effect within a second, as a user action.
  ///
  /// - Parameters:
  ///   - name: The monitor's name.
  ///   - manifest: The program's manifest; `nil` opens it for the operator, who may know everything.
  ///   - status: The authorization status of a client that the store does not know.
  ///   - store: The store that keeps the state; `nil` keeps none. The account's own store is used only on a live
  ///     source: a replay keeps state only in a store with a folder that you name.
  ///   - isForeground: Whether the client starts in the foreground.
  /// - Returns: The monitor.
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)``, ``SessionError/reservedName(_:)``, and the source's error when
  ///   it is asked for its time.
  public func openMonitor(
    _ name: String,
    for manifest: Manifest?,
    granted status: AuthorizationStatus = .notDetermined,
    keepingStateIn store: ClientStore? = ClientStore(),
    isForeground: Bool = true
  ) async throws -> BeaconMonitor {
    try await openMonitor(
      name,
      for: manifest,
      unlessKnown: SavedClient(authorization: SavedAuthorization(status: status)),
      keepingStateIn: store,
      isForeground: isForeground
    )
  }

  /// Opens a monitor whose client has the given grants if the store does not know it.
  ///
  /// The closure `adjust` changes what the store knew before the client is restored from it; `take` gets the client's
  /// deliveries from the first on. A service that records says how many crossings the client had before.
  package func openMonitor(
    _ name: String,
    for manifest: Manifest?,
    unlessKnown saved: SavedClient,
    keepingStateIn store: ClientStore?,
    isForeground: Bool,
    numberedAfter sequence: UInt64 = 0,
    adjusting adjust: (@Sendable (inout SavedClient) -> Void)? = nil,
    passing take: (@Sendable (Delivery) -> Void)? = nil
  ) async throws -> BeaconMonitor {
    if let remote {
      return try await openRemoteMonitor(remote, name, for: manifest, isForeground: isForeground)
    }
    try await start()
    guard manifest == nil || name != ClientStore.operatorName else {
      throw SessionError.reservedName(name)
    }
    guard openNames.insert(name).inserted else { throw SessionError.monitorAlreadyOpen(name) }
    let stored = usable(store).map {
      StoredClient(name, in: $0, isOperator: manifest == nil)
    }
    let contents: StoredClient.Contents?
    do {
      contents = try await stored?.open()
    } catch {
      openNames.remove(name)
      throw error
    }
    var known = restored(contents, unlessKnown: saved)
    adjust?(&known)
    let hub = MonitorHub(contents?.state ?? ClientState(), in: stored)
    let id: ClientID?
    if let manifest {
      id = core?.context.driver.connect(manifest, restoring: known, isForeground: isForeground)
    } else {
      id = core?.context.driver.connect(restoring: known.regions)
    }
    let client = join(id)
    self.name(client.id, name, manifest == nil ? nil : known.authorization)
    recordBeginning(of: client.id, manifest, known, isForeground: isForeground, sequence)
    let (listeners, number) = (listeners, client.id)
    _ = listeners.connect(hub, to: client.id)
    if let take { client.listen(take) }
    // The listener list retains the hub, so the hub must not retain the list.
    stored?.onFailure { [weak listeners] in listeners?.notify($0, to: number) }
    let monitor = OpenMonitor(
      name: name,
      client: client.id,
      hub: hub,
      isOperator: manifest == nil
    )
    monitors.append(monitor)
    keptGrantsVersion = nil
    if let stored, source.isLive { follow(stored, of: client.id) }
    deliverAll()
    for note in contents?.notes ?? [] { listeners.notify(note, to: client.id) }
    return BeaconMonitor(name, client: client, hub: hub)
  }

  /// Records what a client of a service is restored from.
  private func recordBeginning(
    of client: ClientID,
    _ manifest: Manifest?,
    _ known: SavedClient,
    isForeground: Bool,
    _ sequence: UInt64
  ) {
    guard let manifest, serviceRecording != nil else { return }
    let beginning = RequestLine.Beginning(
      manifest,
      isForeground: isForeground,
      grants: known.authorization,
      state: try? StateForm.encode(known),
      sequence: sequence
    )
    record(.begin(beginning), of: client)
  }

  /// Returns the store, unless it is the account's own and the source is a replay.
  private func usable(_ store: ClientStore?) -> ClientStore? {
    guard let store, source.isLive || !store.isStandard else { return nil }
    return store
  }

  private func restored(
    _ contents: StoredClient.Contents?,
    unlessKnown saved: SavedClient
  ) -> SavedClient {
    var known = saved
    if let contents {
      if contents.isKnown || contents.grants == nil {
        known.authorization = contents.grants ?? SavedAuthorization()
      } else {
        known.authorization.servicesOn = contents.grants?.servicesOn ?? true
      }
      if contents.state != ClientState() { known.regions = contents.state.regions }
      known.authorization.held = contents.state.held
      known.heldEvents = contents.state.heldEvents
    }
    known.authorization.servicesOn = known.authorization.servicesOn && areServicesOn
    return known
  }

  func save(_ monitor: BeaconMonitor) {
    // The end has saved it for the last time. A later write would keep the client's name taken until it is done.
    guard phase != .ended,
      let open = monitors.first(where: { $0.client == monitor.client.id })
    else { return }
    save(open, isLast: false)
  }

  private func save(_ monitor: OpenMonitor, isLast: Bool) {
    monitor.hub.save(
      saved(monitor.client),
      isOperator: monitor.isOperator,
      isLast: isLast
    )
  }

  func close(_ monitor: BeaconMonitor) async {
    guard let open = monitors.first(where: { $0.client == monitor.client.id }) else {
      openNames.remove(monitor.name)
      return terminate(monitor.client.id)
    }
    save(open, isLast: true)
    monitors.removeAll { $0.client == open.client }
    terminate(open.client)
    await open.hub.stored?.close()
    openNames.remove(open.name)
  }
}

/// A monitor that is open in a session.
struct OpenMonitor {
  let name: String
  let client: ClientID
  let hub: MonitorHub
  let isOperator: Bool
}

// MARK: - The store while the session runs

extension BeaconSession {
  /// How much a crash can lose: a minute.
  ///
  /// That is a small part of the age up to which a state is restored, and a few kilobytes a minute are little to write,
  /// even for a memory card.
  private static let savingInterval = TimeSpan.seconds(60)

  /// Reads the switch of location services before the first client connects, if the source is live.
  func readSwitch() async {
    guard source.isLive, let store, switches == nil else { return }
    let stored = StoredClient(nil, in: store)
    switches = stored
    let contents = try? await stored.open()
    areServicesOn = contents?.grants?.servicesOn ?? false
    switchNotes = contents?.notes ?? []
    stored.onFailure { [weak self] note in
      Task { [weak self] in await self?.noteOfSwitch(note) }
    }
    follow(stored, of: nil)
  }

  /// Delivers what is wrong with the switch to a client that has just connected.
  func notifyOfSwitch(_ client: ClientID) {
    for note in switchNotes { listeners.notify(note, to: client) }
  }

  /// Delivers what is wrong with the switch from now on; a monitor's client reads the switch itself.
  private func noteOfSwitch(_ note: ClientDiagnostic) {
    switchNotes.append(note)
    for client in clients where !monitors.contains(where: { $0.client == client }) {
      listeners.notify(note, to: client)
    }
  }

  /// Turns changes that other processes make in the store into user actions.
  private func follow(_ stored: StoredClient, of client: ClientID?) {
    storeWatch.add(stored)
    Task { [weak self, changes = stored.changes] in
      for await inputs in changes { await self?.apply(inputs, of: client) }
    }
  }

  private func apply(_ inputs: [UserAction], of client: ClientID?) async {
    for input in inputs {
      guard case .services(let isOn) = input else {
        if let client { perform(input, of: client, isFromStore: true) }
        continue
      }
      if client == nil { areServicesOn = isOn }
      // Several clients of a session watch the same switch.
      let differs = clients.contains { core?.context.driver.grants(of: $0)?.servicesOn == !isOn }
      if differs { perform(input, of: nil, isFromStore: true) }
    }
  }

  /// Switches location services in the stores of the clients that a user action concerns.
  func keepServices(on isOn: Bool, by client: ClientID?) {
    for monitor in monitors where client == nil || client == monitor.client {
      monitor.hub.stored?.saveServices(on: isOn)
    }
  }

  /// Saves grants that changed at once, and states once a minute.
  func keepChanges() {
    guard !monitors.isEmpty else { return }
    keepChangedGrants()
    guard source.isLive, let now = core?.context.now, now >= nextSaving else { return }
    nextSaving = now + Self.savingInterval
    for monitor in monitors { save(monitor, isLast: false) }
  }

  private func keepChangedGrants() {
    // Asked for each delivery, so the clients are not looked at one by one.
    guard let version = core?.context.driver.grantsVersion, version != keptGrantsVersion else {
      return
    }
    keptGrantsVersion = version
    for monitor in monitors where !monitor.isOperator {
      guard let grants = core?.context.driver.grants(of: monitor.client) else { continue }
      guard keptGrants[monitor.client] != grants else { continue }
      keptGrants[monitor.client] = grants
      monitor.hub.stored?.save(grants)
    }
  }

  /// Saves the states at the end of a run, before any of them is discarded.
  func saveMonitors() {
    for monitor in monitors { save(monitor, isLast: true) }
  }

  /// Waits until everything saved is on the disk, and stops watching the store.
  func settleStore() async {
    await switches?.close()
    for monitor in monitors { await monitor.hub.stored?.flush() }
  }
}
