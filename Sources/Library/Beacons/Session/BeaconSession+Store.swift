// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// A client whose name is in use in a session.
struct OpenClient {
  let name: String
  let client: ClientID
  /// The events and records of the monitor that the client belongs to; `nil` if it is no monitor's.
  var hub: MonitorHub?
  /// Where the client is stored; `nil` if it is not.
  var stored: StoredClient?
  var isOperator = false
}

// MARK: - Names

extension BeaconSession {
  /// Reserves a name, so that no other client of the session gets it.
  ///
  /// - Throws: ``SessionError/reservedName(_:)`` if the name is the operator's, and the error that says what has the
  ///   name.
  func reserve(_ name: String, isOperator: Bool = false, isMonitor: Bool) throws(SessionError) {
    guard isOperator || name != ClientStore.operatorName else { throw .reservedName(name) }
    if let taken = openNames[name] { throw taken }
    openNames[name] = isMonitor ? .monitorAlreadyOpen(name) : .nameInUse(name)
  }

  /// Reserves a name for a client that was given none: its number in the session tells it from the others.
  func reserveName(of client: ClientID) -> String {
    var number = client.number
    while openNames["client\(number)"] != nil { number += 1 }
    let name = "client\(number)"
    openNames[name] = .nameInUse(name)
    return name
  }

  /// Returns what is open under a client's name; `nil` for a client that was given none.
  func opened(_ client: ClientID) -> OpenClient? { openClients.first { $0.client == client } }

  /// Keeps nothing more of a client, and releases its name when everything saved is on the disk.
  func release(_ open: OpenClient) async {
    openClients.removeAll { $0.client == open.client }
    await open.stored?.close()
    openNames[open.name] = nil
  }
}

// MARK: - Clients in the store

extension BeaconSession {
  /// Returns the store, unless it is the account's own and the source is a replay or a simulation.
  func usable(_ store: ClientStore?) -> ClientStore? {
    guard let store, let source, source.usesAccountStore || !store.isStandard else { return nil }
    return store
  }

  /// Reads what is stored of a client and takes its lease; where that fails, the name is released.
  func open(_ stored: StoredClient?, as name: String) async throws(SessionError)
    -> StoredClient.Contents?
  {
    do throws(SessionError) {
      return try await stored?.open()
    } catch {
      // Another process has the name.
      throw openNames.removeValue(forKey: name) ?? error
    }
  }

  /// Returns the grants with which a client starts: the stored ones, or the given ones if the store does not know it.
  func grants(
    in contents: StoredClient.Contents?,
    unlessKnown saved: SavedAuthorization
  ) -> SavedAuthorization {
    var grants = saved
    if let contents {
      let stored = contents.grants ?? SavedAuthorization()
      if contents.isKnown || contents.grants == nil { grants = stored }
      (grants.held, grants.servicesOn) = (saved.held, stored.servicesOn)
    }
    grants.servicesOn = grants.servicesOn && areServicesOn
    return grants
  }

  /// Keeps what changes of a client in its store, and performs what other processes change there.
  func keep(_ open: OpenClient) {
    openClients.append(open)
    keptGrantsVersion = nil
    guard let stored = open.stored else { return }
    // The store must not retain the list of listeners, which retains a monitor's hub.
    stored.onFailure { [weak listeners = listeners, client = open.client] in
      listeners?.notify($0, to: client)
    }
    if listeners.isLive { follow(stored, of: open.client) }
  }

  /// Delivers what is wrong with a client's files; with none, what is wrong with the switch.
  func notify(_ client: ClientID, _ contents: StoredClient.Contents?) {
    for note in contents?.notes ?? switchNotes { listeners.notify(note, to: client) }
  }
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
    guard listeners.isLive, let store = usable(store), switches == nil else { return }
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

  /// Delivers what is wrong with the switch from now on; a client with files of its own reads the switch itself.
  private func noteOfSwitch(_ note: ClientDiagnostic) {
    switchNotes.append(note)
    for client in clients where opened(client)?.stored == nil {
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
      let differs = clients.contains { core?.context.driver?.grants(of: $0)?.servicesOn == !isOn }
      if differs { perform(input, of: nil, isFromStore: true) }
    }
  }

  /// Switches location services in the stores of the clients that a user action concerns.
  func keepServices(on isOn: Bool, by client: ClientID?) {
    for open in openClients where client == nil || client == open.client {
      open.stored?.saveServices(on: isOn)
    }
  }

  /// Saves grants that changed at once, and states once a minute.
  func keepChanges() {
    guard !openClients.isEmpty else { return }
    keepChangedGrants()
    guard listeners.isLive, let now = core?.context.now, now >= nextSaving else { return }
    nextSaving = now + Self.savingInterval
    for open in openClients { save(open, isLast: false) }
  }

  private func keepChangedGrants() {
    // Asked for each delivery, so the clients are not looked at one by one.
    guard let version = core?.context.engine.grantsVersion, version != keptGrantsVersion else {
      return
    }
    keptGrantsVersion = version
    for open in openClients where !open.isOperator {
      guard let grants = core?.context.driver?.grants(of: open.client) else { continue }
      guard keptGrants[open.client] != grants else { continue }
      keptGrants[open.client] = grants
      open.stored?.save(grants)
    }
  }

  /// Saves the states at the end of a run, before any of them is discarded.
  func saveStates() {
    for open in openClients { save(open, isLast: true) }
  }

  /// Saves a monitor's state; of any other client only the grants are kept.
  func save(_ open: OpenClient, isLast: Bool) {
    open.hub?.save(saved(open.client), isOperator: open.isOperator, isLast: isLast)
  }

  /// Waits until everything saved is on the disk, and stops watching the store.
  ///
  /// A monitor keeps its name until it is closed. A client has nothing more to do, so another program can run as it.
  func settleStore() async {
    await switches?.close()
    for open in openClients {
      if open.hub == nil { await open.stored?.close() } else { await open.stored?.flush() }
    }
  }
}
