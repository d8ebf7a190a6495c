// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Conditions of a program that outlive it: opened by name, with the last event of each.
///
/// One monitor of a name is open at a time. Its conditions, their states, what the person granted and the records are
/// kept in a ``ClientStore``; opening the name again takes them up, and events go on as if the program had never ended.
public final class BeaconMonitor: Sendable {
  /// The monitor's name.
  public let name: String
  /// The client whose regions the conditions are: for authorization, ranging, diagnostics.
  public let client: BeaconClient

  private let hub: MonitorHub

  init(_ name: String, client: BeaconClient, hub: MonitorHub) {
    self.name = name
    self.client = client
    self.hub = hub
  }

  /// Adds a condition; one of the same identifier is replaced.
  ///
  /// - Parameters:
  ///   - condition: The beacons of which one must be heard.
  ///   - identifier: The condition's name.
  ///   - assumed: The state to begin with: where the first determination differs it is a crossing, with its `why`.
  public func add(
    _ condition: IdentityConstraint,
    identifier: RegionIdentifier,
    assuming assumed: RegionState? = nil
  ) async {
    await add(Region(identifier, condition), assuming: assumed)
  }

  /// Adds a condition that has a zone, an enter policy or an exit timing of its own.
  ///
  /// - Parameters:
  ///   - region: The condition.
  ///   - assumed: The state to begin with.
  public func add(_ region: Region, assuming assumed: RegionState? = nil) async {
    hub.forget(region.identifier)
    await client.monitor(region, assuming: assumed)
    await client.session.save(self)
  }

  /// Removes a condition and its record.
  public func remove(_ identifier: RegionIdentifier) async {
    await client.stopMonitoring(identifier)
    hub.forget(identifier)
    await client.session.save(self)
  }

  /// The conditions' names, in their order.
  public var identifiers: [RegionIdentifier] {
    get async { await client.regions.map(\.identifier) }
  }

  /// A condition with the last of its events that was handled; `nil` where there is no such condition.
  public func record(for identifier: RegionIdentifier) async -> MonitorRecord? {
    let regions = await client.regions
    guard let region = regions.first(where: { $0.identifier == identifier }) else { return nil }
    return MonitorRecord(region: region, lastEvent: hub.lastEvent(of: identifier))
  }

  /// What becomes of the conditions, for one handler at a time; what an earlier run left unhandled comes first.
  public var events: MonitorEvents { events { _ in true } }

  /// What becomes of some of the conditions, for one handler of these at a time.
  package func events(
    of isWanted: @escaping @Sendable (RegionIdentifier) -> Bool
  ) -> MonitorEvents {
    let (hub, listeners) = (hub, client.listeners)
    let events = ClientSequence {
      let buffer: DeliveryBuffer<MonitorEvent> = listeners.makeBuffer()
      let number = hub.connect(buffer, for: isWanted)
      return Iteration(buffer) { _ in hub.cut(number) }
    }
    return MonitorEvents(events, of: self)
  }

  /// Keeps the state and gives the name free; the client's process ends with it.
  public func close() async { await client.session.close(self) }

  func handled(_ event: MonitorEvent) async {
    hub.handled(event)
    await client.session.save(self)
  }
}
