// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// A named set of a program's conditions that are kept after the program ends, each with its last event.
///
/// Only one monitor with a given name can be open at a time. A ``ClientStore`` keeps its conditions, their states, the
/// user's grants and the records. Opening the name again restores them, and events continue as if the program had never
/// ended.
public final class BeaconMonitor: Sendable {
  /// The monitor's name.
  public let name: String
  /// The client that monitors the conditions as its regions: use it for authorization, ranging and diagnostics.
  public let client: BeaconClient

  private let hub: MonitorHub
  /// The conditions that were added here; those of which the client has too many are among them.
  private let added = Mutex<[RegionIdentifier: Region]>([:])

  init(_ name: String, client: BeaconClient, hub: MonitorHub) {
    self.name = name
    self.client = client
    self.hub = hub
  }

  /// Adds a condition, replacing one with the same identifier.
  ///
  /// A condition that is equal to the one with the same identifier keeps its state and its record. One that is too many
  /// for the client is not monitored: it has an event and a record with the reason `limitExceeded` (row N7).
  ///
  /// - Parameters:
  ///   - condition: The beacons that satisfy the condition: at least one must be received.
  ///   - identifier: The condition's name.
  ///   - assumed: The initial state. If the first determination differs, it is a crossing and has an explanation.
  public func add(
    _ condition: IdentityConstraint,
    identifier: RegionIdentifier,
    assuming assumed: RegionState? = nil
  ) async {
    await add(Region(identifier, condition), assuming: assumed)
  }

  /// Adds a condition with its own zone, enter policy or exit timing.
  ///
  /// - Parameters:
  ///   - region: The condition, as a region.
  ///   - assumed: The initial state.
  public func add(_ region: Region, assuming assumed: RegionState? = nil) async {
    added.withLock { $0[region.identifier] = region }
    if await !client.monitoredRegions.contains(region) { hub.forget(region.identifier) }
    hub.added(region.identifier)
    await client.startMonitoring(region, assuming: assumed)
    if let reason = await client.snapshot?.withholding, let time = try? await client.session.now {
      hub.refuse(region.identifier, reason, at: time)
    }
    await client.session.save(self)
  }

  /// Removes a condition and its record.
  public func remove(_ identifier: RegionIdentifier) async {
    added.withLock { $0[identifier] = nil }
    await client.stopMonitoring(identifier)
    hub.forget(identifier)
    await client.session.save(self)
  }

  /// The identifiers of the conditions, in order.
  public var identifiers: [RegionIdentifier] {
    get async { await conditions.map(\.identifier) }
  }

  /// The conditions that are monitored, and those that are too many, in the order of their identifiers.
  package var conditions: [Region] {
    get async {
      let refused = added.withLock { $0.values.filter { hub.isRefused($0.identifier) } }
      let monitored = await client.monitoredRegions
      return (monitored + refused).sorted { $0.identifier < $1.identifier }
    }
  }

  /// Returns a condition with its last handled event; `nil` if there is no such condition.
  public func record(for identifier: RegionIdentifier) async -> MonitorRecord? {
    guard let region = await conditions.first(where: { $0.identifier == identifier }) else {
      return nil
    }
    return MonitorRecord(region: region, lastEvent: hub.lastEvent(of: identifier))
  }

  /// Returns the last handled event of a condition.
  package func lastEvent(of identifier: RegionIdentifier) -> MonitorEvent? {
    hub.lastEvent(of: identifier)
  }

  /// Forgets a condition's events.
  package func forget(_ identifier: RegionIdentifier) { hub.forget(identifier) }

  /// Reports that a condition is of a kind that is not monitored.
  package func refuse(_ identifier: RegionIdentifier) async {
    guard let time = try? await client.session.now else { return }
    hub.refuse(identifier, .unsupported, at: time)
  }

  /// The events of the conditions, for one handler at a time.
  ///
  /// Events that an earlier run left unhandled come first.
  public var events: MonitorEvents { events { _ in true } }

  /// The events of some of the conditions, for one handler of these at a time.
  package func events(
    of isWanted: @escaping @Sendable (RegionIdentifier) -> Bool
  ) -> MonitorEvents {
    let (hub, id, listeners) = (hub, client.id, client.listeners)
    let events = ClientSequence {
      let buffer: DeliveryBuffer<MonitorEvent> = listeners.makeBuffer(for: id, "events")
      let number = hub.connect(buffer, for: isWanted)
      return Iteration(buffer) { _ in hub.cut(number) }
    }
    return MonitorEvents(events, of: self)
  }

  /// Saves the state, ends the client's process and releases the name.
  public func close() async { await client.session.close(self) }

  func handled(_ event: MonitorEvent) async {
    hub.handled(event)
    await client.session.save(self)
  }
}
