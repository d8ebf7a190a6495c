// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One report of a matching beacon, as a region processes it.
package struct RegionSighting: Sendable, Equatable {
  /// The beacon.
  package var identity: BeaconIdentity
  /// The RSSI in dBm.
  package var rssi: Int8?
  /// The measured power that the beacon announces, in dBm at 1 m.
  package var power: Int8?
  /// The track's current estimate of the distance in meters, this sighting included; only zones use it.
  package var distance: Double?
  /// The receiver.
  package var receiver: UInt8
  /// The time on the engine's timeline.
  package var time: Timestamp

  /// Creates a sighting.
  @inlinable
  package init(
    _ identity: BeaconIdentity,
    rssi: Int8? = nil,
    power: Int8? = nil,
    distance: Double? = nil,
    receiver: UInt8 = 0,
    at time: Timestamp
  ) {
    self.identity = identity
    self.rssi = rssi
    self.power = power
    self.distance = distance
    self.receiver = receiver
    self.time = time
  }
}
