// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where the zones of proximity end, and how reluctantly a beacon changes zone.
public struct ProximityRule: Sendable, Hashable {
  /// The largest distance in meters that is immediate.
  public let immediateLimit: Double
  /// The largest distance in meters that is near.
  public let nearLimit: Double
  /// By which share a limit lies farther out for those inside it, and nearer for those outside: 0.25 means that near,
  /// ending at 3 m, is left beyond 3.75 m and entered again within 2.4 m.
  ///
  /// A ratio both ways, because an error in decibels is a factor in meters.
  public let hysteresis: Double
  /// How long a beacon must be beyond a limit before it changes zone.
  public let dwell: TimeSpan

  /// 0.5 m, as measured on iPhones; Apple documents no number.
  public static let defaultImmediateLimit: Double = 0.5
  /// 3 m, as measured on iPhones; Apple documents no number.
  public static let defaultNearLimit: Double = 3
  /// A quarter: two decibels in free space, about the standard error of a filtered RSSI.
  public static let defaultHysteresis: Double = 0.25
  /// Three seconds: with a quarter's hysteresis a resting beacon on a limit changes zone about once in three hours
  /// rather than hundreds of times an hour, and a visitor who stops is still noticed before having looked around.
  public static let defaultDwell = TimeSpan.seconds(3)
  /// The largest hysteresis: beyond a ratio of two a zone's two limits would all but meet.
  public static let largestHysteresis: Double = 1
  /// The longest dwell: a minute, after which a timeline has a gap.
  public static let longestDwell = TimeSpan.seconds(60)

  /// The default profile's rule.
  public static let standard = ProximityRule()
  /// Core Location's: the plain limits, at once.
  public static let coreLocation = ProximityRule(hysteresis: 0, dwell: .zero)

  /// Creates a rule; numbers out of their range, and those that are none, are clamped.
  public init(
    immediateLimit: Double = defaultImmediateLimit,
    nearLimit: Double = defaultNearLimit,
    hysteresis: Double = defaultHysteresis,
    dwell: TimeSpan = defaultDwell
  ) {
    let immediate = immediateLimit.isNaN ? Self.defaultImmediateLimit : immediateLimit
    let near = nearLimit.isNaN ? Self.defaultNearLimit : nearLimit
    self.immediateLimit = min(max(immediate, 0), PathLoss.maximumDistance)
    self.nearLimit = min(max(near, self.immediateLimit), PathLoss.maximumDistance)
    self.hysteresis = hysteresis > 0 ? min(hysteresis, Self.largestHysteresis) : 0
    self.dwell = min(max(dwell, .zero), Self.longestDwell)
  }

  /// Returns the zone of a distance for a beacon that is in a zone now; from unknown, by the plain limits.
  package func zone(of meters: Double, from current: Proximity) -> Proximity {
    let (immediate, near): (Double, Double)
    switch current {
    case .unknown: (immediate, near) = (immediateLimit, nearLimit)
    case .immediate: (immediate, near) = (outer(immediateLimit), outer(nearLimit))
    case .near: (immediate, near) = (inner(immediateLimit), outer(nearLimit))
    case .far: (immediate, near) = (inner(immediateLimit), inner(nearLimit))
    }
    if meters <= immediate { return .immediate }
    return meters <= near ? .near : .far
  }

  private func outer(_ limit: Double) -> Double { limit * (1 + hysteresis) }
  private func inner(_ limit: Double) -> Double { limit / (1 + hysteresis) }
}
