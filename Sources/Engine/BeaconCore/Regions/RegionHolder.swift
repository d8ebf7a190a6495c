// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A beacon that keeps a region inside: until when, and the data that explains the exit at that time.
public struct RegionHolder: Sendable, Equatable {
  /// The beacon.
  public var identity: BeaconIdentity
  /// Its last RSSI in dBm.
  public var rssi: Int8?
  /// Its measured power in dBm at 1 m.
  public var power: Int8?
  /// Its last distance in meters.
  public var distance: Double?
  /// Its learned advertising interval.
  public var interval: TimeSpan?
  /// How long it may be silent.
  public var exitTime: TimeSpan
  /// The rule that determines that time.
  public var rule: Explanation.Rule
  /// When that time ends: last report + exit time, without the time in which no receiver listened.
  public var due: Timestamp

  /// Creates a holder, as saved in a state file.
  public init(
    identity: BeaconIdentity,
    rssi: Int8? = nil,
    power: Int8? = nil,
    distance: Double? = nil,
    interval: TimeSpan? = nil,
    exitTime: TimeSpan,
    rule: Explanation.Rule,
    due: Timestamp
  ) {
    self.identity = identity
    self.rssi = rssi
    self.power = power
    self.distance = distance
    self.interval = interval
    self.exitTime = exitTime
    self.rule = rule
    self.due = due
  }
}
