// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconService
import BrokerClient

/// Opens the source that a user names: the radio, the machine's service, a site's broker, or a capture.
func openSource(_ name: String) async throws -> any ScanSource {
  switch name {
  case "radio": try await BlueZSource.start()
  case "service": try await ServiceSource(service: .system)
  case _ where name.hasPrefix("mqtt://"): try await BrokerSource(name)
  default: try CaptureSource(path: name)
  }
}
