// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore

/// What gathers the sightings of a calibration until there are enough.
package protocol CalibrationListener {
  /// Processes a sighting of a beacon that was requested.
  mutating func add(_ sighting: Sighting)
  /// Whether so many samples were received wherever they are needed, given the receivers' names by their number.
  func isEnough(_ samples: Int, receivers: [String]) -> Bool
  /// How far it has come towards so many samples, in a line.
  func progress(towards samples: Int) -> String
}

extension CalibrationListener {
  /// Processes the sightings among the deliveries.
  mutating func add(_ deliveries: [Delivery]) {
    for case .sighting(let sighting) in deliveries.lazy.map(\.event) { add(sighting) }
  }
}
