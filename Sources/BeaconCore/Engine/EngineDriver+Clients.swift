// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension EngineDriver {
  // MARK: Clients

  /// Connects the operator as a client: always authorized, always full.
  ///
  /// - Returns: The client's name in requests and deliveries.
  public mutating func connect() -> ClientID { engine.connect() }

  /// Connects the operator as a client that monitors again what an earlier run did.
  ///
  /// - Parameter regions: What was kept of the regions; their restored states are delivered like any state.
  /// - Returns: The client's name in requests and deliveries.
  public mutating func connect(restoring regions: [SavedRegion]) -> ClientID {
    engine.connect(restoring: regions, into: &pending)
  }

  /// Connects a client that has grants of its own.
  ///
  /// - Parameters:
  ///   - manifest: What the client says of itself.
  ///   - saved: What was kept of it; nothing for a client seen for the first time.
  ///   - isForeground: Whether it starts in the foreground.
  /// - Returns: The client's name in requests and deliveries.
  public mutating func connect(
    _ manifest: Manifest,
    restoring saved: SavedClient = SavedClient(),
    isForeground: Bool = true
  ) -> ClientID {
    engine.connect(manifest, restoring: saved, isForeground: isForeground, into: &pending)
  }

  /// Carries out a client's request at this point of the timeline; a client that does not exist is ignored.
  public mutating func request(_ request: ClientRequest, by client: ClientID) {
    engine.request(request, by: client, into: &pending)
  }

  /// Monitors a region for a client, as a request to monitor does, from what an earlier run saved of it.
  public mutating func resume(_ saved: SavedRegion, by client: ClientID) {
    engine.resume(saved, by: client, into: &pending)
  }

  /// Notes that a client's process ended: its ranging is over, its regions are watched on.
  public mutating func terminate(_ client: ClientID) {
    engine.terminate(client, into: &pending)
  }

  /// Notes that a client's process started again: regions persist, ranging does not (row G3).
  public mutating func relaunch(_ client: ClientID, isForeground: Bool = true) {
    engine.relaunch(client, isForeground: isForeground, into: &pending)
  }

  /// Delivers to the operator the sightings that satisfy any of some constraints; all sightings where there are none.
  public mutating func watchSightings(satisfying constraints: [IdentityConstraint] = []) {
    engine.watchSightings(satisfying: constraints)
  }

  // MARK: Reads

  /// Where the timeline stands: the last input admitted or deadline passed.
  public var now: Timestamp { engine.now }

  /// When something next falls due; `nil` while nothing will.
  public var nextDeadline: Timestamp? { engine.nextDeadline }

  /// How the engine works.
  public var configuration: Configuration { engine.configuration }

  /// What has been counted so far.
  public var statistics: EngineStatistics { engine.statistics }

  /// What a client reads of its grants, and what Settings show; `nil` for the operator and for nobody.
  public func snapshot(of client: ClientID) -> ClientSnapshot? { engine.snapshot(of: client) }

  /// What is to be kept of a client for a later run: its grants, its regions with their states, and what is held back.
  public func saved(_ client: ClientID) -> SavedClient { engine.saved(client) }

  /// A client's grants as they would be kept now; `nil` for the operator and for nobody.
  public func grants(of client: ClientID) -> SavedAuthorization? { engine.grants(of: client) }

  /// A client's stays in its regions, as it may see them.
  public func visits(of client: ClientID) -> [RegionVisit] { engine.visits(of: client) }

  /// The regions a client monitors, in the order of their identifiers.
  public func regions(of client: ClientID) -> [Region] { engine.regions(of: client) }

  /// The constraints a client ranges, in their order.
  public func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    engine.rangedConstraints(of: client)
  }

  /// The beacon that keeps a client's region inside, as far as the client may know it now.
  ///
  /// - Returns: The beacon; `nil` while the region is not inside, while nothing but an assumption keeps it there, and
  ///   while a request for the region's state would not be answered with what is known.
  public func beacon(keeping region: RegionIdentifier, of client: ClientID) -> BeaconIdentity? {
    engine.beacon(keeping: region, of: client)
  }
}
