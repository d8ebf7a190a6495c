// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Synchronization

/// An engine in another process, such as the service's, which a session uses in place of a source and its own engine.
///
/// Nothing here waits for the other process: a request is sent, and what becomes of it is delivered.
package protocol RemoteEngine: Sendable {
  /// The time on the other engine's timeline.
  var now: Timestamp { get }

  /// Whether deliveries have ended for good, and why.
  var failure: (any Error)? { get }

  /// Opens a client.
  ///
  /// - Parameters:
  ///   - client: The client's name in the session.
  ///   - name: The client's name for the other process.
  ///   - manifest: What the program says of itself.
  ///   - isForeground: Whether the client starts in the foreground.
  ///   - deliver: Receives what the other engine's gate lets through, in order; called on a thread of the connection.
  /// - Returns: What the other process knows of the client.
  /// - Throws: An error that says why the client cannot be opened.
  func open(
    _ client: ClientID,
    named name: String,
    _ manifest: Manifest,
    isForeground: Bool,
    deliver: @escaping @Sendable (Event, Timestamp) -> Void
  ) async throws -> RemoteClient

  /// Returns why the other process cannot do a request as it is; `nil` if it can.
  func refusal(of request: ClientRequest) -> String?

  /// Sends a request of a client; one that is refused fails.
  func request(_ request: ClientRequest, by client: ClientID)

  /// Moves a client to the foreground or the background.
  func setForeground(_ isForeground: Bool, of client: ClientID)

  /// Ends a client's process: its regions are still monitored.
  func close(_ client: ClientID)

  /// Closes the connection.
  func stop() async
}

/// What is known in this process of a client of another process's engine.
package struct RemoteClient: Sendable, Equatable {
  /// What the client reads.
  package var snapshot: ClientSnapshot
  /// Whether location services are on.
  package var areServicesOn: Bool
  /// The regions that it monitors.
  package var regions: [Region]
  /// The constraints that it ranges.
  package var constraints: [IdentityConstraint] = []

  /// Creates a client.
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

  /// Notes a request on its way to the other process.
  mutating func note(_ request: ClientRequest) {
    switch request {
    case .range(let constraint, _):
      if !constraints.contains(constraint) { constraints.append(constraint) }
    case .stopRanging(let constraint): constraints.removeAll { $0 == constraint }
    case .monitor, .stopMonitoring: regions.note(request)
    case .requestState, .authorize, .notify: break
    }
  }

  /// Notes what the other process delivered.
  mutating func note(_ event: Event) {
    switch event {
    case .authorization(let status, let accuracy):
      var changed = RemoteClient(
        status: status,
        accuracy: accuracy,
        isInUse: snapshot.isInUse,
        areServicesOn: areServicesOn,
        regions: regions
      )
      (changed.snapshot.prompt, changed.snapshot.indicator) = (snapshot.prompt, snapshot.indicator)
      changed.constraints = constraints
      self = changed
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

/// The remote clients of a session, shared with the thread that delivers.
final class RemoteClients: Sendable {
  private struct State {
    var clients: [ClientID: RemoteClient] = [:]
    /// What was delivered before a client was set.
    var early: [ClientID: [Event]] = [:]
  }

  private let state = Mutex(State())

  subscript(_ id: ClientID) -> RemoteClient? { state.withLock { $0.clients[id] } }

  func set(_ client: RemoteClient, as id: ClientID) {
    state.withLock { state in
      var client = client
      for event in state.early.removeValue(forKey: id) ?? [] { client.note(event) }
      state.clients[id] = client
    }
  }

  func note(_ request: ClientRequest, by id: ClientID) {
    state.withLock { $0.clients[id]?.note(request) }
  }

  func note(_ event: Event, to id: ClientID) {
    state.withLock { state in
      if state.clients[id] == nil {
        state.early[id, default: []].append(event)
      } else {
        state.clients[id]?.note(event)
      }
    }
  }
}

/// The source of a session whose engine is in another process: it has no inputs.
struct NoSource: ScanSource {
  let now = Timestamp.earliest
  let receiverNames: [String] = []
  func next(until deadline: Timestamp?) async -> ScanBatch? { nil }
}

// MARK: - A session without an engine of its own

extension BeaconSession {
  /// Whether the session's engine is another process's.
  package nonisolated var isRemote: Bool { remote != nil }

  /// Opens a client of the other process's engine.
  func connectRemote(
    _ remote: any RemoteEngine,
    named name: String,
    _ manifest: Manifest,
    of hub: MonitorHub? = nil,
    isForeground: Bool
  ) async throws -> BeaconClient {
    try reserve(name, isMonitor: hub != nil)
    let id = ClientID(number: nextRemote)
    nextRemote += 1
    let (listeners, mirror) = (listeners, mirror)
    let known: RemoteClient
    do {
      known = try await remote.open(id, named: name, manifest, isForeground: isForeground) {
        event,
        time in
        mirror.note(event, to: id)
        var beacon: BeaconIdentity?
        if case .regionEntered(_, _, let why) = event { beacon = why.identity }
        let delivery = Delivery(ofService: event, to: .client(id), at: time)
        listeners.deliver(.delivery(delivery, beacon: beacon), to: id)
      }
    } catch {
      openNames[name] = nil
      throw error
    }
    mirror.set(known, as: id)
    let client = join(id)
    if let hub { _ = listeners.connect(hub, to: id) }
    keeper.add(StoreKeeper.Client(id: id, name: name, records: hub.map { hub in { hub.records } }))
    return client
  }

  /// Opens a monitor whose client is the other process's; it keeps the conditions, and the grants.
  func openRemoteMonitor(
    _ remote: any RemoteEngine,
    _ name: String,
    for manifest: Manifest?,
    isForeground: Bool
  ) async throws -> BeaconMonitor {
    guard let manifest else { throw SessionError.reservedName(name) }
    let hub = MonitorHub(ClientState())
    let client = try await connectRemote(
      remote,
      named: name,
      manifest,
      of: hub,
      isForeground: isForeground
    )
    return BeaconMonitor(name, client: client, hub: hub)
  }

  /// Sends a request to whichever engine the session has.
  func send(_ request: ClientRequest, by client: ClientID) {
    if let remote {
      if let reason = remote.refusal(of: request) {
        listeners.notify(.requestRefused(reason: reason), to: client)
      }
      mirror.note(request, by: client)
      remote.request(request, by: client)
    } else {
      core?.context.driver.request(request, by: client)
    }
  }

  /// Performs a user action on a remote client, if it is one that the program itself does.
  ///
  /// Everything else a user decides in the other process.
  func userRemote(_ action: UserAction, of client: ClientID?, _ remote: any RemoteEngine) {
    guard let client else { return }
    switch action {
    case .foreground: remote.setForeground(true, of: client)
    case .background: remote.setForeground(false, of: client)
    default: break
    }
  }

  /// How often requests are sent that sequences left when they were released.
  private static let remotePatience = Duration.milliseconds(200)

  /// Waits until the other process's deliveries end or the task is cancelled.
  func followRemote(_ remote: any RemoteEngine) async throws {
    do {
      while remote.failure == nil {
        runDeferredRequests()
        try await Task.sleep(for: Self.remotePatience)
      }
    } catch {
      // Cancelled: the regions stay with the other process.
    }
    for client in clients { remote.close(client) }
    await remote.stop()
    phase = .ended
    prompts.end()
    listeners.finish()
    if let failure = remote.failure { throw failure }
  }
}
