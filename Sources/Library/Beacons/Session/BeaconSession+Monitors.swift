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
  ///   - manifest: The program's manifest; `nil` opens it for the operator, which has no limits.
  ///   - status: The authorization status of a client that the store does not know.
  ///   - store: The store that keeps the state; `nil` keeps none. The account's own store is used only on a live
  ///     source: a replay or a simulation keeps state only in a store with a folder that you name.
  ///   - isForeground: Whether the client starts in the foreground.
  /// - Returns: The monitor.
  /// - Throws: ``SessionError/monitorAlreadyOpen(_:)``, also while another program runs as the monitor's client;
  ///   ``SessionError/nameInUse(_:)`` while a client of the session has the name; ``SessionError/reservedName(_:)``; and
  ///   the source's error when it is asked for its time.
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
  /// The closure `adjust` changes the store's state before the client is restored from it; `take` gets the client's
  /// deliveries from the first on. A service that records states how many crossings the client had before.
  package func openMonitor(
    _ name: String,
    for manifest: Manifest?,
    unlessKnown saved: SavedClient,
    keepingStateIn store: ClientStore?,
    isForeground: Bool,
    numberedAfter sequence: UInt64 = 0,
    adjusting adjust: (@Sendable (inout SavedClient) -> Void)? = nil,
    passing take: DeliveryTaker? = nil
  ) async throws -> BeaconMonitor {
    try await start()
    try reserve(name, isOperator: manifest == nil, isMonitor: true)
    let files = usable(store).map { ClientFiles(name, in: $0, isOperator: manifest == nil) }
    let contents = try await open(files, as: name)
    var known = restored(contents, unlessKnown: saved)
    adjust?(&known)
    let hub = MonitorHub(contents?.state ?? ClientState())
    let id = try await connectToEngine(
      manifest,
      named: name,
      restoring: known,
      isForeground: isForeground
    )
    let client = join(id, as: name, manifest == nil ? nil : known.authorization)
    recordBeginning(of: client.id, manifest, known, isForeground: isForeground, sequence)
    let number = client.id
    _ = listeners.connect(hub, to: number)
    takers[number] = take
    noteRestored(known.regions, by: number)
    keep(StoreKeeper.Client(id: number, name: name, records: { hub.records }, files: files))
    deliverAll()
    notify(number, contents)
    return BeaconMonitor(name, client: client, hub: hub)
  }

  /// Records the state from which a client of a service is restored.
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
      saved: known,
      sequence: sequence
    )
    record(.begin(beginning), of: client)
  }

  private func restored(
    _ contents: ClientFiles.Contents?,
    unlessKnown saved: SavedClient
  ) -> SavedClient {
    var known = saved
    known.authorization = grants(in: contents, unlessKnown: saved.authorization)
    if let contents {
      if contents.state != ClientState() { known.regions = contents.state.regions }
      known.authorization.held = contents.state.held
      known.heldEvents = contents.state.heldEvents
    }
    return known
  }

  func save(_ monitor: BeaconMonitor) {
    // The end has saved it for the last time. A later write would keep the client's name taken until it is done.
    guard phase != .ended, let open = keeper.client(monitor.client.id) else { return }
    save(open, isLast: false)
  }

  func close(_ monitor: BeaconMonitor) async {
    let open = keeper.client(monitor.client.id)
    if let open {
      save(open, isLast: true)
      keeper.remove(open.id)
    }
    finishProcess(of: monitor.client.id)
    if let open { await release(open) }
  }
}
