// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
package import BeaconCore

/// The view's values of one beacon.
package struct RangeRow: Sendable, Equatable {
  /// What distinguishes rows.
  package struct Key: Sendable, Hashable {
    package let identity: BeaconIdentity
    /// The address, where beacons of one identity are distinguished by it.
    package let address: DeviceAddress?
  }

  /// A change of proximity.
  package struct Change: Sendable, Equatable {
    package let time: Timestamp
    package let from: Proximity
    /// The distance in meters at which it changed, if any.
    package let distance: Double?
  }

  package let key: Key
  /// The last tick.
  package private(set) var beacon: RangedBeacon
  /// The constraint it was ranged by; `nil` where everything is.
  package private(set) var constraint: IdentityConstraint?
  /// The mean RSSI in dBm of each tick, the latest last; `nil` if the beacon was silent.
  package private(set) var strengths: [Double?] = []
  /// How many reports each of the last ticks had.
  package private(set) var counts: [Int] = []
  /// When it last changed its proximity; `nil` while it never did.
  package private(set) var change: Change?
  /// When the view first listed it.
  package let since: Timestamp
  /// Values of single reports, for the operator only.
  package var scan = RangeRowReception()

  /// As long as the longest sparkline: two minutes of ticks.
  package static let history = 120
  /// Over how many ticks reports a second are taken: a beacon that sends once in a few seconds has a rate too.
  private static let rateTicks = 5

  init(_ key: Key, _ beacon: RangedBeacon, of constraint: IdentityConstraint?, at time: Timestamp) {
    self.key = key
    self.beacon = beacon
    self.constraint = constraint
    since = time
    note(beacon)
  }

  /// Receives a beacon of a tick.
  mutating func receive(
    _ next: RangedBeacon,
    of constraint: IdentityConstraint?,
    at time: Timestamp
  ) {
    if next.proximity != beacon.proximity {
      change = Change(time: time, from: beacon.proximity, distance: next.distance?.meters)
    }
    beacon = next
    self.constraint = constraint
    note(next)
  }

  private mutating func note(_ beacon: RangedBeacon) {
    strengths.append(beacon.reports > 0 ? beacon.rssi : nil)
    if strengths.count > Self.history { strengths.removeFirst() }
    counts.append(beacon.reports)
    if counts.count > Self.rateTicks { counts.removeFirst() }
  }

  /// Reports a second over the last ticks.
  package var rate: Double {
    counts.isEmpty ? 0 : Double(counts.reduce(0, +)) / Double(counts.count)
  }

  /// The latest RSSI in dBm that a tick had; `nil` if none of those kept had one.
  package var lastStrength: Double? { strengths.last { $0 != nil } ?? nil }
}
