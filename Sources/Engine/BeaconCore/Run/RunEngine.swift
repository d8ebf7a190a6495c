// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The engine of a run: a driver, or the engine of another process.
package struct RunEngine: ~Copyable {
  /// The driver; `nil` if the engine is another process's.
  package var driver: EngineDriver?
  /// What is known here of another process's engine; `nil` if the run has a driver.
  package var remote: RemoteEngine?

  /// An engine of this process.
  package init(_ driver: consuming EngineDriver) {
    self.driver = consume driver
    remote = nil
  }

  /// The engine of another process.
  package init(_ remote: RemoteEngine) {
    driver = nil
    self.remote = remote
  }

  /// The time of the timeline.
  package var now: Timestamp {
    let other = remote?.now
    return read { $0.now } ?? other ?? .earliest
  }
  /// The driver's configuration.
  package var configuration: Configuration? { read { $0.configuration } }
  /// What the driver has counted.
  package var statistics: EngineStatistics? { read { $0.statistics } }
  /// When something is due next without an input.
  package var nextDeadline: Timestamp? { read { $0.nextDeadline } ?? nil }
  /// The number of the driver's changes of grants.
  package var grantsVersion: UInt64? { read { $0.grantsVersion } }

  private func read<Value>(_ value: (borrowing EngineDriver) -> Value) -> Value? {
    switch driver {
    case .some(let driver): value(driver)
    case .none: nil
    }
  }

  /// Handles a request of a client, or leaves it for the other process.
  package mutating func request(_ request: ClientRequest, by client: ClientID?) {
    guard let client else { return }
    driver?.request(request, by: client)
    remote?.request(request, by: client)
  }

  /// Performs a user action at once; in another process's engine, one that the program itself does.
  mutating func perform(_ action: UserAction, by client: ClientID?) {
    driver?.perform(action, by: client)
    remote?.perform(action, by: client)
  }

  /// Ends a client's process: its regions are still monitored.
  package mutating func terminate(_ client: ClientID) {
    driver?.terminate(client)
    remote?.close(client)
  }

  /// Ends the engine: regions become unknown; those of another process's engine stay there.
  mutating func shutDown() {
    driver?.shutDown()
    remote?.closeAll()
  }

  /// Returns what requests have caused, in order, without moving the timeline.
  package mutating func drainDeliveries() -> [Delivery] { driver?.drainDeliveries() ?? [] }

  /// What a client reads; `nil` for the operator and for an unknown client.
  package func snapshot(of client: ClientID) -> ClientSnapshot? {
    let other = remote?.clients[client]?.snapshot
    return driver?.snapshot(of: client) ?? other
  }

  /// The regions that a client monitors, ordered by identifier.
  package func regions(of client: ClientID) -> [Region] {
    let other = remote?.clients[client]?.regions
    return driver?.regions(of: client) ?? other ?? []
  }

  /// The visits of a client to its regions, as far as it may know them.
  package func visits(of client: ClientID) -> [RegionVisit] {
    let other = remote?.clients[client]?.visits
    return driver?.visits(of: client) ?? other ?? []
  }

  /// The constraints that a client ranges.
  package func rangedConstraints(of client: ClientID) -> [IdentityConstraint] {
    let other = remote?.clients[client]?.constraints
    return driver?.rangedConstraints(of: client) ?? other ?? []
  }

  /// The state of a client to save for a later run.
  package func saved(_ client: ClientID) -> SavedClient {
    let other = remote?.clients[client]?.saved
    return driver?.saved(client) ?? other ?? SavedClient()
  }

  /// The beacon that a delivery says is inside a region, as far as the client may know it.
  package func beacon(of delivery: Delivery, to client: ClientID) -> BeaconIdentity? {
    switch delivery.event {
    case .regionState(let region, .inside, _, _): driver?.beacon(keeping: region, of: client)
    case .regionEntered(_, _, let why) where remote != nil: why.identity
    default: nil
    }
  }
}
