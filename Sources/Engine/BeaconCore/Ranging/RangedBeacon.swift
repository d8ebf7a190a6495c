// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A tick's result for one beacon.
public struct RangedBeacon: Sendable, Equatable, Identifiable {
  // In this order the properties leave few gaps: a tick over a crowd holds many of these.

  /// The beacon's identity.
  public var identity: BeaconIdentity
  /// The beacon's identity, which a tick of a constraint contains once.
  public var id: BeaconIdentity { identity }
  /// Its proximity, with the configured hysteresis, dwell and certainty.
  public var proximity: Proximity
  /// Whether two devices send its identity, so that its distance and proximity are unknown.
  public var isContested: Bool
  /// How many of the reports had no valid RSSI.
  ///
  /// At this position the property needs no additional memory.
  package var unmeasured: UInt16
  /// The address in the last report; `nil` if the source does not know it.
  public var address: DeviceAddress?
  /// Its distance with its central 90 % interval; `nil` if unknown.
  public var distance: DistanceEstimate?
  /// Whether its distance is in another zone than its proximity, which is that of its earlier distances (row R22).
  public var isHeld: Bool
  private var reportCount: Int32
  /// The mean RSSI in dBm of the reports since the last tick; `nil` if there was none, or none had an RSSI.
  public var rssi: Double?
  /// The filtered RSSI in dBm from which the distance was computed; `nil` if the filter has no samples.
  public var filteredRSSI: Double?
  /// When the beacon was last received; it does not change while the beacon is silent.
  public var lastReceived: Timestamp
  /// The order in which beacons were first received, to distinguish entries that are otherwise equal.
  public var firstReceivedOrder: UInt64

  /// How many reports were received since the last tick.
  public var reports: Int {
    get { Int(reportCount) }
    set { reportCount = Int32(clamping: newValue) }
  }

  /// Its proximity as people read it: with a tilde if it is held.
  package var proximityWord: String { proximity.name + (isHeld ? "~" : "") }

  /// Whether it has no distance because no power at one meter is known.
  package var lacksPower: Bool {
    distance == nil && rssi != nil && filteredRSSI != nil && !isContested
  }

  init(
    identity: BeaconIdentity,
    proximity: Proximity,
    isContested: Bool = false,
    distance: DistanceEstimate?,
    isHeld: Bool = false,
    rssi: Double?,
    reports: Int,
    unmeasured: UInt16,
    filteredRSSI: Double?,
    lastReceived: Timestamp,
    address: DeviceAddress?,
    firstReceivedOrder: UInt64
  ) {
    self.identity = identity
    self.proximity = proximity
    self.isContested = isContested
    self.address = address
    self.distance = distance
    self.isHeld = isHeld
    reportCount = Int32(clamping: reports)
    self.unmeasured = unmeasured
    self.rssi = rssi
    self.filteredRSSI = filteredRSSI
    self.lastReceived = lastReceived
    self.firstReceivedOrder = firstReceivedOrder
  }

  /// Creates a beacon as another process ranged it, without what only its engine knows.
  package init(
    ranged identity: BeaconIdentity,
    _ proximity: Proximity,
    _ distance: DistanceEstimate?,
    rssi: Int?,
    reports: Int,
    lastReceived: Timestamp,
    isContested: Bool = false,
    isHeld: Bool = false
  ) {
    self.init(
      identity: identity,
      proximity: proximity,
      isContested: isContested,
      distance: distance,
      isHeld: isHeld,
      rssi: rssi.map(Double.init),
      reports: reports,
      unmeasured: 0,
      filteredRSSI: nil,
      lastReceived: lastReceived,
      address: nil,
      firstReceivedOrder: 0
    )
  }
}
