// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

// What a service needs that runs the clients of other programs: it outlives their processes.

extension BeaconClient {
  /// Passes every delivery to a closure at once, in order; nothing is dropped, and a replay does not wait for it.
  ///
  /// - Parameter take: Called in the session's isolation; it must not wait.
  package func listen(_ take: @escaping @Sendable (Delivery) -> Void) {
    _ = listeners.connect(DirectListener(take), to: id)
  }

  /// Ends the client's process: its ranging ends, its regions are still monitored, its listeners go on.
  package func endProcess() async { await session.endProcess(id) }

  /// Starts the client's process again.
  package func startProcess(isForeground: Bool) async {
    await session.startProcess(id, isForeground: isForeground)
  }

}

/// What the engine knows of a client at one moment.
package struct ClientReading: Sendable {
  /// What the client reads.
  package let snapshot: ClientSnapshot
  /// What was granted.
  package let grants: SavedAuthorization
  /// Its regions.
  package let regions: [Region]
}

extension BeaconSession {
  func endProcess(_ client: ClientID) {
    guard phase != .ended else { return }
    record(.end, of: client)
    core?.context.driver.terminate(client)
    deliverAll()
  }

  func startProcess(_ client: ClientID, isForeground: Bool) {
    guard phase != .ended else { return }
    record(.start(isForeground: isForeground), of: client)
    core?.context.driver.relaunch(client, isForeground: isForeground)
    deliverAll()
  }

  /// Reads what the engine knows of clients now; `nil` for the operator and for an unknown client.
  package func readings(of clients: [ClientID]) -> [ClientReading?] {
    clients.map { client in
      guard let snapshot = core?.context.driver.snapshot(of: client),
        let grants = core?.context.driver.grants(of: client)
      else { return nil }
      return ClientReading(snapshot: snapshot, grants: grants, regions: regions(of: client))
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
    core?.context.driver.watchSightings()
  }

  /// Continues with another configuration, from the next input on.
  ///
  /// - Returns: The configuration in effect: its profile, its times of authorization and its number of tracks are those
  ///   with which the session started.
  /// - Throws: The source's error when it is asked for its time.
  package func reconfigure(_ configuration: Configuration) async throws -> Configuration {
    try await start()
    core?.context.driver.reconfigure(configuration)
    if let inEffect = core?.context.driver.configuration {
      record(.configuration(inEffect), of: nil)
    }
    return core?.context.driver.configuration ?? configuration
  }

  /// Saves the state of a monitor's client now.
  package func saveNow(_ monitor: BeaconMonitor) { save(monitor) }
}

/// A listener that passes deliveries on without a buffer.
private final class DirectListener: Listener {
  private let take: @Sendable (Delivery) -> Void

  init(_ take: @escaping @Sendable (Delivery) -> Void) {
    self.take = take
  }

  func offer(_ message: ClientMessage) -> Bool {
    if case .delivery(let delivery, _) = message { take(delivery) }
    return false
  }

  func finish() {}
}
