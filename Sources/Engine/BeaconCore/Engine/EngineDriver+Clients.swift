// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension EngineDriver {
  // MARK: Clients

  /// Connects the operator as a client that is always authorized, with full accuracy.
  ///
  /// - Returns: The client's name in requests and deliveries.
  package mutating func connect() -> ClientID { engine.connect() }

  /// Connects the operator as a client that monitors the regions of an earlier run again.
  ///
  /// - Parameter regions: The saved regions; their restored states are delivered like any state.
  /// - Returns: The client's name in requests and deliveries.
  package mutating func connect(restoring regions: [SavedRegion]) -> ClientID {
    engine.connect(restoring: regions, into: &pending)
  }

  /// Connects a client that has its own grants.
  ///
  /// - Parameters:
  ///   - manifest: The client's declaration about itself.
  ///   - saved: The saved state of the client; nothing for a client that connects for the first time.
  ///   - isForeground: Whether it starts in the foreground.
  /// - Returns: The client's name in requests and deliveries.
  package mutating func connect(
    _ manifest: Manifest,
    restoring saved: SavedClient = SavedClient(),
    isForeground: Bool = true
  ) -> ClientID {
    engine.connect(manifest, restoring: saved, isForeground: isForeground, into: &pending)
  }

  /// Handles a client's request at the current time; the request of an unknown client is ignored.
  package mutating func request(_ request: ClientRequest, by client: ClientID) {
    engine.request(request, by: client, into: &pending)
  }

  /// Monitors a saved region of an earlier run for a client, as a request to monitor does.
  package mutating func resume(_ saved: SavedRegion, by client: ClientID) {
    engine.resume(saved, by: client, into: &pending)
  }

  /// Notes that a client's process ended: its ranging stops, and its regions are still watched.
  package mutating func terminate(_ client: ClientID) {
    engine.terminate(client, into: &pending)
  }

  /// Notes that a client's process started again: regions persist, ranging does not (row G3).
  package mutating func relaunch(_ client: ClientID, isForeground: Bool = true) {
    engine.relaunch(client, isForeground: isForeground, into: &pending)
  }

  /// Brings the second prompt of a provisional grant when its user is not busy (row A18): a user is there to answer.
  ///
  /// The moment is a user's action, so a recording has it.
  package mutating func asksWhenQuiet() { engine.asksWhenQuiet() }

  /// Gives clients that may not know of reports only whole seconds, except with events that they may know: the clients are programs of
  /// other accounts.
  package mutating func roundTimes() { engine.gate.roundTimes() }

  /// Delivers to the operator the sightings that satisfy any of some constraints; without constraints, all sightings.
  package mutating func watchSightings(satisfying constraints: [IdentityConstraint] = []) {
    engine.watchSightings(satisfying: constraints)
  }

  /// Delivers to the operator once a second every beacon around, whatever clients range.
  package mutating func watchNearby() { engine.watchNearby() }

  /// Continues with another configuration, from the next input on; nothing that is known is lost.
  ///
  /// The profile, the times of authorization and the number of tracks stay as they were: ``configuration`` contains the values that are
  /// in effect.
  package mutating func reconfigure(_ configuration: Configuration) {
    engine.reconfigure(configuration)
  }

  /// Notes the names of the receivers by now, by their number: a saved state names receivers.
  package mutating func name(receivers: [String]) { engine.receivers.names = receivers }

  // MARK: Reads

  /// The current time of the timeline: the last input admitted or deadline passed.
  package var now: Timestamp { engine.now }

  /// The time of the next deadline, if any.
  package var nextDeadline: Timestamp? { engine.nextDeadline }

  /// The engine's settings.
  package var configuration: Configuration { engine.configuration }

  /// The counts so far.
  package var statistics: EngineStatistics { engine.statistics }

  /// Returns a client's snapshot; `nil` for the operator and for an unknown client.
  package func snapshot(of client: ClientID) -> ClientSnapshot? { engine.snapshot(of: client) }

  /// Returns whether a client is in the foreground; the operator is always.
  package func isForeground(_ client: ClientID) -> Bool { engine.isForeground(client) }

  /// Returns what to save of a client for a later run: its grants, its regions with their states, and its held events.
  package func saved(_ client: ClientID) -> SavedClient { engine.saved(client) }

  /// Returns a client's grants as they would be saved now; `nil` for the operator and for an unknown client.
  package func grants(of client: ClientID) -> SavedAuthorization? { engine.grants(of: client) }

  /// A number that increases whenever the grants of any client change, and when a client connects.
  package var grantsVersion: UInt64 { engine.grantsVersion }

  /// Returns a client's visits to its regions, as far as it may know them.
  package func visits(of client: ClientID) -> [RegionVisit] { engine.visits(of: client) }

  /// Returns the regions that a client monitors, in the order of their identifiers.
  package func regions(of client: ClientID) -> [Region] { engine.regions(of: client) }

  /// Returns the constraints that a client ranges, in their order.
  package func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    engine.rangedConstraints(of: client)
  }

  /// Returns the beacon that keeps a client's region inside, as far as the client may know it now.
  ///
  /// - Returns: The beacon; `nil` while the region is not inside, while only an assumption keeps it inside, and while a
  ///   request for the region's state would not be answered with the actual state.
  package func beacon(keeping region: RegionIdentifier, of client: ClientID) -> BeaconIdentity? {
    engine.beacon(keeping: region, of: client)
  }

  /// Returns when a client's region is left if nothing more is received, and the rule of that time.
  ///
  /// - Returns: The time; `nil` while the region is outside, was never inside, has a place, no receiver listens, or the
  ///   client may not know its state.
  package func exit(of region: RegionIdentifier, by client: ClientID) -> (
    due: Timestamp, rule: Explanation.Rule
  )? {
    engine.exit(of: region, by: client)
  }
}
