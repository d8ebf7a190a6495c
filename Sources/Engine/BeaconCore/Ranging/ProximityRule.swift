// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The limits of the proximity zones, and the conditions for a change of zone.
public struct ProximityRule: Sendable, Hashable {
  /// The largest distance in meters that is immediate.
  public var immediateLimit: Double {
    didSet {
      immediateLimit = Self.clampedLimit(immediateLimit, default: Self.defaultImmediateLimit)
      // Near begins where immediate ends.
      nearLimit = max(nearLimit, immediateLimit)
    }
  }
  /// The largest distance in meters that is near.
  public var nearLimit: Double {
    didSet {
      let limit = Self.clampedLimit(nearLimit, default: Self.defaultNearLimit)
      nearLimit = max(limit, immediateLimit)
    }
  }
  /// The share by which a limit is farther away for a beacon inside it, and nearer for a beacon outside.
  ///
  /// For example, with 0.25 and a limit of 3 m, near is left beyond 3.75 m and entered again within 2.4 m.
  ///
  /// It is a ratio in both directions, because an error in decibels is a factor in meters.
  public var hysteresis: Double {
    didSet { hysteresis = Self.clamped(hysteresis, to: Self.largestHysteresis) }
  }
  /// How long a beacon must be beyond a limit before it changes zone.
  public var dwell: TimeSpan {
    didSet { dwell = Self.clampedDwell(dwell) }
  }
  /// How many standard errors of the filtered RSSI a beacon must be beyond a limit before it changes zone, 0 to 4.
  public var certainty: Double {
    didSet { certainty = Self.clamped(certainty, to: Self.largestCertainty) }
  }
  /// For how many more seconds a distance may lately have been beyond its zone's limit than within it, with a certainty
  /// above 0.
  public var patience: TimeSpan {
    didSet { patience = Self.clampedDwell(patience) }
  }

  /// 0.5 m, as measured on iPhones; Apple documents no number.
  public static let defaultImmediateLimit: Double = 0.5
  /// 3 m, as measured on iPhones; Apple documents no number.
  public static let defaultNearLimit: Double = 3
  /// 0: ``defaultCertainty`` replaces it, and moves a limit no farther than the filter's error requires.
  public static let defaultHysteresis: Double = 0
  /// One second, one tick: a single wrong estimate with a small error changes no zone.
  public static let defaultDwell = TimeSpan.seconds(1)
  /// 1.645: the filter's 90 % interval clears the limit.
  ///
  /// It is the interval that allows for a walk that has just started (`FilteredRSSI.standardError`), not the narrower
  /// one that is delivered for a beacon that stands still (`FilteredRSSI.settledError`). With that one zones would
  /// change no sooner, and up to four times as often without a reason.
  ///
  /// Compared with a hysteresis of a quarter and a dwell of 3 s, it does not flicker more (at most once in three hours
  /// at half a meter from a limit of 4 m), and it changes zone 1 to 2 s sooner (`docs/accuracy.md`).
  public static let defaultCertainty: Double = DistanceEstimate.intervalDeviations
  /// 60 s: a beacon at rest near a limit changes its zone at most once in three hours.
  ///
  /// With 20 s it does once or twice an hour, with 5 s seven to sixteen times (`docs/accuracy.md`).
  public static let defaultPatience = TimeSpan.seconds(60)
  /// The largest certainty: four standard errors are one case in thirty thousand.
  package static let largestCertainty: Double = 4
  /// The largest hysteresis: beyond a ratio of two, the two limits of a zone would almost meet.
  package static let largestHysteresis: Double = 1
  /// The longest dwell: a minute, after which a timeline has a gap.
  package static let longestDwell = TimeSpan.seconds(60)

  /// The default profile's rule.
  public static let standard = ProximityRule()
  /// Core Location's rule: the plain limits, immediately.
  public static let coreLocation = ProximityRule(hysteresis: 0, dwell: .zero, certainty: 0)

