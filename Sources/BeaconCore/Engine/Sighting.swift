// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One valid iBeacon frame as it was heard: the operator's view, never a client's.
public struct Sighting: Sendable, Equatable {
  /// When it was heard, as admitted.
  public var time: Timestamp
  /// What the beacon calls itself.
  public var identity: BeaconIdentity
  /// The power byte in dBm at 1 m, as it is, whether it can serve as a calibration or not.
  public var measuredPower: Int8
  /// Received signal strength in dBm; `nil` where the controller had none.
  public var rssi: Int8?
  /// The receiver that heard it.
  public var receiver: UInt8
  /// The device address it came from; `nil` where the source does not know.
  public var address: DeviceAddress?
}
