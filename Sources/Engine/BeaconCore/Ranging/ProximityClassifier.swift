// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Turns one beacon's distances into its proximity, without flickering at the limits.
///
/// The zone follows the plain limits freely while only a few seconds are known. After that, for a change of zone the beacon
/// must be beyond the limit, including hysteresis and certainty, for the dwell. A beacon that has stayed in its zone for a
/// while must be beyond it for longer, unless its distance has doubled or halved. The zone is then *held*, but not against
/// the evidence: not if the distance's interval excludes it, not in silence, and not for longer than the rule's patience. A
/// change to unknown is immediate: it is an absence, not a distance. The first distance after unknown is compared with the
/// zone before, immediately, unless that was more than a minute ago.
package struct ProximityClassifier: Sendable, Hashable {
  /// The position of the distance relative to the zone.
  private enum Stance: UInt8, Sendable, Hashable {
    case unknown, within, nearer, farther
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
  /// In how many seconds with reports a zone changes freely: 10, after which the filter's error hardly falls.
  ///
  /// One strong first report would otherwise decide the zone of a beacon that rests beyond a limit.
  static let thin: UInt8 = 10
  /// How many updates within its zone make a beacon one that has stayed: half a minute after ``thin``.
  static let updatesAtRest: UInt8 = thin + 30
  /// By what factor the distance of a beacon at rest must change to be a walk: 2, which is 6 dB.
  static let walk: Float = 2
  /// For how many seconds a second of silence counts against a held zone: 12, since nothing received supports it.
  ///
  /// So a zone is held for five seconds of silence, as long as a silent beacon usually keeps its proximity.
  static let silentSeconds: UInt8 = 12
  /// Over how many updates the distance in a zone is averaged.
  private static let updatesAveraged: UInt8 = 32

  // In this order the properties leave no gaps: most memory is used by tracks.

  /// The last zone that was known, until it is forgotten.
  private var last = Proximity.unknown
  private var stance = Stance.unknown
  /// How many updates there were within the zone since it was entered, at least ``thin`` for a later one, up to 255.
  private var updates: UInt8 = 0
  /// By how many more updates, lately, the distance was beyond the limit than within.
  private var contradictions: UInt8 = 0
  /// The mean distance of these updates in meters.
  private var usual: Float = 0
  /// Since when the distance has been beyond the limit; while the proximity is unknown, since when it has been.
  private var since = Timestamp.earliest

  /// Creates a classifier with unknown proximity.
  package init() {}

  /// The beacon's proximity as of the last update.
  package var proximity: Proximity { stance == .unknown ? .unknown : last }

  /// Processes a distance in meters, or `nil` when there is none, and returns the resulting proximity.
  ///
  /// The dwell counts from the first update beyond a limit, also if the beacon continues into a second zone. If the
  /// beacon turns back before its end, it starts again. Times may repeat; a time that goes back adds no dwell.
  package mutating func update(
    _ meters: Double?,
    at time: Timestamp,
    by rule: ProximityRule
  ) -> Proximity {
    update(meters.map { DistanceReach(exactly: $0) }, at: time, by: rule)
  }

  /// Processes a distance with the range of its error.
  ///
  /// - Parameters:
  ///   - reach: The distance; `nil` if it is unknown.
  ///   - interval: The distance as delivered, whose interval may exclude a zone; without it the first distance decides.
  ///   - silence: How long nothing has been received.
  ///   - time: The time.
  ///   - rule: The limits.
  /// - Returns: The resulting proximity.
  package mutating func update(
    _ reach: DistanceReach?,
    interval: DistanceEstimate? = nil,
    silentFor silence: TimeSpan = .zero,
    at time: Timestamp,
    by rule: ProximityRule
  ) -> Proximity {
    guard let reach, !reach.meters.isNaN else {
      if stance != .unknown { since = time }
      stance = .unknown
      return .unknown
    }
    if stance == .unknown, last != .unknown, time - since > Self.memory {
      self = ProximityClassifier()
    }
    let plain = rule.plainZone(of: reach.meters)
    if rule.certainty > 0, interval != nil, updates < Self.thin {
      (last, stance) = (plain, .within)
      stay(at: reach.meters, received: silence == .zero)
      return plain
    }
    // However uncertain a distance is, nothing is called far at 0.4 m.
    if plain.isOpposite(last) { last = .near }
    let zone = rule.zone(of: reach, from: last)
    guard stance != .unknown, zone != last || plain != last else {
      return settle(zone, at: reach.meters, staying: plain == zone)
    }
    if rule.certainty > 0, isRefuted(by: interval, silentFor: silence, rule) {
      return settle(plain, at: reach.meters, staying: true)
    }
    guard zone != last else {
      stance = .within
      return last
    }
    let way: Stance = zone.rawValue < last.rawValue ? .nearer : .farther
    if stance != way {
      stance = way
      since = time
    }
    let needed = isAtRest(reach.meters, by: rule) ? max(rule.dwell, Self.rest) : rule.dwell
    return time - since >= needed ? settle(zone, at: reach.meters, staying: false) : last
  }

  /// Counts an update beyond the limit, and returns whether the zone can no longer be held.
  private mutating func isRefuted(
    by interval: DistanceEstimate?,
    silentFor silence: TimeSpan,
    _ rule: ProximityRule
  ) -> Bool {
    let seconds: UInt8 = silence > .zero ? Self.silentSeconds : 1
    contradictions = contradictions > 255 - seconds ? 255 : contradictions &+ seconds
    return TimeSpan.seconds(Int64(contradictions)) > rule.patience
      || interval.map { rule.excludes(last, $0) } == true
  }

  /// Processes a distance within the beacon's current zone by the plain limits, so that the zone does not change.
  @inline(__always)
  mutating func stay(at meters: Double, received isReceived: Bool = true) {
    stance = .within
    guard isReceived || updates >= Self.thin else { return }
    updates = updates == 255 ? 255 : updates &+ 1
    contradictions = contradictions == 0 ? 0 : contradictions &- 1
    let share = usual == 0 ? 1 : Float(min(updates, Self.updatesAveraged))
    usual += (Float(meters) - usual) / share
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
      updates = Self.thin
      contradictions = 0
      usual = 0
    }
    last = zone
    stance = .within
    if isStaying { stay(at: meters) }
    return zone
  }
}

extension Proximity {
  /// Whether one is immediate and the other far.
  fileprivate func isOpposite(_ other: Proximity) -> Bool {
    self == .immediate && other == .far || self == .far && other == .immediate
  }
}
