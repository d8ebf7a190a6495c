// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Turns one beacon's distances into its proximity, without flickering at the limits.
///
/// The first distance is classified immediately by the plain limits. After that, for a change of zone the beacon must be
/// beyond the limit, including hysteresis and certainty, for the dwell. A beacon that has stayed in its zone for a while
/// must be beyond it for longer, unless its distance has doubled or halved. A change to unknown is immediate:
/// it is an absence, not a distance. The first distance after unknown is compared with the zone before, immediately, unless
/// that was more than a minute ago.
public struct ProximityClassifier: Sendable, Hashable {
  /// The beacon's proximity as of the last update.
  public private(set) var proximity = Proximity.unknown

  /// The direction in which the beacon is beyond a limit.
  private enum Direction: Sendable, Hashable {
    case nearer, farther
  }

  /// For how long a zone is remembered while the proximity is unknown: a minute, after which a timeline has a gap.
  ///
  /// A beacon that is received badly is silent for tens of seconds although it stays in its place. One that has moved is
  /// beyond the limit by more than its error after a few reports.
  static let memory = TimeSpan.seconds(60)
  /// For how long a beacon that has stayed in its zone must be beyond a limit: 20 s.
  ///
  /// Doors, bodies and furniture change the level of a beacon at rest by a few decibels for some seconds.
  static let rest = TimeSpan.seconds(20)
  /// How many updates within its zone make a beacon one that has stayed: 30, half a minute.
  static let updatesAtRest: UInt8 = 30
  /// By what factor the distance of a beacon at rest must change to be a walk: 2, which is 6 dB.
  static let walk: Float = 2
  /// Over how many updates the distance in a zone is averaged.
  private static let updatesAveraged: UInt8 = 32

  // In this order the properties leave no gaps: most memory is used by tracks.

  /// The last zone that was known, until it is forgotten.
  private var last = Proximity.unknown
  private var direction: Direction?
  /// How many updates there were within the zone since it was entered, up to 255.
  private var updates: UInt8 = 0
  /// The mean distance of these updates in meters.
  private var usual: Float = 0
  /// Since when the distance has been beyond the limit; while the proximity is unknown, since when it has been.
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
      if proximity != .unknown { since = time }
      proximity = .unknown
      direction = nil
      return .unknown
    }
    if proximity == .unknown, last != .unknown, time - since > Self.memory {
      self = ProximityClassifier()
    }
    let plain = rule.plainZone(of: reach.meters)
    // However uncertain a distance is, nothing is called far at 0.4 m.
    if plain.isOpposite(last) {
      last = .near
      if proximity != .unknown { proximity = .near }
    }
    let zone = rule.zone(of: reach, from: last)
    guard proximity != .unknown, zone != proximity else {
      return settle(zone, at: reach.meters, staying: plain == zone)
    }
    let way: Direction = zone.rawValue < proximity.rawValue ? .nearer : .farther
    if direction != way {
      direction = way
      since = time
    }
    let needed = isAtRest(reach.meters, by: rule) ? max(rule.dwell, Self.rest) : rule.dwell
    return time - since >= needed
      ? settle(zone, at: reach.meters, staying: false) : proximity
  }

  /// Processes a distance within the beacon's current zone by the plain limits, so that the zone does not change.
  @inline(__always)
  mutating func stay(at meters: Double) {
    direction = nil
    updates = updates == 255 ? 255 : updates &+ 1
    usual += (Float(meters) - usual) / Float(min(updates, Self.updatesAveraged))
  }

  /// Whether a distance is that of a beacon which has stayed in its place.
  private func isAtRest(_ meters: Double, by rule: ProximityRule) -> Bool {
    guard rule.certainty > 0, updates >= Self.updatesAtRest else { return false }
    let meters = Float(meters)
    return meters < usual * Self.walk && usual < meters * Self.walk
  }

  /// Whether there is a zone that the next distance is compared with.
  var remembersZone: Bool { last != .unknown }

  private mutating func settle(
    _ zone: Proximity,
    at meters: Double,
    staying isStaying: Bool
  ) -> Proximity {
    if zone != last {
      updates = 0
      usual = 0
    }
    proximity = zone
    last = zone
    if isStaying { stay(at: meters) } else { direction = nil }
    return zone
  }
}

extension Proximity {
  /// Whether one is immediate and the other far.
  fileprivate func isOpposite(_ other: Proximity) -> Bool {
    self == .immediate && other == .far || self == .far && other == .immediate
  }
}
