// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a tick says of one beacon.
public struct RangedBeacon: Sendable, Equatable {
  /// What the beacon calls itself.
  public var identity: BeaconIdentity
  /// How near it is, with hysteresis and dwell as configured.
  public var proximity: Proximity
  /// How far away it is, with its central 90 % interval; `nil` when unknown.
  public var distance: DistanceEstimate?
  /// The mean RSSI in dBm of the reports since the last tick; `nil` where none came, or none had an RSSI.
  public var rssi: Double?
  /// How many reports came since the last tick.
  public var reports: Int
  /// The filtered RSSI in dBm that the distance was made from; `nil` when the filter holds nothing.
  public var filteredRSSI: Double?
  /// When the beacon was last heard; it does not move while the beacon is silent.
  public var lastHeard: Timestamp
  /// The address the beacon was last heard from; `nil` where the source does not know.
  public var address: DeviceAddress?
  /// The order in which beacons were first heard, for telling apart entries alike in all else.
  public var firstHeardOrder: UInt64
}
