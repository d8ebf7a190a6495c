// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

// MARK: - Names

extension BeaconSession {
  /// Reserves a name, so that no other client of the session gets it.
  ///
  /// - Throws: ``SessionError/reservedName(_:)`` if the name is the operator's, and the error that names the program that has the
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

  /// Keeps nothing more of a client, and releases its name when everything saved is on the disk.
  func release(_ open: StoreKeeper.Client) async {
    keeper.remove(open.id)
    await open.files?.close()
    openNames[open.name] = nil
  }
}

// MARK: - Clients in the store

extension BeaconSession {
  /// Returns the store, unless it is the account's own and the source is a replay or a simulation.
  func usable(_ store: ClientStore?) -> ClientStore? {
    guard let store, let source, store.isKept(isReal: source.usesAccountStore) else { return nil }
    return store
  }

  /// Reads a client's stored state and takes its lease; if that fails, the name is released.
  func open(_ files: ClientFiles?, as name: String) async throws(SessionError)
    -> ClientFiles.Contents?
  {
    do throws(SessionError) {
      return try await files?.open()
    } catch {
      let taken = openNames.removeValue(forKey: name)
      if case .storeUnavailable = error { throw error }
      // Another process has the name.
      throw taken ?? error
    }
  }

  /// Returns the grants with which a client starts: the stored ones, or the given ones if the store does not know it.
  func grants(
    in contents: ClientFiles.Contents?,
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

  /// Keeps a client's changes in its store, and performs other processes' changes there.
  func keep(_ open: StoreKeeper.Client) {
    keeper.add(open)
    guard let files = open.files else { return }
    // The store must not retain the list of listeners, which retains a monitor's hub.
    files.onFailure { [weak listeners = listeners, client = open.id] in
      listeners?.notify($0, to: client)
    }
    followStore()
  }

  /// Delivers the faults of a client's files; with none, the faults of the switch.
  func notify(_ client: ClientID, _ contents: ClientFiles.Contents?) {
    for note in contents?.notes ?? switchNotes { listeners.notify(note, to: client) }
  }
}

// MARK: - The store while the session runs

extension BeaconSession {
  /// Reads the switch of location services before the first client connects, if the source is live.
  func readSwitch() async {
    guard listeners.isLive, let store = usable(store), switches == nil else { return }
    let files = ClientFiles(nil, in: store)
    switches = files
    let contents = try? await files.open()
    areServicesOn = contents?.grants?.servicesOn ?? false
    switchNotes = contents?.notes ?? []
    files.onFailure { [weak self] note in
      Task { [weak self] in await self?.noteOfSwitch(note) }
    }
    followStore()
  }

  /// Delivers the faults of the switch from now on; a client with separate files reads the switch itself.
  private func noteOfSwitch(_ note: ClientDiagnostic) {
    switchNotes.append(note)
    for client in clients where keeper.client(client)?.files == nil {
      listeners.notify(note, to: client)
    }
  }

  /// Looks at the files of the clients from now on, until the session has ended or is released.
  private func followStore() {
    guard listeners.isLive, storeWatch == nil else { return }
    storeWatch = Task { [weak self] in
      while (try? await Task.sleep(for: StoreKeeper.lookInterval.duration)) != nil {
        guard let session = self else { return }
        await session.look()
      }
    }
  }

  /// Turns changes that other processes made in the store into user actions.
  private func look() async {
    for files in await ClientFiles.replaced(among: keeper.nextToLook(and: switches)) {
      let actions = await files.look()
      let client = keeper.clients.first { $0.files === files }?.id
      if client != nil || files === switches { apply(actions, of: client) }
    }
  }

  private func apply(_ inputs: [UserAction], of client: ClientID?) {
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
    for open in keeper.clients where client == nil || client == open.id {
      open.files?.saveServices(on: isOn)
    }
  }

  /// Saves the states at the end of a run, before any of them is discarded.
  func saveStates() {
    for open in keeper.clients { save(open, isLast: true) }
  }

  /// Saves a monitor's state; of any other client only the grants are kept.
  func save(_ open: StoreKeeper.Client, isLast: Bool) {
    keeper.save(open, saved(open.id), at: core?.context.now ?? .earliest, isLast: isLast)
  }

  /// Changes a client's grants as its user does, and waits until they are on the disk.
  ///
  /// - Returns: Why they cannot be kept; they are in effect nevertheless. `nil` if they are kept.
  package func change(
    _ client: ClientID,
    _ change: @Sendable (inout SavedAuthorization) -> Void
  ) async -> (any Error)? {
    for _ in 0..<Self.triesOfChange {
      guard let old = core?.context.driver?.grants(of: client) else { return nil }
      var new = old
      change(&new)
      for action in GrantChange.inputs(from: old, to: new) { perform(action, of: client) }
      guard let files = keeper.client(client)?.files,
        let grants = core?.context.driver?.grants(of: client)
      else { return nil }
      let failure = await files.saveDecision(grants)
      if case StoreError.contested? = failure {
        // Another process was first: its change happens before this one.
        apply(await files.look(), of: client)
      } else if failure != nil
        || core?.context.driver?.grants(of: client)?.lasting == grants.lasting
      {
        return failure
      }
    }
    return StoreError.contested(path: keeper.client(client)?.files?.store.directory ?? "")
  }

  private static let triesOfChange = 5

  /// Waits until everything saved is on the disk, and stops watching the store.
  ///
  /// A monitor keeps its name until it is closed. A client has nothing more to do, so another program can run as it.
  func settleStore() async {
    storeWatch?.cancel()
    await switches?.close()
    for open in keeper.clients {
      if open.records == nil { await open.files?.close() } else { await open.files?.flush() }
    }
  }
}
