// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One client of a session: what it asks, and what it is told.
///
/// A handle, cheap to copy. What is asked through it is asked at the point of the timeline at which it stands; on a
/// replay that is the point of the event being handled.
public struct BeaconClient: Sendable {
  /// The client's name in prompts and deliveries.
  public let id: ClientID
  /// The session it is a client of.
  public let session: BeaconSession

  let listeners: ListenerList

  // MARK: Requests

  /// Monitors a region; one of the same identifier is replaced.
  ///
  /// - Parameters:
  ///   - region: The region.
  ///   - assumed: The state to begin with, from which the first determination can be a crossing.
  public func monitor(_ region: Region, assuming assumed: RegionState? = nil) async {
    await session.request(.monitor(region, assuming: assumed), by: id)
  }

  /// Stops monitoring a region.
  public func stopMonitoring(_ region: RegionIdentifier) async {
    await session.request(.stopMonitoring(region), by: id)
  }

  /// Has a region's state told as it is known, to ``regionEvents``.
  public func requestState(of region: RegionIdentifier) async {
    await session.request(.requestState(region), by: id)
  }

  /// Asks for authorization, for accuracy, or for a continuous session in the background.
  public func authorize(_ request: AuthorizationRequest) async {
    await session.request(.authorize(request), by: id)
  }

  /// Has the machine show a notification when a region is entered or left.
  public func notify(_ notification: RegionNotification) async {
    await session.request(.notify(notification), by: id)
  }

  /// Declares a goal for as long as the handle is kept: asked for when it can be, and again after a grant lapsed.
  public func serviceSession(
    _ goal: ServiceSession.Goal,
    fullAccuracyPurposeKey: String? = nil
  ) async -> ServiceSessionHandle {
    let number = await session.nextServiceNumber()
    let handle = ServiceSessionHandle(
      ServiceSession(id: number, goal: goal, fullAccuracyPurposeKey: fullAccuracyPurposeKey),
      of: self
    )
    await authorize(.beginService(handle.declaration))
    return handle
  }

  /// Ends the client's process: its ranging and sequences are over, its regions are watched on.
  public func terminate() async { await session.terminate(id) }

  /// Asks anything of the engine, as it stands; stopping to range what a sequence ranges ends its ticks as well.
  package func request(_ request: ClientRequest) async { await session.request(request, by: id) }

  // MARK: What a person does to it

  /// The client comes to the foreground.
  public func foreground() async { await user(.foreground) }

  /// The client leaves the foreground.
  public func background() async { await user(.background) }

  /// The person changes the client's settings; what is `nil` is left alone.
  public func settings(authorization: SettingsValue? = nil, precise: Bool? = nil) async {
    await user(.settings(authorization: authorization, precise: precise))
  }

  /// The person answers the prompt that shows.
  public func answer(_ choice: PromptChoice, precise: Bool = true) async {
    await user(.answer(choice, precise: precise))
  }

  /// The person does something else.
  public func user(_ input: UserAction) async { await session.user(input, of: id) }

  // MARK: How it stands

  /// What the client reads of its authorization, and what Settings show; `nil` for the operator.
  public var snapshot: ClientSnapshot? {
    get async { await session.snapshot(of: id) }
  }

  /// The regions it monitors, in the order of their identifiers.
  public var regions: [Region] {
    get async { await session.regions(of: id) }
  }

  /// Its stays in its regions, as it may see them.
  public var visits: [RegionVisit] {
    get async { await session.visits(of: id) }
  }

  /// What is to be kept of it for a later run; once the session has ended, as it was then.
  public var saved: SavedClient {
    get async { await session.saved(id) }
  }

  /// How many elements of its sequences were dropped because a live source went on.
  public var droppedDeliveries: Int { listeners.dropped(of: id) }
}

extension BeaconSession {
  func snapshot(of client: ClientID) -> ClientSnapshot? { driver?.snapshot(of: client) }
  func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    driver?.rangedConstraints(of: client) ?? []
  }
  func regions(of client: ClientID) -> [Region] { driver?.regions(of: client) ?? [] }
  func visits(of client: ClientID) -> [RegionVisit] { driver?.visits(of: client) ?? [] }
}
