// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons

/// Monitors the door and the desk of a lobby, and passes each event on as a line.
public func watchLobby(_ source: any ScanSource, write: (EventLine) -> Void) async throws {
  let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  let session = BeaconSession(source)
  let client = try await session.connect()
  // Made before the requests, it has everything that follows from them.
  let deliveries = client.deliveries
  try await session.run(draining: true) {
    await client.startMonitoring(Region("door", try IdentityConstraint(parsing: "\(uuid)/1/1")))
    await client.startMonitoring(Region("desk", try IdentityConstraint(parsing: "\(uuid)/1/2")))
    for await delivery in deliveries { write(EventLine(delivery, client: client.name)) }
  }
}
