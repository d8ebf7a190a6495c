// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Connects the operator as a client that is always authorized, with full accuracy.
  mutating func connect() -> ClientID {
    append(authorization: nil)
  }

  /// Connects the operator as a client that monitors the regions of an earlier run again.
  ///
  /// - Parameters:
  ///   - regions: The saved regions.
  ///   - out: The list to which the regions' restored states are appended, delivered like any state.
  /// - Returns: The client's name in requests and deliveries.
  mutating func connect(
    restoring regions: [SavedRegion],
    into out: inout [Delivery]
  ) -> ClientID {
    let id = connect()
    for region in regions {
      begin(region.region, from: .restored(region), for: Int(id.number), into: &out)
    }
    return id
  }

  /// Connects a client that has its own grants.
  ///
  /// - Parameters:
  ///   - manifest: The client's declaration about itself.
  ///   - saved: The saved state of the client; nothing for a client that connects for the first time.
  ///   - isForeground: Whether it starts in the foreground.
  ///   - out: The list to which the regions' restored states are appended, delivered like any state.
  /// - Returns: The client's name in requests and deliveries.
  mutating func connect(
    _ manifest: Manifest,
    restoring saved: SavedClient = SavedClient(),
    isForeground: Bool = true,
    into out: inout [Delivery]
  ) -> ClientID {
    let id = append(
      authorization: ClientAuthorization(
        manifest,
        configuration,
        restoring: saved.authorization,
        isForeground: isForeground,
        at: now
      )
    )
    restoreHeld(saved.heldEvents, regions: saved.regions, of: Int(id.number))
    for region in saved.regions {
      begin(region.region, from: .restored(region), for: Int(id.number), into: &out)
    }
    registrationsChanged(Int(id.number), into: &out)
    refreshAuthorizationDeadline(of: Int(id.number))
    scheduleQuiet(of: Int(id.number), since: nil, at: now)
    return id
  }

  private mutating func append(authorization: ClientAuthorization?) -> ClientID {
    grantsVersion &+= 1
    let id = ClientID(number: UInt32(truncatingIfNeeded: clients.count))
    clients.append(
      Client(id: id, authorization: authorization, policy: configuration.regions)
    )
    return id
  }

  /// Returns what to save of a client for a later run: its grants, its regions with their states, and its held events.
  func saved(_ client: ClientID) -> SavedClient {
    guard let client = clients.element(client) else { return SavedClient() }
    let intervals = savedIntervals(of: client)
    return SavedClient(
      authorization: client.authorization?.saved ?? SavedAuthorization(status: .authorizedAlways),
      regions: client.regions.slots.compactMap { slot in
        var saved = client.regions.machine(in: slot)?.saved(at: now, receivers: receivers)
        saved?.intervals = intervals[slot] ?? []
        return saved
      },
      heldEvents: client.authorization?.held == nil ? nil : client.held?.events
    )
  }

  /// Returns a client's grants as they would be saved now; `nil` for the operator and for an unknown client.
  func grants(of client: ClientID) -> SavedAuthorization? {
    clients.element(client)?.authorization?.saved
  }

  /// Returns whether a client is in the foreground; the operator is always.
  func isForeground(_ client: ClientID) -> Bool {
    clients.element(client)?.authorization?.isForeground ?? true
  }

  /// Returns a client's snapshot; `nil` for the operator and for an unknown client.
  func snapshot(of client: ClientID) -> ClientSnapshot? {
    guard let authorization = clients.element(client)?.authorization else { return nil }
    return ClientSnapshot(
      authorization.effective,
      accuracy: authorization.accuracy,
      settings: authorization.settingsShows,
      isInUse: authorization.isInUse,
      prompt: authorization.prompt,
      lacksSession: authorization.lacksSession,
      indicator: authorization.indicator
    )
  }

  /// Returns a client's visits to its regions, as far as it may know them.
  func visits(of client: ClientID) -> [RegionVisit] {
    guard let known = clients.element(client), snapshot(of: client)?.mayKnowVisits != false else {
      return []
    }
    return known.visits.visits
  }

  /// Returns the regions that a client has registered, in the order of their identifiers.
  func regions(of client: ClientID) -> [Region] {
    clients.element(client)?.regions.regions ?? []
  }

  /// Returns the beacon that keeps a client's region inside, as far as the client may know it now.
  ///
  /// - Returns: The beacon; `nil` while the region is not inside, while only an assumption keeps it inside, and while a
  ///   request for the region's state would not be answered with the actual state.
  func beacon(keeping identifier: RegionIdentifier, of client: ClientID) -> BeaconIdentity? {
    guard let machine = machine(identifier, of: client), machine.state == .inside else {
      return nil
    }
    return machine.holder?.identity
  }

  /// Returns when a client's region is left if nothing more is received, and the rule of that time; also while its state
  /// is unknown, if it was inside before.
  func exit(of identifier: RegionIdentifier, by client: ClientID) -> (
    due: Timestamp, rule: Explanation.Rule
  )? {
    guard let machine = machine(identifier, of: client), let due = machine.nextDeadline else {
      return nil
    }
    if machine.isMissed(since: .inside) { return (due, .silentAfterUnknown) }
    guard machine.state == .inside else { return nil }
    return (due, machine.holder?.rule ?? machine.assumedExit.rule)
  }

  /// Returns a client's region, as far as the client may know its state now.
  private func machine(_ identifier: RegionIdentifier, of client: ClientID) -> RegionMachine? {
    guard let client = clients.element(client),
      client.rules(at: now).map({ $0.stateRequest == .cached }) ?? true,
      let slot = client.regions.slot(of: identifier)
    else { return nil }
    return client.regions.machine(in: slot)
  }

  /// Returns the constraints that a client has registered for ranging, in their order.
  func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    clients.element(client)?.rangings.map(\.constraint) ?? []
  }
}

extension [Client] {
  /// Returns the client with an ID, if there is one.
  func element(_ id: ClientID) -> Client? {
    indices.contains(Int(id.number)) ? self[Int(id.number)] : nil
  }
}

extension ClientAuthorization {
  /// Restores a client's authorization under a configuration.
  package init(
    _ manifest: Manifest,
    _ configuration: Configuration,
    restoring saved: SavedAuthorization,
    isForeground: Bool,
    at time: Timestamp
  ) {
    self.init(
      manifest: manifest,
      profile: AuthorizationProfile(named: configuration.profile.rawValue) ?? .iOS14,
      timing: configuration.authorization.timing,
      utcOffset: configuration.authorization.utcOffset ?? .zero,
      restoring: saved,
      isForeground: isForeground,
      at: time
    )
  }
}
