// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Connects the operator as a client: always authorized, always full.
  mutating func connect() -> ClientID {
    append(authorization: nil)
  }

  /// Connects the operator as a client that monitors again what an earlier run did.
  ///
  /// - Parameters:
  ///   - regions: What was kept of the regions.
  ///   - out: Receives the regions' restored states, which are told like any state.
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

  /// Connects a client that has grants of its own.
  ///
  /// - Parameters:
  ///   - manifest: What the client says of itself.
  ///   - saved: What was kept of it; nothing for a client seen for the first time.
  ///   - isForeground: Whether it starts in the foreground.
  ///   - out: Receives the regions' restored states, which are told like any state.
  /// - Returns: The client's name in requests and deliveries.
  mutating func connect(
    _ manifest: Manifest,
    restoring saved: SavedClient = SavedClient(),
    isForeground: Bool = true,
    into out: inout [Delivery]
  ) -> ClientID {
    let id = append(
      authorization: ClientAuthorization(
        manifest: manifest,
        profile: AuthorizationProfile(named: configuration.profile.rawValue) ?? .iOS14,
        timing: configuration.authorization.timing,
        utcOffset: configuration.authorization.utcOffset,
        restoring: saved.authorization,
        isForeground: isForeground,
        at: now
      )
    )
    if let events = saved.heldEvents, let held = clients[Int(id.number)].authorization?.held {
      clients[Int(id.number)].held = Client.Held(id: held.id, events: events)
      clients[Int(id.number)].nextHeldID = held.id + 1
    }
    for region in saved.regions {
      begin(region.region, from: .restored(region), for: Int(id.number), into: &out)
    }
    registrationsChanged(Int(id.number), into: &out)
    refreshAuthorizationDeadline()
    return id
  }

  private mutating func append(authorization: ClientAuthorization?) -> ClientID {
    let id = ClientID(number: UInt32(truncatingIfNeeded: clients.count))
    clients.append(
      Client(id: id, authorization: authorization, policy: configuration.regions)
    )
    return id
  }

  /// What is to be kept of a client for a later run: its grants, its regions with their states, and what is held back.
  func saved(_ client: ClientID) -> SavedClient {
    guard let client = clients.element(client) else { return SavedClient() }
    let intervals = savedIntervals(of: client)
    return SavedClient(
      authorization: client.authorization?.saved ?? SavedAuthorization(status: .authorizedAlways),
      regions: client.regions.slots.compactMap { slot in
        var saved = client.regions.machine(in: slot)?.saved(at: now)
        saved?.intervals = intervals[slot] ?? []
        return saved
      },
      heldEvents: client.authorization?.held == nil ? nil : client.held?.events
    )
  }

  /// A client's grants as they would be kept now; `nil` for the operator and for nobody.
  func grants(of client: ClientID) -> SavedAuthorization? {
    clients.element(client)?.authorization?.saved
  }

  /// How a client stands: what it reads, and what Settings show; `nil` for the operator and for nobody.
  func snapshot(of client: ClientID) -> ClientSnapshot? {
    guard let authorization = clients.element(client)?.authorization else { return nil }
    return ClientSnapshot(
      status: authorization.status,
      accuracy: authorization.accuracy,
      settings: authorization.settingsShows,
      isInUse: authorization.isInUse,
      prompt: authorization.prompt,
      indicator: authorization.indicator
    )
  }

  /// A client's stays in its regions, as it may see them.
  func visits(of client: ClientID) -> [RegionVisit] {
    guard let client = clients.element(client) else { return [] }
    let isLimited = client.authorization.map { $0.accuracy == .reduced || !$0.status.isAuthorized }
    return client.visits.shown(to: isLimited ?? false ? .reduced : .full)
  }

  /// The regions a client monitors, in the order of their identifiers: its own registrations.
  func regions(of client: ClientID) -> [Region] {
    clients.element(client)?.regions.regions ?? []
  }

  /// The beacon that keeps a client's region inside, as far as the client may know it now.
  ///
  /// - Returns: The beacon; `nil` while the region is not inside, while nothing but an assumption keeps it there, and
  ///   while a request for the region's state would not be answered with what is known.
  func beacon(keeping identifier: RegionIdentifier, of client: ClientID) -> BeaconIdentity? {
    guard let client = clients.element(client),
      client.rules(at: now).map({ $0.stateRequest == .cached }) ?? true,
      let slot = client.regions.slot(of: identifier),
      let machine = client.regions.machine(in: slot), machine.state == .inside
    else { return nil }
    return machine.holder?.identity
  }

  /// The constraints a client ranges, in their order: its own registrations.
  func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    clients.element(client)?.rangings.map(\.constraint) ?? []
  }
}

extension [Client] {
  /// The client of a name, if there is one.
  func element(_ id: ClientID) -> Client? {
    indices.contains(Int(id.number)) ? self[Int(id.number)] : nil
  }
}
