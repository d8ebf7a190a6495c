// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

// Functions for a service that runs the clients of other programs: it outlives their processes.

extension BeaconClient {
  /// Ends the client's process: its ranging ends, its regions are still monitored, its listeners continue.
  package func endProcess() async { await session.endProcess(id) }

  /// Starts the client's process again.
  package func startProcess(isForeground: Bool) async {
    await session.startProcess(id, isForeground: isForeground)
  }

}

/// The engine's knowledge of a client at one moment.
package struct ClientReading: Sendable, Equatable {
  /// The authorization that delivery depends on.
  package var effective: EffectiveAuthorization
  /// The accuracy that the client reads.
  package var accuracy: AccuracyAuthorization
  /// Whether it is in use.
  package var isInUse: Bool
  /// Whether its manifest demands an explicit service session that it does not have.
  package var lacksSession: Bool
  /// The grants.
  package var grants: SavedAuthorization
  /// Its regions.
  package var regions: [Region]

  /// Creates a reading.
  package init(
    effective: EffectiveAuthorization = .notDetermined,
    accuracy: AccuracyAuthorization = .full,
    isInUse: Bool = false,
    lacksSession: Bool = false,
    grants: SavedAuthorization = SavedAuthorization(),
    regions: [Region] = []
  ) {
    self.effective = effective
    self.accuracy = accuracy
    self.isInUse = isInUse
    self.lacksSession = lacksSession
    self.grants = grants
    self.regions = regions
  }
}

/// Receives a client's deliveries, in the session's isolation, each with the engine's knowledge of the client if that may
/// have changed; it must not wait.
package typealias DeliveryTaker = @Sendable (Delivery, ClientReading?) -> Void

extension BeaconSession {
  func endProcess(_ client: ClientID) {
    guard phase != .ended else { return }
    record(.end, of: client)
    core?.context.driver?.terminate(client)
    deliverAll()
  }

  func startProcess(_ client: ClientID, isForeground: Bool) {
    guard phase != .ended else { return }
    record(.start(isForeground: isForeground), of: client)
    core?.context.driver?.relaunch(client, isForeground: isForeground)
    deliverAll()
  }

  /// Reads the engine's knowledge of clients now; `nil` for the operator and for an unknown client.
  package func readings(of clients: [ClientID]) -> [ClientReading?] { clients.map(reading) }

  private func reading(of client: ClientID) -> ClientReading? {
    guard let snapshot = core?.context.driver?.snapshot(of: client),
      let grants = core?.context.driver?.grants(of: client)
    else { return nil }
    return ClientReading(
      effective: snapshot.effective,
      accuracy: snapshot.accuracy,
      isInUse: snapshot.isInUse,
      lacksSession: snapshot.lacksSession,
      grants: grants,
      regions: regions(of: client)
    )
  }

  /// Passes a delivery to whoever takes its client's.
  func pass(_ delivery: Delivery, of client: ClientID) {
    guard let take = takers[client] else { return }
    switch delivery.event {
    case .authorization, .indicator, .failure: take(delivery, reading(of: client))
    default: take(delivery, nil)
    }
  }

  /// Passes the operator's sightings to a closure.
  ///
  /// - Parameter take: Called in the session's isolation; it must not wait.
  /// - Throws: The source's error when it is asked for its time.
  package func watchSightings(_ take: @escaping @Sendable (Sighting) -> Void) async throws {
    try await start()
    sightingsTaker = take
    record(.sightings, of: nil)
    core?.context.driver?.watchSightings()
  }

  /// Continues with another configuration, from the next input on.
  ///
  /// - Returns: The configuration in effect: its profile, its times of authorization and its number of tracks are those
  ///   with which the session started.
  /// - Throws: The source's error when it is asked for its time.
  package func reconfigure(_ configuration: Configuration) async throws -> Configuration {
    try await start()
    core?.context.driver?.reconfigure(configuration)
    if let inEffect = core?.context.engine.configuration {
      record(.configuration(inEffect), of: nil)
    }
    return core?.context.engine.configuration ?? configuration
  }

  /// Saves the state of a monitor's client now.
  package func saveNow(_ monitor: BeaconMonitor) { save(monitor) }
}
