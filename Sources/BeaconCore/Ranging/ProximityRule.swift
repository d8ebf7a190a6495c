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
  /// By which share a limit lies farther out for those inside it, and nearer for those outside: 0.25 means that near,
  /// ending at 3 m, is left beyond 3.75 m and entered again within 2.4 m.
  ///
  /// A ratio both ways, because an error in decibels is a factor in meters.
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

  /// 0.5 m, as measured on iPhones; Apple documents no number.
  public static let defaultImmediateLimit: Double = 0.5
  /// 3 m, as measured on iPhones; Apple documents no number.
  public static let defaultNearLimit: Double = 3
  /// None: ``defaultCertainty`` does its work, and moves a limit no farther than the filter's doubt calls for.
  public static let defaultHysteresis: Double = 0
  /// One second, one tick: a single wrong estimate with a small error changes no zone.
  public static let defaultDwell = TimeSpan.seconds(1)
  /// 1.645: the filter's 90 % interval clears the limit.
  ///
  /// That which allows for a walk that has just begun (``FilteredRSSI/standardError``), not the narrower one told of a
  /// beacon that stands still (``FilteredRSSI/settledError``): by that zones would change no sooner, and up to four
  /// times as often without a reason.
  ///
  /// Beside a hysteresis of a quarter with a dwell of 3 s it flickers no more (at most once in three hours half a meter
  /// from a limit of 4 m), and changes zone 1 to 2 s sooner (`docs/accuracy.md`).
  public static let defaultCertainty: Double = DistanceEstimate.intervalDeviations
  /// The largest certainty: four standard errors are one case in thirty thousand.
  package static let largestCertainty: Double = 4
  /// The largest hysteresis: beyond a ratio of two a zone's two limits would all but meet.
  package static let largestHysteresis: Double = 1
  /// The longest dwell: a minute, after which a timeline has a gap.
  package static let longestDwell = TimeSpan.seconds(60)

  /// The default profile's rule.
  public static let standard = ProximityRule()
  /// Core Location's rule: the plain limits, at once.
  public static let coreLocation = ProximityRule(hysteresis: 0, dwell: .zero, certainty: 0)

  /// Creates a rule; numbers out of their range, and those that are none, are clamped, here and whenever one is
  /// changed.
  public init(
    immediateLimit: Double = defaultImmediateLimit,
    nearLimit: Double = defaultNearLimit,
    hysteresis: Double = defaultHysteresis,
    dwell: TimeSpan = defaultDwell,
    certainty: Double = defaultCertainty
  ) {
    self.immediateLimit =
      Self.clampedLimit(immediateLimit, default: Self.defaultImmediateLimit)
    let near = Self.clampedLimit(nearLimit, default: Self.defaultNearLimit)
    self.nearLimit = max(near, self.immediateLimit)
    self.hysteresis = Self.clamped(hysteresis, to: Self.largestHysteresis)
    self.certainty = Self.clamped(certainty, to: Self.largestCertainty)
    self.dwell = Self.clampedDwell(dwell)
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

  /// Returns the zone of a distance for a beacon that is in a zone now; from unknown, by the plain limits.
  ///
  /// Farther away only when all of the reach is, and nearer likewise.
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
