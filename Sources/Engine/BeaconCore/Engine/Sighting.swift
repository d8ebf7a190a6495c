// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One valid iBeacon frame as it was received; only the operator sees it, never a client.
public struct Sighting: Sendable, Equatable {
  /// The time at which it was admitted.
  public var time: Timestamp
  /// The identity that the beacon announces.
  public var identity: BeaconIdentity
  /// The announced power in dBm at 1 m, unchanged, whether or not it can serve as a calibration.
  public var measuredPower: Int8
  /// The received signal strength in dBm; `nil` if the controller gave none.
  public var rssi: Int8?
  /// The receiver that received it.
  public var receiver: UInt8
  /// The device address of the sender; `nil` if the source does not know it.
  public var address: DeviceAddress?
}
