// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Levels at several measured distances in one site, and the log-distance law that fits them best.
///
/// Two sessions give a power and an exponent. With three or more, the fit also gives how far single places deviate from
/// the law. That is the site's own shadowing, with which the intervals of distances are right there.
///
/// The level of each place permanently deviates from any law by the shadowing, so two places say little about the
/// exponent. Therefore the law for ranging combines the measured exponent with the usual exponents: the fewer the
/// places and the closer together, the more the usual ones count.
public struct SiteSurvey: Sendable {
  /// The best fit.
  public struct Fit: Sendable, Hashable {
    /// The power in dBm at one meter, as measured.
    public let powerAtOneMeter: Double
    /// The path loss exponent as measured, within ``PathLoss/exponentRange``.
    public let exponent: Double
    /// The standard deviation in dB of the places around the law; `nil` with two points, which a law always fits
    /// exactly.
    public let shadowing: Double?
    /// The standard deviation of the exponent's error because of the choice of places.
    ///
    /// It uses the site's own shadowing if that is known, otherwise that of a furnished room. For example, two levels
    /// at 1 m and 3 m, each with an error of 4 dB, give an exponent of 2 ± 1.2.
    public let exponentError: Double

    /// The mean of the places' distances, as a decimal logarithm of meters.
    let center: Double

    /// The exponent for ranging: the measured one combined with the usual one (``PathLoss/exponentSpread``), each
    /// weighted by its accuracy.
    public var heldExponent: Double {
      let prior = PathLoss.exponentSpread * PathLoss.exponentSpread
      let weight = prior / (prior + exponentError * exponentError)
      return PathLoss.defaultExponent + weight * (exponent - PathLoss.defaultExponent)
    }

    /// The power in dBm at one meter for ranging: the law with ``heldExponent`` through the center of all places.
    public var heldPower: Double { powerAtOneMeter + 10 * (heldExponent - exponent) * center }

    /// The law for ranging as a model of path loss; `nil` if no beacon has such a power.
    public var calibration: TwoPointCalibration? {
      let decades = DeterministicMath.log10(SiteSurvey.modelDistance)
      return TwoPointCalibration(
        powerAtOneMeter: heldPower,
        powerAtFar: heldPower - 10 * heldExponent * decades,
        farDistance: SiteSurvey.modelDistance
      )
    }
  }

  /// The least ratio of the farthest distance to the nearest: 2, as for ``TwoPointCalibration/leastFarDistance``.
  public static let leastRatio: Double = 2
  /// The distance of the far point that a fit gives to a two-point calibration, in meters: any distance gives the same
  /// law.
  static let modelDistance: Double = 4

  private var points: [(decades: Double, level: Double)] = []

  /// Creates an empty survey.
  public init() {}

  /// Adds a session; a session without samples is ignored.
  public mutating func add(_ session: CalibrationSession) {
    if let level = session.level { add(level: level.dBm, at: session.meters) }
  }

  /// Adds a level in dBm at a distance in meters; NaN is ignored.
  public mutating func add(level: Double, at meters: Double) {
    guard level.isFinite, meters > 0, meters.isFinite else { return }
    points.append((DeterministicMath.log10(meters), level))
  }

  /// The log-distance law that fits best by least squares; `nil` while the distances are too similar.
  public var fit: Fit? {
    let all = points.map(\.decades)
    guard let nearest = all.min(), let farthest = all.max(),
      farthest - nearest >= DeterministicMath.log10(Self.leastRatio) - 1e-9
    else { return nil }
    let count = Double(points.count)
    let center = all.reduce(0, +) / count
    let mean = points.reduce(0) { $0 + $1.level } / count
    var (covariance, variance) = (0.0, 0.0)
    for point in points {
      covariance += (point.decades - center) * (point.level - mean)
      variance += (point.decades - center) * (point.decades - center)
    }
    let exponent = PathLoss.clampedExponent(-covariance / variance / 10)
    let power = mean + 10 * exponent * center
    var squares = 0.0
    for point in points {
      let rest = point.level - power + 10 * exponent * point.decades
      squares += rest * rest
    }
    let shadowing = points.count > 2 ? (squares / (count - 2)).squareRoot() : nil
    return Fit(
      powerAtOneMeter: power,
      exponent: exponent,
      shadowing: shadowing,
      exponentError: (shadowing ?? DistanceEstimate.shadowingDeviation)
        / (10 * variance.squareRoot()),
      center: center
    )
  }
}
