// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What this process knows of the engine of another process, such as the service's, and what it asks of it.
///
/// It knows what was delivered, and what it asked for itself. Nothing here waits for the other process: a command is
/// sent, and what becomes of it is delivered.
package struct RemoteEngine: Sendable {
  /// What the other process is asked for.
  package enum Command: Sendable, Equatable {
    /// Handle a request of a client.
    case request(ClientRequest, by: ClientID)
    /// Move a client to the foreground or the background.
    case setForeground(Bool, of: ClientID)
    /// End a client's process: its regions are still monitored.
    case close(ClientID)
  }

  /// A client as its program last heard of it.
  package struct Client: Sendable, Equatable {
    /// What the client reads.
    package var snapshot: ClientSnapshot
    /// Whether location services are on.
    package var areServicesOn: Bool
    /// The regions that it monitors.
    package var regions: [Region]
    /// The constraints that it ranges.
    package var constraints: [IdentityConstraint] = []
    /// Its stays, from its deliveries.
    var log = VisitLog()

    /// Its visits, as far as it may know them.
    package var visits: [RegionVisit] { snapshot.mayKnowVisits ? log.visits : [] }
  }

  /// The latest time that was delivered; before the first delivery, the time at which the engine was created.
  package private(set) var now: Timestamp
  /// The clients that are open, and those that were.
  package private(set) var clients: [ClientID: Client] = [:]
  /// What was delivered before a client was open.
  private var early: [ClientID: [(event: Event, time: Timestamp)]] = [:]
  private var commands: [Command] = []
  private var nextClient: UInt32 = 0

  /// Creates an engine without clients.
  package init(startingAt start: Timestamp) {
    now = start
  }

  /// Returns the name of a client that is opened next.
  package mutating func nextName() -> ClientID {
    defer { nextClient += 1 }
    return ClientID(number: nextClient)
  }

  /// Notes what the other process knew of a client when it opened it.
  package mutating func opened(_ client: Client, as id: ClientID) {
    clients[id] = client
    for (event, time) in early.removeValue(forKey: id) ?? [] { clients[id]?.note(event, at: time) }
  }

  /// Notes what the other process's gate let through.
  package mutating func receive(_ event: Event, at time: Timestamp, to id: ClientID) -> Delivery {
    now = max(now, time)
    if clients[id] == nil {
      early[id, default: []].append((event, time))
    } else {
      clients[id]?.note(event, at: time)
    }
    return Delivery(ofService: event, to: .client(id), at: time)
  }

  /// Returns what to ask the other process for, in order, and forgets it.
  package mutating func drainCommands() -> [Command] {
    defer { commands = [] }
    return commands
  }

  mutating func request(_ request: ClientRequest, by id: ClientID) {
    clients[id]?.note(request)
    commands.append(.request(request, by: id))
  }

  /// Everything else a user decides in the other process.
  mutating func perform(_ action: UserAction, by id: ClientID?) {
    guard let id else { return }
    switch action {
    case .foreground: commands.append(.setForeground(true, of: id))
    case .background: commands.append(.setForeground(false, of: id))
    default: break
    }
  }

  mutating func close(_ id: ClientID) { commands.append(.close(id)) }

  mutating func closeAll() { for id in clients.keys.sorted() { close(id) } }
}

extension RemoteEngine.Client {
  /// Creates a client from what its program reads.
  package init(
    status: AuthorizationStatus,
    accuracy: AccuracyAuthorization,
    isInUse: Bool,
    areServicesOn: Bool,
    regions: [Region]
  ) {
    // The grant itself stays in the other process; what it permits is the most that the status shows.
    let grant: SavedAuthorization.Grant =
      switch status {
      case .authorizedAlways: .always
      case .authorizedWhenInUse: .whenInUse
      case .denied, .restricted: .denied
      case .notDetermined: .notDetermined
      }
    let isRestricted = status == .restricted
    // With services off, every status reads `denied`.
    let areServicesOn = areServicesOn || status != .denied
    snapshot = ClientSnapshot(
      EffectiveAuthorization(grant, areServicesOn: areServicesOn, isRestricted: isRestricted),
      accuracy: accuracy,
      settings: SettingsView(authorization: grant.setting, precise: accuracy == .full),
      isInUse: isInUse,
      prompt: nil,
      indicator: .none
    )
    self.areServicesOn = areServicesOn
    self.regions = regions
  }

  /// What a program would restore the client from; the grant itself stays in the other process.
  var saved: SavedClient {
    var authorization = SavedAuthorization(status: snapshot.status, accuracy: snapshot.accuracy)
    authorization.servicesOn = areServicesOn
    return SavedClient(authorization: authorization)
  }

  /// Notes a request on its way to the other process.
  mutating func note(_ request: ClientRequest) {
    switch request {
    case .range(let constraint, _):
      if !constraints.contains(constraint) { constraints.append(constraint) }
    case .stopRanging(let constraint): constraints.removeAll { $0 == constraint }
    case .monitor, .stopMonitoring: regions.note(request)
    case .authorize(.beginService(let session)):
      if !session.isImplicit { snapshot.lacksSession = false }
    case .requestState, .authorize, .notify, .stopNotifying: break
    }
  }

  /// Notes what the other process delivered.
  mutating func note(_ event: Event, at time: Timestamp) {
    log.note(event, at: time)
    switch event {
    case .authorization(let status, let accuracy):
      let changed = RemoteEngine.Client(
        status: status,
        accuracy: accuracy,
        isInUse: snapshot.isInUse,
        areServicesOn: areServicesOn,
        regions: regions
      )
      let before = snapshot
      (snapshot, areServicesOn) = (changed.snapshot, changed.areServicesOn)
      (snapshot.prompt, snapshot.indicator) = (before.prompt, before.indicator)
      snapshot.lacksSession = before.lacksSession
    case .diagnostic(.authorization(.serviceSessionRequired)): snapshot.lacksSession = true
    case .prompt(let prompt): snapshot.prompt = prompt
    case .promptWithdrawn: snapshot.prompt = nil
    case .indicator(let style): snapshot.indicator = style
    case .failure(_, .region(let region)), .diagnostic(.regionLimitExceeded(let region)):
      // A region that could not be registered; one of before stays with the other process and is listed there.
      regions.removeAll { $0.identifier == region }
    default: break
    }
  }
}
