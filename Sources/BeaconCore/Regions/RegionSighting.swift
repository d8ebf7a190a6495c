// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a region is told of one matching beacon heard once.
public struct RegionSighting: Sendable, Equatable {
  /// Who was heard.
  public var identity: BeaconIdentity
  /// How strongly, in dBm.
  public var rssi: Int8?
  /// The measured power the beacon states, in dBm at 1 m.
  public var power: Int8?
  /// The track's present estimate of the distance in meters, this sighting included; only zones look at it.
  public var distance: Double?
  /// When, on the engine's timeline.
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
