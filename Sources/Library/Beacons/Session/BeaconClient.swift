// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One client of a session: sends requests and receives events.
///
/// This is a handle that is cheap to copy. A request takes effect at the current point of the timeline; on a replay
/// that is the time of the event being handled.
public struct BeaconClient: Sendable {
  /// The client's number in the session.
  public let id: ClientID
  /// The client's name: the one that it was connected by, `operator`, or one that tells it from the session's others.
  public let name: String
  /// The session that the client belongs to.
  public let session: BeaconSession

  let listeners: ListenerList

  // MARK: Requests

  /// Monitors a region; one of the same identifier is replaced.
  ///
  /// - Parameters:
  ///   - region: The region to monitor.
  ///   - assumed: The initial state. If the first determination differs from it, that is a crossing.
  public func startMonitoring(_ region: Region, assuming assumed: RegionState? = nil) async {
    await session.request(.monitor(region, assuming: assumed), by: id)
  }

  /// Stops monitoring a region.
  public func stopMonitoring(_ region: RegionIdentifier) async {
    await session.request(.stopMonitoring(region), by: id)
  }

  /// Requests a region's current state; ``regionEvents`` delivers it.
  public func requestState(for region: RegionIdentifier) async {
    await session.request(.requestState(region), by: id)
  }

  /// Asks for authorization, for accuracy, or for a continuous session in the background.
  public func requestAuthorization(_ request: AuthorizationRequest) async {
    await session.request(.authorize(request), by: id)
  }

  /// Requests that the machine shows a notification when a region is entered or left.
  public func notify(_ notification: RegionNotification) async {
    await session.request(.notify(notification), by: id)
  }

  /// Ends the notifications of a region.
  public func stopNotifying(_ region: RegionIdentifier) async {
    await session.request(.stopNotifying(region), by: id)
  }

  /// Declares a goal for as long as the handle is kept.
  ///
  /// The session asks for the goal's needs as soon as it can, and again after a temporary grant expires.
  public func serviceSession(
    _ goal: ServiceSession.Goal,
    fullAccuracyPurposeKey: String? = nil
  ) async -> ServiceSessionHandle {
    await serviceSession(goal, fullAccuracyPurposeKey, isImplicit: false)
  }

  /// Declares a goal: the client's, or the implicit one of an activity (row N11).
  package func serviceSession(
    _ goal: ServiceSession.Goal,
    _ fullAccuracyPurposeKey: String?,
    isImplicit: Bool
  ) async -> ServiceSessionHandle {
    let declaration = ServiceSession(
      id: await session.nextServiceNumber(),
      goal: goal,
      fullAccuracyPurposeKey: fullAccuracyPurposeKey,
      isImplicit: isImplicit
    )
    let handle = ServiceSessionHandle(declaration, of: self)
    await requestAuthorization(.beginService(handle.declaration))
    return handle
  }

  /// Ends the client's process.
  ///
  /// Its ranging and sequences end; its regions are still monitored. A name that it was connected by is free again.
  public func terminate() async { await session.terminate(id) }

  /// Sends any request to the engine unchanged.
  ///
  /// A request to stop ranging also ends the ticks of sequences that range the same constraint.
  package func request(_ request: ClientRequest) async { await session.request(request, by: id) }

  // MARK: User actions

  /// Brings the client to the foreground.
  public func enterForeground() async { await perform(.foreground) }

  /// Moves the client to the background.
  public func enterBackground() async { await perform(.background) }

  /// Changes the client's settings, as the user would.
  ///
  /// `nil` leaves a setting unchanged.
  public func changeSettings(
    authorization: SettingsValue? = nil,
    precise: Bool? = nil
  ) async {
    await perform(.settings(authorization: authorization, precise: precise))
  }

  /// Answers the prompt that is shown, as the user would.
  public func answer(_ choice: PromptChoice, precise: Bool = true) async {
    await perform(.answer(choice, precise: precise))
  }

  /// Performs any other user action on the client.
  public func perform(_ action: UserAction) async { await session.perform(action, of: id) }

  /// Plans a user action for a time after now, on the timeline.
  package func schedule(_ action: UserAction, after span: TimeSpan) async {
    await session.schedule(action, of: id, after: span)
  }

  // MARK: State

  /// The client's authorization as it reads it, and as Settings show it; `nil` for the operator.
  public var snapshot: ClientSnapshot? {
    get async { await session.snapshot(of: id) }
  }

  /// The regions that the client monitors, ordered by identifier.
  public var monitoredRegions: [Region] {
    get async { await session.regions(of: id) }
  }

  /// The client's visits to its regions, as far as it may know them.
  public var visits: [RegionVisit] {
    get async { await session.visits(of: id) }
  }

  /// The client's state to save for a later run; after the session has ended, the state at its end.
  public var saved: SavedClient {
    get async { await session.saved(id) }
  }

  /// How many elements of the client's sequences were dropped because a live source did not wait.
  public var droppedDeliveries: Int { listeners.dropped(of: id) }
}

extension BeaconSession {
  func snapshot(of client: ClientID) -> ClientSnapshot? {
    core?.context.engine.snapshot(of: client)
  }
  func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    core?.context.engine.rangedConstraints(of: client) ?? []
  }
  func regions(of client: ClientID) -> [Region] {
    core?.context.engine.regions(of: client) ?? []
  }
  func visits(of client: ClientID) -> [RegionVisit] {
    core?.context.engine.visits(of: client) ?? []
  }
}
