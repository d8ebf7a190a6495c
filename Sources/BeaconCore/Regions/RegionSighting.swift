// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One report of a matching beacon, as a region processes it.
public struct RegionSighting: Sendable, Equatable {
  /// The beacon.
  public var identity: BeaconIdentity
  /// The RSSI in dBm.
  public var rssi: Int8?
  /// The measured power that the beacon announces, in dBm at 1 m.
  public var power: Int8?
  /// The track's current estimate of the distance in meters, this sighting included; only zones use it.
  public var distance: Double?
  /// The time on the engine's timeline.
  public var time: Timestamp

  /// Creates a sighting.
  @inlinable
  public init(
    _ identity: BeaconIdentity,
    rssi: Int8? = nil,
    power: Int8? = nil,
    distance: Double? = nil,
    at time: Timestamp
  ) {
    self.identity = identity
    self.rssi = rssi
    self.power = power
    self.distance = distance
    self.time = time
  }
}
