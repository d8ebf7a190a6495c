// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconSession {
  /// Opens a monitor.
  ///
  /// A state file that is damaged is set aside under a new name, which a diagnostic of the monitor's client tells, and
  /// the monitor begins afresh. A state that is older than the configuration's limit is not restored; registrations,
  /// grants and records are.
  ///
  /// - Parameters:
  ///   - name: The monitor's name.
  ///   - manifest: What the program says of itself; `nil` opens it for the operator, who may know everything.
  ///   - status: What a client that no state file knows stands as.
  ///   - store: Where state is kept; `nil` keeps none.
  ///   - isForeground: Whether the client starts in the foreground.
  /// - Returns: The monitor.
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)``, and what the source throws when asked for its time.
  public func openMonitor(
    _ name: String,
    for manifest: Manifest?,
    granted status: AuthorizationStatus = .notDetermined,
    keepingStateIn store: StateStore? = StateStore(),
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

  /// Opens a monitor whose client stands as given where no state file knows it.
  package func openMonitor(
    _ name: String,
    for manifest: Manifest?,
    unlessKnown saved: SavedClient,
    keepingStateIn store: StateStore?,
    isForeground: Bool
  ) async throws -> BeaconMonitor {
    try await start()
    guard !monitors.contains(where: { $0.name == name }) else {
      throw SessionError.monitorAlreadyOpen(name)
    }
    let place = try store?.place(of: name)
    let (contents, notices) = place?.read() ?? (nil, [])
    let known = contents ?? StateFile.Contents(client: saved)
    let hub = MonitorHub(known, in: place)
    let id: ClientID?
    if let manifest {
      id = driver?.connect(manifest, restoring: known.client, isForeground: isForeground)
    } else {
      id = driver?.connect(restoring: known.client.regions)
    }
    let client = join(id)
    self.name(client.id, name, manifest == nil ? nil : known.client.authorization)
    let (listeners, number) = (listeners, client.id)
    _ = listeners.connect(hub, to: client.id)
    // The switchboard keeps the hub as a listener; the hub must not keep the switchboard.
    hub.onFailure { [weak listeners] in listeners?.notify($0, to: number) }
    monitors.append((name, client.id, hub))
    deliverAll()
    for notice in notices { listeners.notify(notice, to: client.id) }
    return BeaconMonitor(name, client: client, hub: hub)
  }

  func save(_ monitor: BeaconMonitor) {
    guard monitors.contains(where: { $0.client == monitor.client.id }) else { return }
    monitor.save(saved(monitor.client.id))
  }

  func close(_ monitor: BeaconMonitor) {
    save(monitor)
    monitors.removeAll { $0.client == monitor.client.id }
    monitor.giveFree()
    terminate(monitor.client.id)
  }
}
