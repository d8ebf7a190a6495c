// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// A capture's contents about one beacon.
public struct IdentityRecord: Sendable, Equatable {
  /// The beacon's identity.
  public let identity: BeaconIdentity
  /// The measured power of its last frame, in dBm at 1 m.
  public internal(set) var power: Int8
  /// An announced power that cannot be its measured power; `nil` if it announces none.
  package internal(set) var implausiblePower: Int8?
  /// How many reports it has.
  public internal(set) var reports = 0
  /// The time of its first report.
  public internal(set) var first: Timestamp
  /// The time of its last report.
  public internal(set) var last: Timestamp
  /// The weakest RSSI in dBm; `nil` when no report has one.
  public internal(set) var weakest: Int8?
  /// The strongest RSSI in dBm; `nil` when no report has one.
  public internal(set) var strongest: Int8?
  /// How many device addresses it was sent from.
  public internal(set) var addresses = 0
  /// The levels of two of its addresses that no one place explains; `nil` if one place explains all.
  public internal(set) var contested: ContestedLevels?
  /// Its reports on each advertising channel, if the capture states the channel.
  public internal(set) var channels = ChannelLevels()
}