  /// Creates a rule.
  ///
  /// Numbers out of their range and NaN are clamped, here and at every change.
  public init(
    immediateLimit: Double = defaultImmediateLimit,
    nearLimit: Double = defaultNearLimit,
    hysteresis: Double = defaultHysteresis,
    dwell: TimeSpan = defaultDwell,
    certainty: Double = defaultCertainty,
    patience: TimeSpan = defaultPatience
  ) {
    self.immediateLimit =
      Self.clampedLimit(immediateLimit, default: Self.defaultImmediateLimit)
    let near = Self.clampedLimit(nearLimit, default: Self.defaultNearLimit)
    self.nearLimit = max(near, self.immediateLimit)
    self.hysteresis = Self.clamped(hysteresis, to: Self.largestHysteresis)
    self.certainty = Self.clamped(certainty, to: Self.largestCertainty)
    self.dwell = Self.clampedDwell(dwell)
    self.patience = Self.clampedDwell(patience)
  }

  private static func clampedLimit(_ meters: Double, default usual: Double) -> Double {
    min(max(meters.isNaN ? usual : meters, 0), PathLoss.maximumDistance)
  }

  private static func clamped(_ value: Double, to largest: Double) -> Double {
    value > 0 ? min(value, largest) : 0
  }

  private static func clampedDwell(_ dwell: TimeSpan) -> TimeSpan {
    min(max(dwell, .zero), longestDwell)
  }

  /// Returns the zone of a distance by the plain limits.
  func plainZone(of meters: Double) -> Proximity {
    if meters <= immediateLimit { return .immediate }
    return meters <= nearLimit ? .near : .far
  }

  /// Whether a zone is another one than that of a distance, as both are printed: in whole centimeters.
  ///
  /// A rule without a memory never holds a zone. A distance is at most 1,000 m.
  @inline(__always)
  func isHeld(_ zone: Proximity, at meters: Double) -> Bool {
    // Rounding moves a distance by half a centimeter, so it matters only as close to a limit.
    if meters < immediateLimit - 0.01 {
      if zone == .immediate { return false }
    } else if meters > nearLimit + 0.01 {
      if zone == .far { return false }
    } else if zone == .near, meters > immediateLimit + 0.01, meters < nearLimit - 0.01 {
      return false
    }
    return isHeld(zone, atRounded: meters)
  }

  @inline(never)
  private func isHeld(_ zone: Proximity, atRounded meters: Double) -> Bool {
    guard certainty > 0 || hysteresis > 0 || dwell > .zero else { return false }
    return plainZone(of: Double(Int(meters * 100 + 0.5)) / 100) != zone
  }

  /// Whether the whole interval of a distance is outside of a zone.
  func excludes(_ zone: Proximity, _ interval: DistanceEstimate) -> Bool {
    switch zone {
    case .unknown: false
    case .immediate: interval.low > immediateLimit
    case .near: interval.high <= immediateLimit || interval.low > nearLimit
    case .far: interval.high <= nearLimit
    }
  }

  /// Returns the zone of a distance for a beacon that is in a zone now; from unknown, by the plain limits.
  ///
  /// The zone changes only if the whole range of the error is beyond the limit.
  func zone(of reach: DistanceReach, from current: Proximity) -> Proximity {
    if current == .unknown { return plainZone(of: reach.meters) }
    let isImmediate =
      current == .immediate
      ? reach.low <= outer(immediateLimit) : reach.high <= inner(immediateLimit)
    if isImmediate { return .immediate }
    let isNear = current == .far ? reach.high <= inner(nearLimit) : reach.low <= outer(nearLimit)
    return isNear ? .near : .far
  }

  private func outer(_ limit: Double) -> Double { limit * (1 + hysteresis) }
  private func inner(_ limit: Double) -> Double { limit / (1 + hysteresis) }
}
