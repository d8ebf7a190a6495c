// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Turns one beacon's distances into its proximity, without flickering at the limits.
///
/// The first distance is classified at once by the plain limits. After that, for a change of zone the beacon must be
/// beyond the limit, including hysteresis and certainty, for the dwell. A change to unknown is immediate: it is an
/// absence, not a distance. The first distance after unknown is compared with the zone before, at once.
public struct ProximityClassifier: Sendable, Hashable {
  /// The beacon's proximity as of the last update.
  public private(set) var proximity = Proximity.unknown

  /// The direction in which the beacon is beyond a limit.
  private enum Direction: Sendable, Hashable {
    case nearer, farther
  }

  /// The last zone that was known, until it is forgotten.
  private var last = Proximity.unknown
  private var direction: Direction?
  private var since = Timestamp.earliest

  /// Creates a classifier with unknown proximity.
  public init() {}

  /// Processes a distance in meters, or `nil` when there is none, and returns the resulting proximity.
  ///
  /// The dwell counts from the first update beyond a limit, also if the beacon continues into a second zone. If the
  /// beacon turns back before its end, it starts again. Times may repeat; a time that goes back adds no dwell.
  public mutating func update(
    _ meters: Double?,
    at time: Timestamp,
    by rule: ProximityRule
  ) -> Proximity {
    update(meters.map { DistanceReach(exactly: $0) }, at: time, by: rule)
  }

  /// Processes a distance with the range of its error.
  package mutating func update(
    _ reach: DistanceReach?,
    at time: Timestamp,
    by rule: ProximityRule
  ) -> Proximity {
    guard let reach, !reach.meters.isNaN else {
      proximity = .unknown
      direction = nil
      return .unknown
    }
    // However uncertain a distance is, nothing is called far at 0.4 m.
    if rule.plainZone(of: reach.meters).isOpposite(last) {
      last = .near
      if proximity != .unknown { proximity = .near }
    }
    let zone = rule.zone(of: reach, from: last)
    guard proximity != .unknown, zone != proximity else { return settle(zone) }
    let way: Direction = zone.rawValue < proximity.rawValue ? .nearer : .farther
    if direction != way {
      direction = way
      since = time
    }
    return time - since >= rule.dwell ? settle(zone) : proximity
  }

  /// Processes a distance within the beacon's current zone by the plain limits, so that the zone does not change.
  mutating func stay() { direction = nil }

  /// Whether there is a zone that the next distance is compared with.
  var remembersZone: Bool { last != .unknown }

  /// Forgets the zone, after an absence: the next distance is classified by the plain limits.
  mutating func forget() { self = ProximityClassifier() }

  private mutating func settle(_ zone: Proximity) -> Proximity {
    proximity = zone
    last = zone
    direction = nil
    return zone
  }
}

extension Proximity {
  /// Whether one is immediate and the other far.
  fileprivate func isOpposite(_ other: Proximity) -> Bool {
    self == .immediate && other == .far || self == .far && other == .immediate
  }
}
